package enricher

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

func TestWhatTheOperatorErasesIsKept(t *testing.T) {
	exit := func(id string) v1beta2.Attempt {
		return v1beta2.Attempt{SubmissionID: id, Reason: v1beta2.ReasonUserExit}
	}
	failed := &v1beta2.Diagnostics{SubmissionID: "s-1", Reason: v1beta2.ReasonUserExit}
	retried := &v1beta2.Diagnostics{SubmissionID: "s-1", Attempts: []v1beta2.Attempt{exit("s-0")}}
	cases := map[string]struct {
		before, now *v1beta2.Diagnostics
		submission  string
		want        []v1beta2.Attempt
	}{
		"a new submission is named":              {before: failed, submission: "s-2", want: []v1beta2.Attempt{exit("s-1")}},
		"nothing was erased":                     {before: failed, now: retried, submission: "s-2", want: []v1beta2.Attempt{exit("s-0")}},
		"erased within the attempt":              {before: retried, submission: "s-1", want: []v1beta2.Attempt{exit("s-0")}},
		"an only attempt is erased":              {before: failed, submission: "s-1"},
		"an earlier attempt only, and a new one": {before: retried, submission: "s-2", want: []v1beta2.Attempt{exit("s-0")}},
		"there was nothing":                      {submission: "s-2"},
		"the attempts before were well":          {before: &v1beta2.Diagnostics{SubmissionID: "s-1"}, submission: "s-2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMemory(clocktesting.NewFakePassiveClock(start))
			app := in(v1beta2.StatePendingRerun)
			app.Status.Diagnostics = tc.before
			m.observeApp(app)
			after := in(v1beta2.StateSubmitted)
			after.Status.SubmissionID, after.Status.Diagnostics = tc.submission, tc.now
			m.observeApp(after)
			known := m.snapshot(after)
			wanted := status.Wanted(known.withHistory(after), nil, status.Options{})
			var got []v1beta2.Attempt
			if wanted.Diagnostics != nil {
				got = wanted.Diagnostics.Attempts
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("attempts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.now, after.Status.Diagnostics); diff != "" {
				t.Errorf("the cached application changed:\n%s", diff)
			}
		})
	}
}

func TestEventsAreAskedForOnlyWhereAnAttemptMayBeLost(t *testing.T) {
	cases := map[string]struct {
		change func(*v1beta2.SparkApplication)
		want   bool
	}{
		"the first attempt":       {change: func(*v1beta2.SparkApplication) {}},
		"a retry":                 {change: func(a *v1beta2.SparkApplication) { a.Status.ExecutionAttempts = 2 }, want: true},
		"a submission tried anew": {change: func(a *v1beta2.SparkApplication) { a.Status.SubmissionAttempts = 2 }, want: true},
		"a changed specification": {change: func(a *v1beta2.SparkApplication) { a.Generation = 2 }, want: true},
		"a retry that is told of": {change: func(a *v1beta2.SparkApplication) {
			a.Status.ExecutionAttempts, a.Status.Diagnostics = 2, &v1beta2.Diagnostics{SubmissionID: "s-1"}
		}},
		"not submitted": {change: func(a *v1beta2.SparkApplication) { a.Generation, a.Status.SubmissionID = 2, "" }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := in(v1beta2.StateSubmitted)
			tc.change(app)
			m := newMemory(clocktesting.NewFakePassiveClock(start))
			m.observeApp(app)
			if got := m.snapshot(app).lost; got != tc.want {
				t.Errorf("lost = %t, want %t", got, tc.want)
			}
		})
	}
}

func TestTheAttemptsOfEvents(t *testing.T) {
	app := in(v1beta2.StateRunning)
	app.Status.SubmissionID = "s-3"
	record := func(id string) *status.Record {
		return &status.Record{SubmissionID: id, Attempt: 1, Failed: true, Diagnostics: v1beta2.Diagnostics{
			Reason: v1beta2.ReasonUserExit, Category: v1beta2.CategoryUser, Message: "The program ended with exit code 3",
			Source: v1beta2.SourceContainerStatus, Driver: &v1beta2.Driver{PodName: "etl-driver", PodUID: "pod-" + id},
		}}
	}
	told := func(id string, ago time.Duration) eventsv1.Event {
		event, err := failureEvent(app, record(id), metav1.NewMicroTime(start.Add(-ago)))
		if err != nil {
			t.Fatal(err)
		}
		return *event
	}
	forged := func(change func(*eventsv1.Event)) eventsv1.Event {
		event := told("s-9", 0)
		change(&event)
		return event
	}
	saying := func(old, with string) eventsv1.Event {
		return forged(func(e *eventsv1.Event) {
			record := e.Annotations[v1beta2.AnnotationAttempt]
			if !strings.Contains(record, old) {
				t.Fatalf("%s does not hold %s", record, old)
			}
			e.Annotations[v1beta2.AnnotationAttempt] = strings.Replace(record, old, with, 1)
		})
	}
	cases := map[string]eventsv1.Event{
		"of another application":    forged(func(e *eventsv1.Event) { e.Regarding.UID = "other-uid" }),
		"of another controller":     forged(func(e *eventsv1.Event) { e.ReportingController = "example.com/other" }),
		"of another name":           forged(func(e *eventsv1.Event) { e.Name = "etl.0" }),
		"of no attempt":             *erasedEvent(app, metav1.NewMicroTime(start)),
		"that is no JSON":           saying("{", "["),
		"of another submission":     saying("s-9", "s-8"),
		"with an unknown category":  saying(`"User"`, `"Nobody"`),
		"with an unknown source":    saying(`"ContainerStatus"`, `"Hearsay"`),
		"with a terminal's escapes": saying("The program", "\\u001b[2J"),
		"with a message too long":   saying("The program", strings.Repeat("x", 1100)),
	}
	for name, event := range cases {
		t.Run("not one "+name, func(t *testing.T) {
			if got := attemptsIn(app, []eventsv1.Event{event}); len(got) != 0 {
				t.Errorf("attempts = %+v, want none", got)
			}
		})
	}
	got := attemptsIn(app, []eventsv1.Event{told("s-1", 2*time.Hour), told("s-2", time.Hour)})
	want := []v1beta2.Attempt{record("s-2").Summary(), record("s-1").Summary()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}
