package enricher

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

func TestAPodIsHeldUntilTheStatusNamesItsSubmission(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	m := newMemory(clock)
	next := ended(time.Second)
	next.Labels[v1beta2.LabelSubmissionID] = "s-2"
	m.observePod(next, false)
	app := in(v1beta2.StatePendingRerun)
	m.observeApp(app)
	if got := find(t, m, app, "s-2"); got.named || got.pod == nil {
		t.Errorf("before the status names it: %+v, want a pod that nobody named", got)
	}
	app.Status.SubmissionID, app.Status.ExecutionAttempts = "s-2", 2
	m.observeApp(app)
	if got := find(t, m, app, "s-2"); !got.named || got.number != 2 {
		t.Errorf("after the status named it: %+v, want it named, attempt 2", got)
	}
}

func TestAPodThatNobodyNamesIsDroppedAfterTenMinutes(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	m := newMemory(clock)
	stray := ended(time.Second)
	stray.Labels[v1beta2.LabelSubmissionID] = "s-9"
	m.observePod(stray, false)
	app := in(v1beta2.StateRunning)
	m.observeApp(app)
	clock.SetTime(start.Add(10*time.Minute + time.Second))
	for _, got := range m.snapshot(app).attempts {
		if got.submissionID == "s-9" {
			t.Errorf("still remembered: %+v", got)
		}
	}
}

func TestWhatAStateTellsOfItsAttempt(t *testing.T) {
	cases := map[string]struct {
		state                              v1beta2.State
		attempts                           int32
		wantFailed, wantStopped, wantEnded bool
	}{
		"running":                       {state: v1beta2.StateRunning, attempts: 1},
		"failing":                       {state: v1beta2.StateFailing, attempts: 1, wantFailed: true},
		"retried":                       {state: v1beta2.StatePendingRerun, attempts: 1, wantEnded: true},
		"ended for a new specification": {state: v1beta2.StatePendingRerun, wantStopped: true},
		"being ended for that":          {state: v1beta2.StateInvalidating, attempts: 1, wantStopped: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMemory(clocktesting.NewFakePassiveClock(start))
			app := in(tc.state)
			app.Status.ExecutionAttempts = tc.attempts
			m.observeApp(app)
			got := find(t, m, app, "s-1")
			if got.failed != tc.wantFailed || got.stopped != tc.wantStopped || got.ended != tc.wantEnded {
				t.Errorf("failed %t, stopped %t, ended %t", got.failed, got.stopped, got.ended)
			}
		})
	}
}

func TestAnEndBeforeTheDeletionIsRemembered(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	app := in(v1beta2.StateRunning)
	m.observeApp(app)
	m.observePod(ended(time.Second), false)
	m.observePod(deletedPod(ended(time.Second), time.Second), false)
	m.observePod(deletedPod(ended(time.Second), time.Second), true)
	if got := find(t, m, app, "s-1"); !got.unasked || !got.gone {
		t.Errorf("unasked %t, gone %t, want both", got.unasked, got.gone)
	}
}

func TestANamesakeInheritsNothing(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	app := in(v1beta2.StateFailed)
	m.observeApp(app)
	m.update(app, "s-1", func(t *attempt) { t.settled, t.record = true, &status.Record{SubmissionID: "s-1", Failed: true} })
	namesake := in(v1beta2.StateSubmitted)
	namesake.UID, namesake.Status.SubmissionID = "other-uid", "s-7"
	m.observeApp(namesake)
	known := m.snapshot(namesake)
	if got := known.records(v1beta2.StateSubmitted); len(got) != 0 {
		t.Errorf("records = %+v, want none", got)
	}
	m.update(app, "s-1", func(t *attempt) { t.evented = true })
	if m.evented(namesake, "s-1") {
		t.Error("a late update of the deleted application reached its namesake")
	}
}

