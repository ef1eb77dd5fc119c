package enricher

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

func TestWhatTheOperatorErasesIsKept(t *testing.T) {
	exit := func(id string) failure.Attempt {
		return failure.Attempt{SubmissionID: id, Reason: failure.ReasonUserExit}
	}
	failed := &failure.Diagnostics{SubmissionID: "s-1", Reason: failure.ReasonUserExit}
	retried := &failure.Diagnostics{SubmissionID: "s-1", Attempts: []failure.Attempt{exit("s-0")}}
	cases := map[string]struct {
		before, now *failure.Diagnostics
		submission  string
		want        []failure.Attempt
		wantReason  failure.Reason
	}{
		"a new submission is named":              {before: failed, submission: "s-2", want: []failure.Attempt{exit("s-1")}},
		"nothing was erased":                     {before: failed, now: retried, submission: "s-2", want: []failure.Attempt{exit("s-0")}},
		"erased within the attempt":              {before: retried, submission: "s-1", want: []failure.Attempt{exit("s-0")}},
		"an only attempt is erased":              {before: failed, submission: "s-1", wantReason: failure.ReasonUserExit},
		"an earlier attempt only, and a new one": {before: retried, submission: "s-2", want: []failure.Attempt{exit("s-0")}},
		"there was nothing":                      {submission: "s-2"},
		"the attempts before were well":          {before: &failure.Diagnostics{SubmissionID: "s-1"}, submission: "s-2"},
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
			wanted := status.Wanted(known.withHistory(after, start), nil, status.Options{})
			var got []failure.Attempt
			var reason failure.Reason
			if wanted.Diagnostics != nil {
				got, reason = wanted.Diagnostics.Attempts, wanted.Diagnostics.Reason
			}
			if reason != tc.wantReason {
				t.Errorf("reason = %q, want %q", reason, tc.wantReason)
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

func TestNothingIsPutBackWhileNothingProtectsIt(t *testing.T) {
	a := application{kept: &failure.Diagnostics{SubmissionID: "s-1", Reason: failure.ReasonUserExit}}
	app := in(v1beta2.StateFailed)
	a.erasure.until = start.Add(time.Second)
	if got := a.withHistory(app, start); got != app {
		t.Errorf("diagnostics = %+v during the pause, want none", got.Status.Diagnostics)
	}
	if got := a.withHistory(app, start.Add(time.Minute)); got.Status.Diagnostics != a.kept {
		t.Errorf("diagnostics = %+v after the pause, want those kept", got.Status.Diagnostics)
	}
}

func TestAWaitThatIsOverIsNotKept(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	app := in(v1beta2.StateSubmitted)
	for _, d := range []failure.Diagnostics{{SubmissionID: "s-1", Reason: failure.ReasonUnschedulable}, {SubmissionID: "s-1"}} {
		app = app.DeepCopy()
		app.Status.Diagnostics = &d
		m.observeApp(app)
	}
	next := in(v1beta2.StateSubmitted)
	next.Status.SubmissionID = "s-2"
	m.observeApp(next)
	known := m.snapshot(next)
	if got := known.withHistory(next, start); got != next {
		t.Errorf("diagnostics = %+v, want none", got.Status.Diagnostics)
	}
}

// told answers with events and counts how often it is asked. No real API server tells that, or fails at will.
type told struct {
	eventsclient.EventInterface
	events []eventsv1.Event
	err    error
	asked  int
}

func (l *told) List(context.Context, metav1.ListOptions) (*eventsv1.EventList, error) {
	l.asked++
	return &eventsv1.EventList{Items: l.events}, l.err
}

func TestTheJournalIsReadOnceForANamespace(t *testing.T) {
	app := in(v1beta2.StateRunning)
	other := in(v1beta2.StateRunning)
	other.Name, other.UID = "other", "other-uid"
	event, err := failureEvent(app, failedRecord("s-0"), metav1.NewMicroTime(start))
	if err != nil {
		t.Fatal(err)
	}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "", nil)
	cases := map[string]struct {
		err       error
		wantAsked int
		want      int
		wantErr   bool
	}{
		"readable":  {wantAsked: 1, want: 1},
		"forbidden": {err: forbidden, wantAsked: 1},
		"failing":   {err: apierrors.NewServiceUnavailable("starting"), wantAsked: 1, wantErr: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			list := &told{events: []eventsv1.Event{*event}, err: tc.err}
			j := newJournal()
			for _, a := range []*v1beta2.SparkApplication{app, other, app} {
				got, err := j.read(t.Context(), list, a)
				want := tc.want
				if a == other {
					want = 0
				}
				if len(got) != want || (err != nil) != tc.wantErr {
					t.Errorf("read(%s) = %d attempts, error %v; want %d, error: %t", a.Name, len(got), err, want, tc.wantErr)
				}
			}
			if list.asked != tc.wantAsked {
				t.Errorf("asked %d times, want %d", list.asked, tc.wantAsked)
			}
			j.forget(app.Namespace)
			if _, err := j.read(t.Context(), list, app); (err != nil) != tc.wantErr || list.asked != tc.wantAsked+1 {
				t.Errorf("asked %d times after the list was dropped, error %v", list.asked, err)
			}
		})
	}
}

// slowEvents answers when it is told to.
type slowEvents struct {
	eventsclient.EventInterface
	asked  chan struct{}
	answer chan struct{}
}

func (s slowEvents) List(context.Context, metav1.ListOptions) (*eventsv1.EventList, error) {
	s.asked <- struct{}{}
	<-s.answer
	return &eventsv1.EventList{}, nil
}

func TestASlowListHoldsNobodyElse(t *testing.T) {
	slow, fast := in(v1beta2.StateRunning), in(v1beta2.StateRunning)
	fast.Namespace = "other"
	events, j, done := slowEvents{asked: make(chan struct{}), answer: make(chan struct{})}, newJournal(), make(chan error)
	go func() {
		_, err := j.read(t.Context(), events, slow)
		done <- err
	}()
	<-events.asked
	if _, err := j.read(t.Context(), nil, slow); !errors.Is(err, errListing) {
		t.Errorf("a second application of the namespace got %v, want %v", err, errListing)
	}
	quick := &told{}
	if _, err := j.read(t.Context(), quick, fast); err != nil || quick.asked != 1 {
		t.Errorf("another namespace got %v after %d lists", err, quick.asked)
	}
	close(events.answer)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := j.read(t.Context(), nil, slow); err != nil {
		t.Errorf("after the list: %v", err)
	}
}

// pagedEvents are asked for in pages.
type pagedEvents struct {
	eventsclient.EventInterface
	items []eventsv1.Event
}

func (p pagedEvents) List(_ context.Context, options metav1.ListOptions) (*eventsv1.EventList, error) {
	if options.Limit <= 0 || options.Limit > 1000 {
		return nil, fmt.Errorf("asked for %d events at once", options.Limit)
	}
	page, rest := p.items[:1], ""
	if options.Continue != "" {
		page = p.items[1:]
	} else {
		rest = "1"
	}
	return &eventsv1.EventList{ListMeta: metav1.ListMeta{Continue: rest}, Items: page}, nil
}

func TestEventsAreListedInPages(t *testing.T) {
	app := in(v1beta2.StateRunning)
	var items []eventsv1.Event
	for _, id := range []string{"s-1", "s-2"} {
		event, err := failureEvent(app, failedRecord(id), metav1.NewMicroTime(start))
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, *event)
	}
	got, err := newJournal().read(t.Context(), pagedEvents{items: items}, app)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 {
		t.Errorf("%d attempts, want those of both pages", len(got))
	}
}

