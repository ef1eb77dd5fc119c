package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
)

// outcomeOf is a run of one application that failed twice, with the status as given.
func outcomeOf(status v1beta2.Status) *outcome {
	crash := ending{name: "crash", reason: failure.ReasonUserExit, exitCode: new(int32(3))}
	return &outcome{
		apps:   []planned{{namespace: "chaos-0", name: "app-0000", attempts: []ending{crash, crash}}},
		rounds: map[string]int{"chaos-0/app-0000": 2},
		known: []entry{
			{app: "chaos-0/app-0000", submissionID: "s-1", podUID: "p-1", ending: crash},
			{app: "chaos-0/app-0000", submissionID: "s-2", podUID: "p-2", ending: crash},
		},
		statuses: map[string]*v1beta2.SparkApplication{"chaos-0/app-0000": {Status: status}},
	}
}

func diagnosed(reason failure.Reason, exitCode int32, earlier ...failure.Attempt) v1beta2.Status {
	return v1beta2.Status{
		SubmissionID: "s-2", ApplicationState: v1beta2.ApplicationState{State: v1beta2.StateFailed},
		Diagnostics: &failure.Diagnostics{
			SubmissionID: "s-2", Reason: reason, ExitCode: &exitCode, Driver: &failure.Driver{PodUID: "p-2"}, Attempts: earlier,
		},
	}
}

func TestFigures(t *testing.T) {
	first := failure.Attempt{SubmissionID: "s-1", PodUID: "p-1", Reason: failure.ReasonUserExit, ExitCode: new(int32(3))}
	running := v1beta2.Status{SubmissionID: "s-2", ApplicationState: v1beta2.ApplicationState{State: v1beta2.StateRunning}}
	type counts struct{ diagnosed, lost, wrong, stuck int }
	tests := map[string]struct {
		status v1beta2.Status
		want   counts
	}{
		"both attempts are told":                {diagnosed(failure.ReasonUserExit, 3, first), counts{diagnosed: 2}},
		"the earlier attempt is missing":        {diagnosed(failure.ReasonUserExit, 3), counts{diagnosed: 1, lost: 1}},
		"the reason is wrong":                   {diagnosed(failure.ReasonUnknown, 3, first), counts{diagnosed: 1, wrong: 1}},
		"the exit code is wrong":                {diagnosed(failure.ReasonUserExit, 1, first), counts{diagnosed: 1, wrong: 1}},
		"nothing is told and nothing has ended": {running, counts{lost: 2, stuck: 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := outcomeOf(test.status).figures()
			got := counts{f.diagnosed, f.lost, f.wrong, f.stuckApps}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(counts{})); diff != "" {
				t.Errorf("figures differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFiguresOfPodsAndEvents(t *testing.T) {
	o := outcomeOf(diagnosed(failure.ReasonUserExit, 3))
	event := eventsv1.Event{
		Regarding: corev1.ObjectReference{UID: "app"}, Related: &corev1.ObjectReference{UID: "pod"},
	}
	o.events = []eventsv1.Event{event, event, event}
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "chaos-0", Name: "app-0000-driver", Finalizers: []string{v1beta2.FinalizerCapture},
			Labels: map[string]string{v1beta2.LabelAppName: "app-0000", labelSubmissionID: "s-9"},
		},
		Status: corev1.PodStatus{Phase: corev1.PodFailed},
	}
	orphan := *pod.DeepCopy()
	orphan.Status.Phase = corev1.PodRunning
	o.pods = []corev1.Pod{pod, orphan}
	o.apps[0].respecified = true
	o.rounds["chaos-0/app-0000"] = 1
	o.writes = make(audit.Log, 7)
	f := o.figures()
	if f.duplicateEvents != 2 || f.stuckFinalizers != 1 || f.stuckApps != 1 || f.lostSpecUpdates != 1 {
		t.Errorf("got %d duplicate events, %d stuck finalizers, %d stuck applications, %d lost changes; want 2, 1, 1, 1",
			f.duplicateEvents, f.stuckFinalizers, f.stuckApps, f.lostSpecUpdates)
	}
	want := "attempts 2 diagnosed 1 lost 1 wrong 0 duplicate_events 2 writes_per_attempt 3.50 stuck_finalizers 1 " +
		"stuck_apps 1 lost_spec_updates 1 operator_errors 0 baseline 0"
	if f.String() != want {
		t.Errorf("got  %s\nwant %s", f, want)
	}
}

func TestHungByTheOperatorItself(t *testing.T) {
	made := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	run := func(age time.Duration, notes ...audit.Request) figures {
		o := outcomeOf(v1beta2.Status{SubmissionID: "s-2", ApplicationState: v1beta2.ApplicationState{State: v1beta2.StatePendingRerun}})
		o.statuses["chaos-0/app-0000"].Namespace, o.statuses["chaos-0/app-0000"].Name = "chaos-0", "app-0000"
		o.at, o.notes = made.Add(age), notes
		o.submissions = audit.Log{{Namespace: "chaos-0", Name: "app-0000-driver", At: made.Add(50 * time.Millisecond)}}
		o.pods = []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{
			Namespace: "chaos-0", Name: "app-0000-driver", CreationTimestamp: metav1.NewTime(made),
			Labels: map[string]string{v1beta2.LabelAppName: "app-0000", labelSubmissionID: "s-3"},
		}}}
		return o.figures()
	}
	note := func(code int32, after time.Duration) audit.Request {
		return audit.Request{Namespace: "chaos-0", Name: "app-0000", Code: code, At: made.Add(after)}
	}
	race, refusal := note(http.StatusConflict, time.Second), note(http.StatusForbidden, 500*time.Millisecond)
	before := note(http.StatusConflict, 20*time.Millisecond)
	tests := map[string]struct {
		is        figures
		hung      int
		wantStuck bool
	}{
		"the operator lost sight of its driver": {run(2 * time.Minute), 1, false},
		"the driver may be on its way":          {run(10 * time.Second), 0, true},
		"the operator's write met another's":    {run(2*time.Minute, race), 0, true},
		"an earlier write met another's":        {run(2*time.Minute, before), 1, false},
		"only a later write met another's":      {run(2*time.Minute, refusal, race), 1, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if len(test.is.hung) != test.hung || test.is.stuckApps > 0 != test.wantStuck {
				t.Errorf("hung %v, stuck %v", test.is.hung, test.is.deadLocks)
			}
		})
	}
}

