package script

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func podOf(names ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u"}}
	for _, name := range names {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: name, Image: "spark"})
	}
	return pod
}

func TestDriverContainer(t *testing.T) {
	cases := map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"Spark's own name wins wherever it stands":       {podOf("proxy", "spark-kubernetes-driver"), "spark-kubernetes-driver"},
		"a renamed driver is the first container":        {podOf("main", "proxy"), "main"},
		"without containers it is what Spark would make": {podOf(), "spark-kubernetes-driver"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := DriverContainer(tc.pod); got != tc.want {
				t.Errorf("DriverContainer() = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestPhaseAfterContainersEnd(t *testing.T) {
	end := func(code int32) corev1.ContainerStateTerminated {
		return corev1.ContainerStateTerminated{ExitCode: code}
	}
	now := metav1.Now()
	cases := map[string]struct {
		pod  *corev1.Pod
		ends map[string]int32
		want corev1.PodPhase
	}{
		"the only container succeeds":                 {podOf("spark-kubernetes-driver"), map[string]int32{"spark-kubernetes-driver": 0}, corev1.PodSucceeded},
		"the only container fails":                    {podOf("spark-kubernetes-driver"), map[string]int32{"spark-kubernetes-driver": 1}, corev1.PodFailed},
		"a sidecar keeps the pod running":             {podOf("spark-kubernetes-driver", "proxy"), map[string]int32{"spark-kubernetes-driver": 1}, corev1.PodRunning},
		"a sidecar that ends leaves the driver's end": {podOf("spark-kubernetes-driver", "proxy"), map[string]int32{"spark-kubernetes-driver": 1, "proxy": 0}, corev1.PodFailed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			setRunning(tc.pod, now)
			for container, code := range tc.ends {
				setTerminated(tc.pod, container, end(code), now)
			}
			if got := tc.pod.Status.Phase; got != tc.want {
				t.Errorf("phase = %s, want %s", got, tc.want)
			}
		})
	}
}

func TestATerminatedContainerKeepsWhenItStarted(t *testing.T) {
	started, ended := metav1.NewTime(time.Unix(1000, 0)), metav1.NewTime(time.Unix(1060, 0))
	pod := podOf("spark-kubernetes-driver")
	setWaiting(pod, "ContainerCreating", "", started)
	setRunning(pod, started)
	setTerminated(pod, "spark-kubernetes-driver", corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}, ended)
	want := &corev1.ContainerStateTerminated{
		ExitCode: 137, Reason: "OOMKilled", StartedAt: started, FinishedAt: ended, ContainerID: "containerd://u-spark-kubernetes-driver",
	}
	if diff := cmp.Diff(want, Terminated(pod)); diff != "" {
		t.Errorf("terminated state (-want +got):\n%s", diff)
	}
}

func TestSetConditionKeepsTheTimeOfAnUnchangedValue(t *testing.T) {
	first, second := metav1.NewTime(time.Unix(1, 0)), metav1.NewTime(time.Unix(2, 0))
	status := &corev1.PodStatus{}
	SetCondition(status, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "A"}, first)
	SetCondition(status, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "B"}, second)
	SetCondition(status, corev1.PodCondition{Type: corev1.PodInitialized, Status: corev1.ConditionTrue}, second)
	want := []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "B", LastTransitionTime: first},
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: second},
	}
	if diff := cmp.Diff(want, status.Conditions); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}

func TestForAttempt(t *testing.T) {
	s := Script{Attempts: []Attempt{{Unschedulable: "first"}, {Unschedulable: "second"}}}
	cases := map[string]struct {
		script Script
		number int
		want   string
	}{
		"the first attempt":                      {s, 1, "first"},
		"the second attempt":                     {s, 2, "second"},
		"later attempts repeat the last":         {s, 7, "second"},
		"a number below one means the first":     {s, 0, "first"},
		"a script without attempts does nothing": {Script{}, 3, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.script.ForAttempt(tc.number).Unschedulable; got != tc.want {
				t.Errorf("ForAttempt(%d) = %q, want %q", tc.number, got, tc.want)
			}
		})
	}
}

func TestLastLines(t *testing.T) {
	cases := map[string]struct {
		text string
		n    int
		want string
	}{
		"fewer lines than asked for":    {"a\nb\n", 5, "a\nb\n"},
		"the last two":                  {"a\nb\nc\n", 2, "b\nc\n"},
		"a last line without its break": {"a\nb\nc", 2, "b\nc"},
		"empty lines count":             {"a\n\n\n", 2, "\n\n"},
		"nothing of nothing":            {"", 3, ""},
		"one line that is only a break": {"\n", 1, "\n"},
		"as many lines as there are":    {"a\nb\n", 2, "a\nb\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := string(LastLines([]byte(tc.text), tc.n)); got != tc.want {
				t.Errorf("LastLines() = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestShiftMovesTheLatestTimeToNow(t *testing.T) {
	at := func(seconds int64) metav1.Time { return metav1.NewTime(time.Unix(seconds, 0)) }
	status := &corev1.PodStatus{
		StartTime: new(at(100)),
		ContainerStatuses: []corev1.ContainerStatus{
			{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{StartedAt: at(110), FinishedAt: at(160)}}},
			{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}},
		},
	}
	shift(status, time.Unix(5000, 0))
	end := status.ContainerStatuses[0].State.Terminated
	got := []int64{status.StartTime.Unix(), end.StartedAt.Unix(), end.FinishedAt.Unix()}
	if diff := cmp.Diff([]int64{4940, 4950, 5000}, got); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
	if unknown := status.ContainerStatuses[1].State.Terminated.FinishedAt; !unknown.IsZero() {
		t.Errorf("an unknown time became %s", unknown)
	}
}