func TestAChangedSpecificationMakesQuiet(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	m := newMemory(clock)
	app := in(v1beta2.StateFailed)
	m.observeApp(app)
	if got := m.snapshot(app).quietUntil; got.After(start) {
		t.Errorf("quiet until %s for the first generation, want no quiet", got)
	}
	app.Generation = 2
	m.observeApp(app)
	want := start.Add(quietAfterSpecChange)
	clock.SetTime(start.Add(time.Second))
	m.observeApp(app)
	if got := m.snapshot(app).quietUntil; !got.Equal(want) {
		t.Errorf("quiet until %s, want %s, not prolonged by later events", got, want)
	}
}

func TestWhatADriverWaitedForCountsOnlyWhileItMayWait(t *testing.T) {
	a := application{attempts: []attempt{{named: true, record: &status.Record{SubmissionID: "s-1"}}}}
	if got := a.records(v1beta2.StateSubmitted); len(got) != 1 {
		t.Errorf("records in SUBMITTED = %+v, want one", got)
	}
	if got := a.records(v1beta2.StateRunning); len(got) != 0 {
		t.Errorf("records in RUNNING = %+v, want none", got)
	}
}

func TestTheOperatorsWordOnAnAttemptIsKept(t *testing.T) {
	cases := map[v1beta2.State]struct{ failed, stopped, submission, app bool }{
		v1beta2.StateFailing:          {failed: true, app: true},
		v1beta2.StateFailed:           {failed: true},
		v1beta2.StateSubmissionFailed: {failed: true, submission: true, app: true},
		v1beta2.StateInvalidating:     {stopped: true},
		v1beta2.StateSuspending:       {stopped: true},
		v1beta2.StateRunning:          {},
		v1beta2.StatePendingRerun:     {},
	}
	for state, want := range cases {
		t.Run(string(state), func(t *testing.T) {
			m := newMemory(clocktesting.NewFakePassiveClock(start))
			m.observeApp(in(state))
			later := in(v1beta2.StatePendingRerun)
			m.observeApp(later)
			got := find(t, m, later, "s-1")
			if got.failed != want.failed || got.stopped != want.stopped || got.submission != want.submission ||
				(got.app != nil) != want.app {
				t.Errorf("attempt = %+v, want %+v", got, want)
			}
		})
	}
}

func TestErasureStopsAfterThreeRoundsAndTriesAgainLater(t *testing.T) {
	var e erasure
	for i, version := range []string{"10", "10", "11", "12"} {
		if e.pausing(start) {
			t.Errorf("pausing before version %d was noted", i)
		}
		e.note(version, start)
	}
	if !e.pausing(start) || e.rounds != 3 {
		t.Errorf("after three versions: %+v, want a pause", e)
	}
	if e.pausing(start.Add(erasurePause)) {
		t.Error("the pause does not end")
	}
}

func TestAStatusIsErasedOnlyAfterItsWriteWasSeen(t *testing.T) {
	app := in(v1beta2.StateFailed)
	app.ResourceVersion = "41"
	a := application{written: "42", storedID: "s-1", storedGeneration: 1}
	if a.erased(app) || !a.stale(app) {
		t.Error("an older version than our write counts as erased")
	}
	app.ResourceVersion = "43"
	if !a.erased(app) {
		t.Error("a later version without diagnostics does not count as erased")
	}
	app.Generation = 2
	if a.erased(app) {
		t.Error("what the operator erases for a new specification counts as erased")
	}
	app.Generation = 1
	app.Status.Diagnostics = &failure.Diagnostics{SubmissionID: "s-1"}
	if a.erased(app) {
		t.Error("a version with the diagnostics counts as erased")
	}
	app.Status.Diagnostics, app.Status.SubmissionID = nil, "s-2"
	if a.erased(app) {
		t.Error("the next attempt counts as erased")
	}
}

func find(t *testing.T, m *memory, app *v1beta2.SparkApplication, submissionID string) attempt {
	t.Helper()
	for _, a := range m.snapshot(app).attempts {
		if a.submissionID == submissionID {
			return a
		}
	}
	t.Fatalf("no attempt %s is remembered", submissionID)
	return attempt{}
}

