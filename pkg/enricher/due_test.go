package enricher

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func TestNextStep(t *testing.T) {
	current := attempt{submissionID: "s-1", named: true}
	failed, stopped, gone := current, current, current
	failed.failed, stopped.stopped, gone.gone = true, true, true
	unasked, over := current, current
	unasked.unasked, over.ended = true, true
	goneFailed := failed
	goneFailed.gone = true
	submission := failed
	submission.submission = true
	earlier := attempt{submissionID: "s-0", named: true}
	cases := map[string]struct {
		app   *v1beta2.SparkApplication
		known application
		t     attempt
		pod   *corev1.Pod
		want  step
		after time.Duration
	}{
		"nobody has named the submission": {app: in(v1beta2.StateSubmitted), t: attempt{submissionID: "s-1"}, pod: ended(time.Second), want: pause},
		"settled":                         {app: in(v1beta2.StateFailed), t: attempt{named: true, settled: true}, pod: ended(time.Second), want: pause},
		"the driver ended, the operator has not seen":           {app: in(v1beta2.StateRunning), t: current, pod: ended(time.Second), want: explain},
		"the driver ended, a sidecar runs on":                   {app: in(v1beta2.StateRunning), t: current, pod: withSidecar(ended(time.Second)), want: explain},
		"only a sidecar ended":                                  {app: in(v1beta2.StateRunning), t: current, pod: sidecarEnded(), want: pause},
		"an earlier attempt's driver ended":                     {app: in(v1beta2.StateSubmitted), t: earlier, pod: ended(time.Second), want: explain},
		"ended before the backfill":                             {app: in(v1beta2.StateFailed), t: failed, pod: ended(2 * time.Hour), want: dismiss},
		"ended before the backfill and held since":              {app: in(v1beta2.StatePendingRerun), t: over, pod: held(ended(2 * time.Hour)), want: explain},
		"failed long ago, without a pod":                        {app: terminated(in(v1beta2.StateFailed), 2*time.Hour), t: failed, want: dismiss},
		"failed a while ago, without a pod":                     {app: terminated(in(v1beta2.StateFailed), time.Minute), t: failed, want: explain},
		"failed just now, without a pod":                        {app: terminated(in(v1beta2.StateFailed), time.Second), t: failed, want: explain},
		"failed just now, the pod's end not seen yet":           {app: terminated(in(v1beta2.StateFailing), 3*time.Second), t: failed, pod: running(), want: pause, after: 7 * time.Second},
		"failed a while ago, the pod's end never seen":          {app: terminated(in(v1beta2.StateFailed), time.Minute), t: failed, pod: running(), want: explain},
		"the submission failed":                                 {app: in(v1beta2.StateSubmissionFailed), t: submission, want: explain},
		"the driver waits":                                      {app: in(v1beta2.StateSubmitted), t: current, pod: running(), want: explainWait},
		"the driver runs":                                       {app: in(v1beta2.StateRunning), t: current, pod: running(), want: pause},
		"the pod vanished, the operator has not seen":           {app: in(v1beta2.StateRunning), t: gone, want: pause},
		"the pod vanished and the operator says so":             {app: in(v1beta2.StateFailing), t: goneFailed, want: explain},
		"the operator stopped it and the pod is gone":           {app: in(v1beta2.StateInvalidating), t: attempt{submissionID: "s-1", named: true, gone: true, stopped: true}, want: dismiss},
		"the operator stops it":                                 {app: in(v1beta2.StateSuspending), t: stopped, pod: deletedPod(ended(time.Second), 2*time.Second), want: dismiss},
		"ended by itself, then stopped":                         {app: in(v1beta2.StateSuspending), t: stopped, pod: deletedPod(ended(3*time.Second), time.Second), want: explain},
		"somebody deletes it, undecided":                        {app: in(v1beta2.StateRunning), t: current, pod: deletedPod(ended(time.Second), 2*time.Second), want: pause},
		"somebody deleted it and it counts as failed":           {app: in(v1beta2.StateFailing), t: failed, pod: deletedPod(ended(time.Second), 2*time.Second), want: explain},
		"seen to end by itself, then deleted within the second": {app: in(v1beta2.StateRunning), t: unasked, pod: deletedPod(killed(ended(time.Second), 137), time.Second), want: explain},
		"failed and deleted within the second, after a restart": {app: in(v1beta2.StateRunning), t: current, pod: deletedPod(ended(time.Second), time.Second), want: explain},
		"stopped within the second of its deletion":             {app: in(v1beta2.StateRunning), t: current, pod: deletedPod(killed(ended(time.Second), 143), time.Second), want: pause},
		"evicted and deleted within the second":                 {app: in(v1beta2.StateRunning), t: current, pod: deletedPod(evicted(killed(ended(time.Second), 137)), time.Second), want: explain},
		"its retry is due, after a restart":                     {app: in(v1beta2.StatePendingRerun), t: over, pod: deletedPod(ended(time.Second), 2*time.Second), want: explain},
		"evicted, explained before a restart":                   {app: explainedWithoutCode(in(v1beta2.StateFailing)), t: failed, want: dismiss},
		"waited, then failed at once":                           {app: waited(in(v1beta2.StateFailed)), t: failed, pod: ended(time.Second), want: explain},
		"explained, then erased":                                {app: in(v1beta2.StateInvalidating), known: keeping(explained(in(v1beta2.StateFailed))), t: failed, pod: ended(time.Second), want: dismiss},
		"evicted and explained, then erased":                    {app: in(v1beta2.StateInvalidating), known: keeping(explainedWithoutCode(in(v1beta2.StateFailed))), t: failed, pod: ended(time.Second), want: dismiss},
		"waited, then failed, and erased":                       {app: in(v1beta2.StateFailed), known: keeping(waited(in(v1beta2.StateSubmitted))), t: failed, pod: ended(time.Second), want: explain},
		"explained before a restart":                            {app: explained(in(v1beta2.StateFailed)), t: failed, pod: ended(time.Second), want: dismiss},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, after := nextStep(tc.app, tc.known, tc.t, tc.pod, start, time.Hour)
			if got != tc.want || after != tc.after {
				t.Errorf("nextStep() = %d, %s, want %d, %s", got, after, tc.want, tc.after)
			}
		})
	}
}

