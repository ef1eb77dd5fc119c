package enricher

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

var start = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

func TestMomentFor(t *testing.T) {
	const now, never = "now", "never"
	cases := map[string]struct {
		app   *v1beta2.SparkApplication
		quiet time.Duration
		seen  time.Duration // ago; an hour by default
		held  bool
		want  string
	}{
		"NEW: spark-submit may run":   {app: in(v1beta2.StateNew), want: never},
		"SUBMITTED":                   {app: in(v1beta2.StateSubmitted), want: now},
		"RUNNING":                     {app: in(v1beta2.StateRunning), want: now},
		"SUCCEEDING moves on at once": {app: in(v1beta2.StateSucceeding), want: never},
		"COMPLETED":                   {app: in(v1beta2.StateCompleted), want: now},
		"FAILED":                      {app: in(v1beta2.StateFailed), want: now},
		"SUBMISSION_FAILED: spark-submit may run":         {app: in(v1beta2.StateSubmissionFailed), want: never},
		"PENDING_RERUN: spark-submit may run":             {app: in(v1beta2.StatePendingRerun), want: never},
		"PENDING_RERUN while our finalizer holds the pod": {app: in(v1beta2.StatePendingRerun), held: true, want: now},
		"INVALIDATING":                   {app: in(v1beta2.StateInvalidating), want: never},
		"SUSPENDING":                     {app: in(v1beta2.StateSuspending), want: never},
		"SUSPENDED":                      {app: in(v1beta2.StateSuspended), want: now},
		"RESUMING: spark-submit may run": {app: in(v1beta2.StateResuming), want: never},
		"UNKNOWN":                        {app: in(v1beta2.StateUnknown), want: never},
		"FAILING without a retry moves on at once": {app: in(v1beta2.StateFailing), want: never},
		"FAILING with a retry far away":            {app: failing("Always", 3), want: now},
		"FAILING with a retry 2 s away":            {app: failing("Always", 2), want: never},
		"FAILING with a retry overdue":             {app: failing("Always", -5), want: never},
		"FAILING with retries left":                {app: failing("OnFailure", 60), want: now},
		"FAILED, specification just changed":       {app: in(v1beta2.StateFailed), quiet: 4 * time.Second, want: "4s"},
		"FAILED a moment ago":                      {app: in(v1beta2.StateFailed), seen: 500 * time.Millisecond, want: "1.5s"},
		"COMPLETED a moment ago":                   {app: in(v1beta2.StateCompleted), seen: time.Second, want: "1s"},
		"FAILED two seconds ago":                   {app: in(v1beta2.StateFailed), seen: 2 * time.Second, want: now},
		"FAILED, being deleted":                    {app: deleted(in(v1beta2.StateFailed)), want: never},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.seen == 0 {
				tc.seen = time.Hour
			}
			got := momentFor(tc.app, start.Add(tc.quiet), start.Add(-tc.seen), start, tc.held)
			want := moment{now: tc.want == now}
			if d, err := time.ParseDuration(tc.want); err == nil {
				want.after = d
			}
			if got != want {
				t.Errorf("momentFor() = %+v, want %+v", got, want)
			}
		})
	}
}

func TestEveryStateHasAMoment(t *testing.T) {
	var writable []v1beta2.State
	for _, state := range v1beta2.States {
		if momentFor(in(state), time.Time{}, time.Time{}, start, false).now {
			writable = append(writable, state)
		}
	}
	want := []v1beta2.State{
		v1beta2.StateSubmitted, v1beta2.StateRunning, v1beta2.StateCompleted, v1beta2.StateFailed, v1beta2.StateSuspended,
	}
	if diff := cmp.Diff(want, writable); diff != "" {
		t.Errorf("states that may be written (-want +got):\n%s", diff)
	}
}

func TestUntilVerdict(t *testing.T) {
	const attempt = "b0b1"
	failed := func(id string, secondsAgo time.Duration) status.Record {
		return status.Record{SubmissionID: id, Failed: true, Diagnostics: failure.Diagnostics{
			Driver: &failure.Driver{FinishedAt: ptr.To(metav1.NewTime(start.Add(-secondsAgo * time.Second)))},
		}}
	}
	cases := map[string]struct {
		state  v1beta2.State
		policy string
		record status.Record
		want   time.Duration
	}{
		"RUNNING, driver ended a second ago":          {state: v1beta2.StateRunning, record: failed(attempt, 1), want: 2 * time.Second},
		"SUBMITTED, driver ended this second":         {state: v1beta2.StateSubmitted, record: failed(attempt, 0), want: 3 * time.Second},
		"RUNNING, driver ended long ago":              {state: v1beta2.StateRunning, record: failed(attempt, 60)},
		"FAILED: the verdict is there":                {state: v1beta2.StateFailed, record: failed(attempt, 0)},
		"RUNNING, an earlier attempt":                 {state: v1beta2.StateRunning, record: failed("a0a1", 0)},
		"RUNNING, with a retry the record comes soon": {state: v1beta2.StateRunning, policy: "Always", record: failed(attempt, 0)},
		"SUBMITTED, driver still waits":               {state: v1beta2.StateSubmitted, record: status.Record{SubmissionID: attempt}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := in(tc.state)
			app.Status.SubmissionID, app.Spec.RestartPolicy.Type = attempt, tc.policy
			if got := untilVerdict(app, []status.Record{tc.record}, start); got != tc.want {
				t.Errorf("untilVerdict() = %s, want %s", got, tc.want)
			}
		})
	}
}