func TestPromises(t *testing.T) {
	kept := figures{attempts: 10, diagnosed: 10, writes: 30, operatorErrors: 11, baseline: 10}
	if broken := kept.broken(); len(broken) > 0 {
		t.Errorf("kept promises are called broken: %v", broken)
	}
	tests := map[string]func(*figures){
		"nothing was tried":       func(f *figures) { *f = figures{} },
		"an attempt is lost":      func(f *figures) { f.diagnosed-- },
		"a diagnosis too many":    func(f *figures) { f.wrong++ },
		"an enricher panicked":    func(f *figures) { f.crashes = []string{"panic: index out of range"} },
		"an event is there twice": func(f *figures) { f.duplicateEvents++ },
		"a write too many":        func(f *figures) { f.writes++ },
		"a finalizer is stuck":    func(f *figures) { f.stuckFinalizers++ },
		"an application is stuck": func(f *figures) { f.stuckApps++ },
		"a specification is lost": func(f *figures) { f.lostSpecUpdates++ },
		"the operator is harmed":  func(f *figures) { f.operatorErrors++ },
	}
	for name, breaks := range tests {
		t.Run(name, func(t *testing.T) {
			f := kept
			breaks(&f)
			if len(f.broken()) != 1 {
				t.Errorf("broken promises: %v, want one", f.broken())
			}
		})
	}
}

func TestPlan(t *testing.T) {
	apps := planApplications(1, 300, time.Minute)
	retries, recovering, respecified := map[int32]int{}, 0, 0
	for _, app := range apps {
		retries[app.retries]++
		if app.attempts[len(app.attempts)-1].reason == "" {
			recovering++
		}
		if app.respecified {
			respecified++
		}
		if want := app.attemptCount(); len(app.attempts) != want || len(app.runs) != want {
			t.Errorf("%s: %d failures and %d runs for %d attempts", app.name, len(app.attempts), len(app.runs), want)
		}
	}
	for n := range int32(maxRetries + 1) {
		if retries[n] < 40 {
			t.Errorf("%d applications with %d retries, want at least 40", retries[n], n)
		}
	}
	if recovering < 20 || respecified < 20 {
		t.Errorf("%d applications recover and %d are respecified, want at least 20 each", recovering, respecified)
	}
	if diff := cmp.Diff(keysOf(apps), keysOf(planApplications(1, 300, time.Minute))); diff != "" {
		t.Errorf("the same seed gives another plan:\n%s", diff)
	}
}