func TestAPodThatMerelyClaimsToBeTheDriverDoesNotHideIt(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	app := in(v1beta2.StateRunning)
	app.Status.DriverInfo.PodName = "etl-driver"
	claimant := ended(time.Second)
	claimant.Name, claimant.UID = "impostor", "impostor-uid"
	m.observePod(claimant, true)
	m.observePod(ended(time.Second), false)
	m.observeApp(app)
	got := find(t, m, app, "s-1")
	if got.pod == nil || got.pod.Name != "etl-driver" || got.gone {
		t.Errorf("driver pod = %+v, want the one that the status names", got.pod)
	}
}

func TestAClaimantAloneIsNoEvidence(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	app := in(v1beta2.StateRunning)
	app.Status.DriverInfo.PodName = "etl-driver"
	claimant := ended(time.Second)
	claimant.Name = "impostor"
	m.observePod(claimant, true)
	m.observeApp(app)
	if got := find(t, m, app, "s-1"); got.pod != nil || got.gone {
		t.Errorf("attempt = %+v, want no pod", got)
	}
}

func TestAnEndlesslyRestartedApplicationTakesBoundedMemory(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	app := in(v1beta2.StateRunning)
	for i := range 200 {
		app.Status.SubmissionID = fmt.Sprintf("s-%d", i)
		m.observeApp(app)
		m.update(app, app.Status.SubmissionID, func(t *attempt) { t.settle(&status.Record{SubmissionID: t.submissionID, Failed: true}) })
	}
	got := m.snapshot(app).attempts
	if len(got) != rememberedAttempts || got[len(got)-1].submissionID != "s-199" {
		t.Errorf("%d attempts are remembered, the last %s; want the last %d", len(got), got[len(got)-1].submissionID, rememberedAttempts)
	}
}

func TestSinceWhenAStateIsSeen(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	m := newMemory(clock)
	steps := []struct {
		state v1beta2.State
		at    time.Duration
		want  time.Duration
	}{
		{v1beta2.StateFailing, 0, 0},
		{v1beta2.StateFailed, 3 * time.Second, 3 * time.Second},
		{v1beta2.StateFailed, 4 * time.Second, 3 * time.Second},
		{v1beta2.StateInvalidating, 9 * time.Second, 9 * time.Second},
	}
	for _, step := range steps {
		clock.SetTime(start.Add(step.at))
		app := in(step.state)
		m.observeApp(app)
		if got := m.snapshot(app).stateSince.Sub(start); got != step.want {
			t.Errorf("%s at %s is seen since %s, want %s", step.state, step.at, got, step.want)
		}
	}
}

func TestDecoysDoNotDisplaceTheDriver(t *testing.T) {
	decoy := func(i int, owned bool) *corev1.Pod {
		pod := ended(time.Second)
		pod.Name, pod.UID = fmt.Sprintf("decoy-%d", i), types.UID(fmt.Sprint("decoy-", i))
		if !owned {
			pod.OwnerReferences = nil
		}
		return pod
	}
	cases := map[string]struct {
		owned   bool   // the decoys name the application as their owner
		podName string // in the status
		pod     func(*corev1.Pod)
	}{
		"without an owner": {pod: func(*corev1.Pod) {}},
		"without an owner, the driver has none either": {podName: "etl-driver", pod: func(p *corev1.Pod) { p.OwnerReferences = nil }},
		"with the driver's owner":                      {owned: true, podName: "etl-driver", pod: func(*corev1.Pod) {}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMemory(clocktesting.NewFakePassiveClock(start))
			app := in(v1beta2.StateRunning)
			app.Status.DriverInfo.PodName = tc.podName
			m.observeApp(app)
			for i := range 2 * claimantLimit {
				m.observePod(decoy(i, tc.owned), false)
			}
			driver := ended(time.Second)
			tc.pod(driver)
			m.observePod(driver, true)
			retried := app.DeepCopy()
			retried.Status.ApplicationState.State, retried.Status.DriverInfo.PodName = v1beta2.StatePendingRerun, ""
			m.observeApp(retried)
			if got := find(t, m, retried, "s-1"); got.pod == nil || got.pod.UID != driver.UID {
				t.Errorf("the driver is %v, want %s", got.pod, driver.Name)
			}
		})
	}
}
