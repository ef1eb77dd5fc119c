package status

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func TestDiagnostics(t *testing.T) {
	failedRecord := func(id string, n int32) Record {
		return Record{SubmissionID: id, Attempt: n, Failed: true, Diagnostics: failure.Diagnostics{
			Reason: failure.ReasonUserExit, Message: "exit of " + id, ExitCode: ptr.To[int32](3),
			Driver: &failure.Driver{PodUID: "pod-" + id, FinishedAt: &endedAt},
		}}
	}
	wait := Record{SubmissionID: "s-1", Attempt: 1, Diagnostics: failure.Diagnostics{Reason: failure.ReasonImagePullFailed, Message: "back-off"}}
	summaryOf := func(id string, n int32) failure.Attempt {
		return failure.Attempt{
			SubmissionID: id, Attempt: n, Reason: failure.ReasonUserExit, Message: "exit of " + id,
			ExitCode: ptr.To[int32](3), PodUID: "pod-" + id, FinishedAt: &endedAt,
		}
	}
	stored := func(id string, n int32, earlier ...failure.Attempt) *failure.Diagnostics {
		d := failedRecord(id, n).Diagnostics
		d.SubmissionID, d.Attempt, d.Attempts = id, n, earlier
		return &d
	}
	well := func(id string, n int32, earlier ...failure.Attempt) *failure.Diagnostics {
		return &failure.Diagnostics{SubmissionID: id, Attempt: n, Attempts: earlier}
	}
	waiting := func(message string) *failure.Diagnostics {
		return &failure.Diagnostics{SubmissionID: "s-1", Attempt: 1, Reason: failure.ReasonImagePullFailed, Message: message}
	}
	cases := map[string]struct {
		state   v1beta2.State
		id      string
		n       int32
		old     *failure.Diagnostics
		records []Record
		want    *failure.Diagnostics
	}{
		"nothing to say":                      {v1beta2.StateRunning, "s-1", 1, nil, nil, nil},
		"a failure":                           {v1beta2.StateFailed, "s-1", 1, nil, []Record{failedRecord("s-1", 1)}, stored("s-1", 1)},
		"a stored failure after a restart":    {v1beta2.StateFailed, "s-1", 1, stored("s-1", 1), nil, stored("s-1", 1)},
		"a failure the operator has not seen": {v1beta2.StateRunning, "s-1", 1, stored("s-1", 1), nil, stored("s-1", 1)},
		"a retry of a remembered failure":     {v1beta2.StateSubmitted, "s-2", 2, nil, []Record{failedRecord("s-1", 1)}, well("s-2", 2, summaryOf("s-1", 1))},
		"a retry of a stored failure":         {v1beta2.StateSubmitted, "s-2", 2, stored("s-1", 1), nil, well("s-2", 2, summaryOf("s-1", 1))},
		"two failures in a row": {v1beta2.StateFailed, "s-3", 3, nil, []Record{failedRecord("s-1", 1), failedRecord("s-2", 2), failedRecord("s-3", 3)},
			stored("s-3", 3, summaryOf("s-2", 2), summaryOf("s-1", 1))},
		"a failure that is stored and remembered counts once": {v1beta2.StateSubmitted, "s-2", 2, stored("s-1", 1), []Record{failedRecord("s-1", 1)},
			well("s-2", 2, summaryOf("s-1", 1))},
		"success after a failure keeps the history": {v1beta2.StateCompleted, "s-2", 2, well("s-2", 2, summaryOf("s-1", 1)), nil,
			well("s-2", 2, summaryOf("s-1", 1))},
		"a waiting driver":                      {v1beta2.StateSubmitted, "s-1", 1, nil, []Record{wait}, waiting("back-off")},
		"a wait worded otherwise is left alone": {v1beta2.StateSubmitted, "s-1", 1, waiting("pull error"), []Record{wait}, waiting("pull error")},
		"a wait that is over":                   {v1beta2.StateRunning, "s-1", 1, waiting("back-off"), nil, well("s-1", 1)},
		"a wait after a restart":                {v1beta2.StateSubmitted, "s-1", 1, waiting("back-off"), nil, waiting("back-off")},
		"a wait that ended in failure":          {v1beta2.StateFailed, "s-1", 1, waiting("back-off"), []Record{failedRecord("s-1", 1)}, stored("s-1", 1)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			status := &v1beta2.Status{
				SubmissionID: tc.id, ExecutionAttempts: tc.n, Diagnostics: tc.old,
				ApplicationState: v1beta2.ApplicationState{State: tc.state},
			}
			got := Diagnostics(status, tc.records)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Fatalf("diagnostics (-want +got):\n%s", diff)
			}
			status.Diagnostics = got
			if diff := cmp.Diff(got, Diagnostics(status, tc.records)); diff != "" {
				t.Errorf("a second time (-first +second):\n%s", diff)
			}
		})
	}
}

