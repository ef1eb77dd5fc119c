package enricher

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func TestPodsThatNameNoApplicationAreNotRemembered(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	for i := range 10 {
		pod := claimant("jobs", "", i)
		m.observePod(pod, false)
		delete(pod.Labels, v1beta2.LabelAppName)
		m.observePod(pod, true)
	}
	if pods, _ := remembered(m); pods != 0 || len(m.apps) != 0 {
		t.Errorf("%d pods of %d applications are remembered, want none", pods, len(m.apps))
	}
}

func TestPodsMadeInALoopTakeBoundedMemory(t *testing.T) {
	cases := map[string]struct {
		claims func(i int) string
		size   int
		want   int
	}{
		"for one application":                {func(int) string { return "etl" }, 0, unnamedAttempts},
		"for ever other applications":        {func(i int) string { return fmt.Sprint("app-", i) }, 0, maxUnnamedPods},
		"large ones for other applications":  {func(i int) string { return fmt.Sprint("app-", i) }, 64 << 10, maxUnnamedPods},
		"large ones for several in rotation": {func(i int) string { return fmt.Sprint("app-", i%100) }, 64 << 10, 100 * unnamedAttempts},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMemory(clocktesting.NewFakePassiveClock(start))
			for i := range 3 * maxUnnamedPods {
				pod := claimant("jobs", tc.claims(i), i)
				pod.Status.Message = strings.Repeat("x", tc.size)
				m.observePod(pod, false)
				m.observePod(pod, true)
			}
			pods, bytes := remembered(m)
			if pods == 0 || pods > tc.want || bytes > maxUnnamedBytes || len(m.apps) > tc.want {
				t.Errorf("%d pods of %d bytes and %d applications are remembered, want at most %d of %d",
					pods, bytes, len(m.apps), tc.want, maxUnnamedBytes)
			}
			if got := len(m.unnamed.byNamespace["jobs"]); got > maxUnnamedPods {
				t.Errorf("%d notes are kept", got)
			}
		})
	}
}

func TestALoopInOneNamespaceCostsAnotherNothing(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	m.observePod(claimant("quiet", "etl", 0), true)
	for i := range 3 * maxUnnamedPods {
		m.observePod(claimant("loud", fmt.Sprint("app-", i), i), true)
	}
	key := types.NamespacedName{Namespace: "quiet", Name: "etl"}
	if a := m.apps[key]; a == nil || len(a.attempts) != 1 {
		t.Errorf("remembered of the quiet namespace: %+v, want one attempt", a)
	}
}

func TestPodsThatNobodyOwnsDoNotDisplaceTheApplicationsOwn(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	app := in(v1beta2.StateRunning)
	m.observeApp(app)
	next := ended(time.Second)
	next.Labels[v1beta2.LabelSubmissionID] = "s-2"
	next.OwnerReferences = []metav1.OwnerReference{{Kind: "SparkApplication", Name: app.Name, UID: app.UID, Controller: new(true)}}
	m.observePod(next, true)
	for i := range 100 {
		m.observePod(claimant("jobs", "etl", i), true)
	}
	app.Status.SubmissionID = "s-2"
	m.observeApp(app)
	if got := find(t, m, app, "s-2"); got.pod == nil || got.pod.UID != next.UID {
		t.Errorf("attempt s-2: %+v, want its pod", got)
	}
}

func TestANamedSubmissionIsNotForgottenForOthers(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	app := in(v1beta2.StatePendingRerun)
	m.observePod(ended(time.Second), true) // before the status names it
	m.observeApp(app)
	for i := range 3 * maxUnnamedPods {
		m.observePod(claimant("jobs", fmt.Sprint("app-", i), i), true)
	}
	if got := find(t, m, app, "s-1"); got.pod == nil {
		t.Errorf("attempt s-1: %+v, want its pod", got)
	}
}

func TestPodsOfAnApplicationThatIsGoneAreForgotten(t *testing.T) {
	m := newMemory(clocktesting.NewFakePassiveClock(start))
	for i := range 10 {
		m.observePod(claimant("jobs", "etl", i), true)
	}
	m.forget(types.NamespacedName{Namespace: "jobs", Name: "etl"})
	if pods, _ := remembered(m); pods != 0 {
		t.Errorf("%d pods are remembered, want none", pods)
	}
}

// claimant is an ended pod that claims to be the driver of a submission of its own.
func claimant(namespace, app string, i int) *corev1.Pod {
	pod := ended(time.Second)
	pod.Namespace, pod.Name, pod.UID = namespace, fmt.Sprint("pod-", i), types.UID(fmt.Sprint(namespace, "-uid-", i))
	pod.Labels[v1beta2.LabelAppName], pod.Labels[v1beta2.LabelSubmissionID] = app, fmt.Sprint("claimed-", i)
	pod.OwnerReferences = nil
	return pod
}

func remembered(m *memory) (pods, bytes int) {
	for _, a := range m.apps {
		for _, t := range a.attempts {
			for _, s := range t.seenPods {
				pods, bytes = pods+1, bytes+s.pod.Size()
			}
		}
	}
	return pods, bytes
}