func keysOf(apps []planned) (keys []string) {
	for _, app := range apps {
		for i, f := range app.attempts {
			keys = append(keys, app.key()+" "+f.name+" "+app.runs[i].String())
		}
	}
	return keys
}

func TestStorm(t *testing.T) {
	over := 5 * time.Minute
	storm := planStorm(1, over)
	blows := map[blow]int{}
	for i, s := range storm {
		blows[s.what]++
		if s.at >= over || i > 0 && s.at <= storm[i-1].at {
			t.Errorf("blow %d is at %s", i, s.at)
		}
	}
	for _, b := range []blow{killLeader, killStandby, freezeLeader, resignLeader, cutConnections, restartServer, restartOperator} {
		if blows[b] == 0 {
			t.Errorf("nobody would %s", b)
		}
	}
}

func TestOperatorErrors(t *testing.T) {
	const a, b = `"SparkApplication":{"name":"a","namespace":"n"}`, `"SparkApplication":{"name":"b","namespace":"n"}`
	log := `not JSON
{"level":"INFO",` + a + `,"msg":"Reconciling"}
{"level":"ERROR",` + a + `,"msg":"Failed to reconcile","error":"the object has been modified"}
{"level":"ERROR",` + a + `,"msg":"Reconciler error","error":"the object has been modified"}
{"level":"ERROR",` + b + `,"msg":"Reconciler error","error":"the object has been modified"}
{"level":"ERROR",` + b + `,"msg":"Reconciler error","error":"dial tcp 127.0.0.1:1: connect: connection refused"}
{"level":"ERROR",` + b + `,"msg":"Reconciler error","error":"Resource kind x, Kind=y not found. There can be a delay"}
{"level":"ERROR",` + b + `,"msg":"Reconciler error","error":"pods \"p\" not found"}
{"level":"ERROR","msg":"problem","error":"something else"}
`
	file := filepath.Join(t.TempDir(), "operator.log")
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	failures, outages, err := errorsIn(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"conflict": 2, "object is gone": 1, "something else": 1}, failures); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"server is away": 1, "policies have no schema yet": 1}, outages); diff != "" {
		t.Errorf("outages (-want +got):\n%s", diff)
	}
}

func TestSubmissionsThatAreNotNotedForWantOfASchema(t *testing.T) {
	const refusal, away = "Resource kind x, Kind=y not found. There can be a delay", "dial tcp 127.0.0.1:1: connect: connection refused"
	lines := func(messages ...string) string {
		var log strings.Builder
		for _, message := range messages {
			level, msg, err := "INFO", message, ""
			if message == refusal || message == away {
				level, msg, err = "ERROR", "Failed to reconcile SparkApplication", message
			}
			fmt.Fprintf(&log, `{"level":%q,"SparkApplication":{"name":"a","namespace":"n"},"msg":%q,"error":%q}`+"\n", level, msg, err)
		}
		return log.String()
	}
	const submits, reconciles = "Submitting SparkApplication", "Reconciling SparkApplication"
	cases := map[string]struct {
		log  string
		want bool
	}{
		"refused":                       {lines(reconciles, submits, refusal), true},
		"the server was away":           {lines(reconciles, submits, away), false},
		"only a later write is refused": {lines(reconciles, submits, away, reconciles, refusal), false},
		"the operator ended":            {lines(reconciles, submits, reconciles, refusal), false},
		"submitted again and noted":     {lines(reconciles, submits, refusal, reconciles, submits, reconciles), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "operator.log")
			if err := os.WriteFile(file, []byte(tc.log), 0o600); err != nil {
				t.Fatal(err)
			}
			unready, err := unreadyIn(file)
			if err != nil {
				t.Fatal(err)
			}
			if unready["n/a"] != tc.want {
				t.Errorf("unreadyIn() = %v, want %t for n/a", unready, tc.want)
			}
		})
	}
}