func running() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "jobs", Name: "etl-driver", UID: "pod-uid", Labels: map[string]string{
				v1beta2.LabelAppName: "etl", spark.LabelRole: spark.RoleDriver,
				v1beta2.LabelLaunchedBy: "true", v1beta2.LabelSubmissionID: "s-1",
			},
			OwnerReferences: []metav1.OwnerReference{{Kind: "SparkApplication", Name: "etl", UID: "app-uid", Controller: ptr.To(true)}},
		},
		Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: spark.DriverContainer}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

func ended(ago time.Duration) *corev1.Pod {
	pod := running()
	pod.Status.Phase = corev1.PodFailed
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: spark.DriverContainer, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, Reason: "Error", FinishedAt: metav1.NewTime(start.Add(-ago)),
		}},
	}}
	return pod
}

func withSidecar(pod *corev1.Pod) *corev1.Pod {
	pod.Status.Phase = corev1.PodRunning
	pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "proxy"})
	return pod
}

func sidecarEnded() *corev1.Pod {
	pod := withSidecar(ended(time.Second))
	pod.Status.ContainerStatuses[0].Name = "proxy"
	return pod
}

// deletedPod is a pod whose deletion was asked for so long ago, with a grace period of 30 s.
func deletedPod(pod *corev1.Pod, ago time.Duration) *corev1.Pod {
	pod.DeletionGracePeriodSeconds = ptr.To[int64](30)
	pod.DeletionTimestamp = ptr.To(metav1.NewTime(start.Add(30*time.Second - ago)))
	return pod
}

func terminated(app *v1beta2.SparkApplication, ago time.Duration) *v1beta2.SparkApplication {
	app.Status.TerminationTime = ptr.To(metav1.NewTime(start.Add(-ago)))
	return app
}

func explained(app *v1beta2.SparkApplication) *v1beta2.SparkApplication {
	app.Status.Diagnostics = &failure.Diagnostics{SubmissionID: "s-1", Reason: failure.ReasonUserExit, ExitCode: ptr.To[int32](3)}
	return app
}

// waited is an application whose status tells what its driver waited for.
func waited(app *v1beta2.SparkApplication) *v1beta2.SparkApplication {
	app.Status.Diagnostics = &failure.Diagnostics{SubmissionID: "s-1", Reason: failure.ReasonUnschedulable}
	return app
}

// keeping is what is remembered of an application after it was seen so.
func keeping(app *v1beta2.SparkApplication) application {
	var a application
	a.keep(app)
	return a
}

func killed(pod *corev1.Pod, exitCode int32) *corev1.Pod {
	pod.Status.ContainerStatuses[0].State.Terminated.ExitCode = exitCode
	return pod
}

func held(pod *corev1.Pod) *corev1.Pod {
	pod.Finalizers = []string{v1beta2.FinalizerCapture}
	return pod
}

func evicted(pod *corev1.Pod) *corev1.Pod {
	pod.Status.Reason = "Evicted"
	return pod
}

func explainedWithoutCode(app *v1beta2.SparkApplication) *v1beta2.SparkApplication {
	explained(app)
	app.Status.Conditions = []metav1.Condition{{
		Type: v1beta2.ConditionExitExceptionAnnotated, Status: metav1.ConditionFalse, Reason: v1beta2.NotAnnotatedNoEvidence,
	}}
	return app
}