func TestHistoryIsBounded(t *testing.T) {
	var records []Record
	for i := range int32(25) {
		records = append(records, Record{SubmissionID: fmt.Sprintf("s-%d", i), Attempt: i, Failed: true, Diagnostics: failure.Diagnostics{Reason: "A"}})
	}
	got := Diagnostics(&v1beta2.Status{SubmissionID: "s-24"}, records).Attempts
	if len(got) != failure.MaxAttempts || got[0].SubmissionID != "s-23" || got[9].SubmissionID != "s-14" {
		t.Errorf("history = %+v, want the ten before the current one, newest first", got)
	}
}

func TestErrorMessage(t *testing.T) {
	const operators = "driver container failed with ExitCode: 1, Reason: Error"
	of := func(reason failure.Reason, message string) *failure.Diagnostics {
		return &failure.Diagnostics{SubmissionID: "s-1", Reason: reason, Message: message}
	}
	fromSubmission := of("A", "b")
	fromSubmission.Source = failure.SourceSubmissionError
	cases := map[string]struct {
		state v1beta2.State
		text  string
		d     *failure.Diagnostics
		facts bool
		want  string
	}{
		"appended":                        {v1beta2.StateFailed, operators, of("UserExit", "exit 3"), false, operators + " | diagnosis: UserExit: exit 3"},
		"replaced, not stacked":           {v1beta2.StateFailed, operators + " | diagnosis: Old: text", of("UserExit", "exit 3"), false, operators + " | diagnosis: UserExit: exit 3"},
		"facts only":                      {v1beta2.StateFailed, operators, of("UserExit", "exit 3"), true, operators + " | diagnosis: UserExit"},
		"only in FAILED":                  {v1beta2.StateFailing, operators, of("UserExit", "exit 3"), false, operators},
		"no diagnosis":                    {v1beta2.StateFailed, operators, nil, false, operators},
		"diagnosis of another submission": {v1beta2.StateFailed, operators, &failure.Diagnostics{SubmissionID: "s-0", Reason: "A"}, false, operators},
		"made from that text itself":      {v1beta2.StateFailed, operators, fromSubmission, false, operators},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &v1beta2.Status{SubmissionID: "s-1", ApplicationState: v1beta2.ApplicationState{State: tc.state, ErrorMessage: tc.text}}
			if got := ErrorMessage(s, tc.d, tc.facts); got != tc.want {
				t.Errorf("ErrorMessage() = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestWantedLeavesAHealthyApplicationAlone(t *testing.T) {
	for _, state := range v1beta2.States {
		app := &v1beta2.SparkApplication{Status: v1beta2.Status{
			SubmissionID: "s-1", ApplicationState: v1beta2.ApplicationState{State: state, ErrorMessage: "text"},
		}}
		if wanted := Wanted(app, nil, Options{ErrorMessage: true}); Differ(&app.Status, wanted) {
			t.Errorf("state %q without any diagnosis wants a write: %+v", state, wanted)
		}
	}
}

func TestTheAnnotationConditionFollowsTheAttempts(t *testing.T) {
	annotated := metav1.Condition{
		Type: v1beta2.ConditionExitExceptionAnnotated, Status: metav1.ConditionTrue,
		Reason: v1beta2.AnnotatedByDriver, LastTransitionTime: endedAt,
	}
	record := Record{SubmissionID: "s-1", Attempt: 1, Failed: true, Annotated: annotated, Diagnostics: failure.Diagnostics{Reason: "A"}}
	app := &v1beta2.SparkApplication{Status: v1beta2.Status{SubmissionID: "s-1", ApplicationState: v1beta2.ApplicationState{State: v1beta2.StateFailing}}}
	steps := []struct {
		name, id string
		state    v1beta2.State
		want     string
	}{
		{"failed", "s-1", v1beta2.StateFailing, "True WrittenByDriver"},
		{"retried", "s-2", v1beta2.StateSubmitted, "Unknown AttemptNotEnded"},
		{"runs", "s-2", v1beta2.StateRunning, "Unknown AttemptNotEnded"},
		{"succeeded", "s-2", v1beta2.StateCompleted, "False DriverSucceeded"},
	}
	for _, step := range steps {
		app.Status.SubmissionID, app.Status.ApplicationState.State = step.id, step.state
		wanted := Wanted(app, []Record{record}, Options{})
		c := conditionOf(wanted.Conditions, v1beta2.ConditionExitExceptionAnnotated)
		if got := string(c.Status) + " " + c.Reason; got != step.want {
			t.Errorf("%s: condition is %s, want %s", step.name, got, step.want)
		}
		app.Status = *wanted
		if Differ(&app.Status, Wanted(app, []Record{record}, Options{})) {
			t.Errorf("%s: not at rest after one write", step.name)
		}
	}
}

func TestADriverThatWaitsLeavesTheAnnotationUndecided(t *testing.T) {
	app := &v1beta2.SparkApplication{Status: v1beta2.Status{
		SubmissionID: "s-2", ApplicationState: v1beta2.ApplicationState{State: v1beta2.StateSubmitted},
		Diagnostics: &failure.Diagnostics{SubmissionID: "s-1", Reason: "A"},
		Conditions:  []metav1.Condition{{Type: v1beta2.ConditionExitExceptionAnnotated, Status: metav1.ConditionTrue, Reason: v1beta2.AnnotatedByDriver}},
	}}
	wait := Record{SubmissionID: "s-2", Attempt: 2, Diagnostics: failure.Diagnostics{Reason: failure.ReasonImagePullFailed}}
	wanted := Wanted(app, []Record{wait}, Options{})
	if c := conditionOf(wanted.Conditions, v1beta2.ConditionExitExceptionAnnotated); c.Status != metav1.ConditionUnknown {
		t.Errorf("condition is %s, want Unknown: the annotation was the earlier attempt's", c.Status)
	}
	if AnnotationDecided(wanted) {
		t.Error("a driver that waits counts as looked at")
	}
	wait.Failed, wait.Annotated = true, metav1.Condition{
		Type: v1beta2.ConditionExitExceptionAnnotated, Status: metav1.ConditionFalse, Reason: v1beta2.NotAnnotatedNoEvidence,
	}
	if wanted = Wanted(app, []Record{wait}, Options{}); !AnnotationDecided(wanted) {
		t.Error("a driver that failed does not count as looked at")
	}
}

func TestSummaryOnlyKeepsTheErrorMessage(t *testing.T) {
	record := Record{SubmissionID: "s-1", Failed: true, Diagnostics: failure.Diagnostics{Reason: "UserExit", Message: "exit 3"}}
	app := &v1beta2.SparkApplication{Status: v1beta2.Status{
		SubmissionID: "s-1", ApplicationState: v1beta2.ApplicationState{State: v1beta2.StateFailed, ErrorMessage: "text"},
	}}
	got := Wanted(app, []Record{record}, Options{ErrorMessage: true, SummaryOnly: true})
	if got.Diagnostics != nil || got.Conditions != nil || got.ApplicationState.ErrorMessage != "text | diagnosis: UserExit: exit 3" {
		t.Errorf("Wanted() = %+v, want the error message alone", got)
	}
}