func TestRecall(t *testing.T) {
	attempt := failedRecord("s-0").Summary()
	kept := &failure.Diagnostics{SubmissionID: "s-0", Reason: failure.ReasonUserExit}
	away := apierrors.NewServiceUnavailable("starting")
	cases := map[string]struct {
		submitted time.Duration // ago
		err       error
		later     time.Duration // after the first sight of the application
		kept      *failure.Diagnostics
		want      *failure.Diagnostics
		wantWait  time.Duration
	}{
		"submitted a minute ago":   {submitted: time.Minute, want: &failure.Diagnostics{Attempts: []failure.Attempt{attempt}}},
		"submitted two hours ago":  {submitted: 2 * time.Hour},
		"events cannot be listed":  {submitted: time.Minute, err: away, wantWait: recallPause},
		"nor a minute later":       {submitted: time.Minute, err: away, later: recallPatience, want: &failure.Diagnostics{}},
		"seen in a status as well": {submitted: time.Minute, kept: kept, want: kept},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakePassiveClock(start)
			r := &Reconciler{Clock: clock, Config: &configv1alpha1.EnricherConfiguration{}, memory: newMemory(clock), journal: newJournal()}
			configv1alpha1.SetDefaults(r.Config)
			r.Clientset = kubernetes.NewForConfigOrDie(&rest.Config{})
			app := submitted(in(v1beta2.StateRunning), tc.submitted)
			app.Status.SubmissionID, app.Status.ExecutionAttempts = "s-1", 2
			r.journal.namespaces[app.Namespace] = &entries{done: true, err: tc.err}
			if tc.err == nil {
				r.journal.namespaces[app.Namespace] = &entries{done: true, attempts: map[types.UID][]failure.Attempt{app.UID: {attempt}}}
			}
			r.memory.observeApp(app)
			r.memory.change(app, func(a *application) { a.kept = tc.kept })
			clock.SetTime(start.Add(tc.later))
			if got := r.recall(t.Context(), app); got != tc.wantWait {
				t.Errorf("recall() = %s, want %s", got, tc.wantWait)
			}
			if diff := cmp.Diff(tc.want, r.memory.snapshot(app).kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

func failedRecord(id string) *status.Record {
	return &status.Record{SubmissionID: id, Attempt: 1, Failed: true, Diagnostics: failure.Diagnostics{
		Reason: failure.ReasonUserExit, Category: failure.CategoryUser, Message: "The program ended with exit code 3",
		Source: failure.SourceContainerStatus, Driver: &failure.Driver{PodName: "etl-driver", PodUID: "pod-" + id},
	}}
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
			a.Status.ExecutionAttempts, a.Status.Diagnostics = 2, &failure.Diagnostics{SubmissionID: "s-1"}
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

func attemptsIn(events []eventsv1.Event) map[types.UID][]failure.Attempt {
	var told []toldAttempt
	for i := range events {
		if t, ok := attemptIn(&events[i]); ok {
			told = append(told, t)
		}
	}
	return byApplication(told)
}

func TestTheAttemptsOfEvents(t *testing.T) {
	app := in(v1beta2.StateRunning)
	app.Status.SubmissionID = "s-3"
	tell := func(id string, ago time.Duration) eventsv1.Event {
		event, err := failureEvent(app, failedRecord(id), metav1.NewMicroTime(start.Add(-ago)))
		if err != nil {
			t.Fatal(err)
		}
		return *event
	}
	forged := func(change func(*eventsv1.Event)) eventsv1.Event {
		event := tell("s-9", 0)
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
		"with a pod's UID too long": saying("pod-s-9", strings.Repeat("x", 300)),
		"that ends beyond all time": saying(`"podUID"`, `"finishedAt":"9999-12-31T23:59:59-10:00","podUID"`),
		"with a reason too long":    saying("UserExit", strings.Repeat("x", 300)),
	}
	for name, event := range cases {
		t.Run("not one "+name, func(t *testing.T) {
			if got := attemptsIn([]eventsv1.Event{event}); len(got) != 0 {
				t.Errorf("attempts = %+v, want none", got)
			}
		})
	}
	renamed := tell("s-1", 2*time.Hour)
	renamed.Name = nameByContent(&renamed)
	got := attemptsIn([]eventsv1.Event{renamed, tell("s-1", 2*time.Hour), tell("s-2", time.Hour)})
	want := map[types.UID][]failure.Attempt{app.UID: {failedRecord("s-2").Summary(), failedRecord("s-1").Summary()}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}