func TestTheNewsThatARetryIsWellWaits(t *testing.T) {
	failed := failure.Attempt{SubmissionID: "s-0", Reason: failure.ReasonUserExit}
	stored := &failure.Diagnostics{SubmissionID: "s-0", Reason: failure.ReasonUserExit}
	well := &failure.Diagnostics{SubmissionID: "s-1", Attempts: []failure.Attempt{failed}}
	stuck := &failure.Diagnostics{SubmissionID: "s-1", Reason: failure.ReasonUnschedulable, Attempts: []failure.Attempt{failed}}
	cases := map[string]struct {
		state     v1beta2.State
		submitted time.Duration // ago
		is, to    *failure.Diagnostics
		outage    time.Duration // ago
		want      time.Duration
	}{
		"submitted a moment ago":            {v1beta2.StateSubmitted, 3 * time.Second, stored, well, time.Hour, 7 * time.Second},
		"runs for a while":                  {v1beta2.StateRunning, 11 * time.Second, stored, well, time.Hour, 0},
		"completed at once":                 {v1beta2.StateCompleted, time.Second, stored, well, time.Hour, 0},
		"the failure before is not written": {v1beta2.StateSubmitted, time.Second, nil, well, time.Hour, 0},
		"the new attempt is stuck":          {v1beta2.StateSubmitted, time.Second, stored, stuck, time.Hour, 0},
		"runs for a while, after an outage": {v1beta2.StateRunning, 11 * time.Second, stored, well, 5 * time.Second, catchUpTime - 5*time.Second},
		"not written, after an outage":      {v1beta2.StateRunning, 11 * time.Second, nil, well, 5 * time.Second, 0},
		"nothing was ever wrong":            {v1beta2.StateRunning, time.Second, nil, nil, time.Hour, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := in(tc.state)
			app.Status.Diagnostics = tc.is
			app.Status.LastSubmissionAttemptTime = ptr.To(metav1.NewTime(start.Add(-tc.submitted)))
			wanted := app.Status.DeepCopy()
			wanted.Diagnostics = tc.to
			if got := untilWell(app, wanted, start.Add(-tc.outage), start); got != tc.want {
				t.Errorf("untilWell() = %s, want %s", got, tc.want)
			}
		})
	}
}

func TestWhatTheNextSubmissionErasesIsNotWritten(t *testing.T) {
	history := []failure.Attempt{{SubmissionID: "s-0", Reason: failure.ReasonUserExit}}
	cases := map[string]struct {
		state v1beta2.State
		to    *failure.Diagnostics
		want  bool
	}{
		"earlier attempts only":             {v1beta2.StatePendingRerun, &failure.Diagnostics{SubmissionID: "s-1", Attempts: history}, true},
		"conditions only":                   {v1beta2.StatePendingRerun, nil, true},
		"the failure of this one":           {v1beta2.StatePendingRerun, &failure.Diagnostics{SubmissionID: "s-1", Reason: failure.ReasonUserExit}, false},
		"earlier attempts of one that runs": {v1beta2.StateRunning, &failure.Diagnostics{SubmissionID: "s-1", Attempts: history}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := isShortLived(in(tc.state), &v1beta2.Status{Diagnostics: tc.to}); got != tc.want {
				t.Errorf("isShortLived() = %t, want %t", got, tc.want)
			}
		})
	}
}

func TestNextRetryIsTheOperatorsRule(t *testing.T) {
	app := in(v1beta2.StateFailing)
	app.Spec.RestartPolicy = v1beta2.RestartPolicy{
		Type: "OnFailure", OnFailureRetries: ptr.To[int32](2), OnFailureRetryInterval: ptr.To[int64](10),
	}
	app.Status.LastSubmissionAttemptTime = ptr.To(metav1.NewTime(start))
	app.Status.SubmissionAttempts = 3
	app.Status.ExecutionAttempts = 2
	if due, ok := nextRetry(app); !ok || !due.Equal(start.Add(30*time.Second)) {
		t.Errorf("nextRetry() = %s, %t, want 3 x 10 s after the submission", due, ok)
	}
	app.Status.ExecutionAttempts = 3
	if _, ok := nextRetry(app); ok {
		t.Error("nextRetry() says retry, want none after 3 executions with 2 retries")
	}
}

func in(state v1beta2.State) *v1beta2.SparkApplication {
	return &v1beta2.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Namespace: "jobs", Name: "etl", UID: "app-uid", Generation: 1},
		Status: v1beta2.Status{
			SubmissionID: "s-1", ExecutionAttempts: 1, SubmissionAttempts: 1,
			ApplicationState: v1beta2.ApplicationState{State: state},
		},
	}
}

// failing is an application whose next submission is due in so many seconds.
func failing(policy string, dueIn int64) *v1beta2.SparkApplication {
	app := in(v1beta2.StateFailing)
	app.Spec.RestartPolicy = v1beta2.RestartPolicy{
		Type: policy, OnFailureRetries: ptr.To[int32](1), OnFailureRetryInterval: ptr.To(dueIn + 100),
	}
	app.Status.LastSubmissionAttemptTime = ptr.To(metav1.NewTime(start.Add(-100 * time.Second)))
	return app
}

func deleted(app *v1beta2.SparkApplication) *v1beta2.SparkApplication {
	app.DeletionTimestamp = ptr.To(metav1.NewTime(start))
	return app
}
