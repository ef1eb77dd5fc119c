package enricher

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

// evidenceLag is how long after the operator called an attempt failed its driver pod is waited for: the two watches
// run apart.
const evidenceLag = 10 * time.Second

// step says what to do about an attempt.
type step int

const (
	// pause: nothing, until the next event.
	pause step = iota
	// explain: the attempt has ended, find out why.
	explain
	// explainWait: the driver waits, find out for what.
	explainWait
	// dismiss: too old to be explained.
	dismiss
)

// nextStep decides about one attempt of app; pod is its driver pod as far as known. If the step is pause, after says
// when to ask again (0: after the next event).
func nextStep(
	app *v1beta2.SparkApplication, known application, t attempt, pod *corev1.Pod, now time.Time, backfill time.Duration,
) (what step, after time.Duration) {
	current := t.submissionID == app.Status.SubmissionID
	switch {
	case t.settled || !t.named:
		return pause, 0
	case current && alreadyExplained(app), known.hasExplained(t.submissionID):
		return dismiss, 0
	case t.submission:
		return explain, 0
	case !t.failed && !t.ended && (t.gone || pod != nil && endedOnRequest(t, pod, app)):
		return unlessStopped(t), 0
	case pod != nil && hasEnded(pod, app) && hasFinalizer(pod):
		return explain, 0 // it was held for this, however long ago
	case pod != nil && hasEnded(pod, app):
		return unlessOld(endOf(app, pod, current), now, backfill), 0
	case t.gone:
		return explain, 0
	case !current:
		return pause, 0
	case t.failed:
		return afterLag(app, pod, now, backfill)
	case pod != nil && app.Status.ApplicationState.State == v1beta2.StateSubmitted:
		return explainWait, 0
	default:
		return pause, 0
	}
}

// alreadyExplained is true where the status holds a final diagnosis of this attempt, from before a restart. One of a
// driver that merely waited has neither.
func alreadyExplained(app *v1beta2.SparkApplication) bool {
	d := app.Status.Diagnostics
	if d == nil || d.Reason == "" || d.SubmissionID != app.Status.SubmissionID {
		return false
	}
	return d.ExitCode != nil || status.AnnotationDecided(&app.Status)
}

// endedOnRequest is true if somebody had asked for the pod's deletion before its driver ended: that alone is no
// failure, the operator does it too.
func endedOnRequest(t attempt, pod *corev1.Pod, app *v1beta2.SparkApplication) bool {
	if pod.DeletionTimestamp == nil || t.unasked {
		return false
	}
	grace := time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second
	requested := pod.DeletionTimestamp.Add(-grace)
	state := evidence.Ended(pod, app.DriverContainerName(pod))
	if state == nil || state.FinishedAt.IsZero() {
		return true
	}
	if state.FinishedAt.Time.Equal(requested) {
		return endsByDeletion(pod, state)
	}
	return state.FinishedAt.After(requested)
}

// endsByDeletion is true of what a stopped container looks like: SIGTERM, SIGKILL, or a driver that ends well on SIGTERM,
// without another cause (OOMKilled, Evicted). The times have whole seconds, and on a retry the operator deletes the pod
// within a second of its failure.
func endsByDeletion(pod *corev1.Pod, state *corev1.ContainerStateTerminated) bool {
	if pod.Status.Reason != "" || state.Reason == "OOMKilled" {
		return false
	}
	return state.ExitCode == 143 || state.ExitCode == 137 || state.ExitCode == 0
}

// unlessStopped dismisses an attempt that the operator ended, and else waits for it to say what became of it.
func unlessStopped(t attempt) step {
	if t.stopped {
		return dismiss
	}
	return pause
}

// afterLag waits a little for a pod that the operator has seen ending and this watch has not.
func afterLag(app *v1beta2.SparkApplication, pod *corev1.Pod, now time.Time, backfill time.Duration) (step, time.Duration) {
	ended := endOf(app, nil, true)
	if wait := ended.Add(evidenceLag).Sub(now); wait > 0 && pod != nil {
		return pause, wait
	}
	return unlessOld(ended, now, backfill), 0
}

// unlessOld dismisses what ended before the time that a start looks back.
func unlessOld(ended, now time.Time, backfill time.Duration) step {
	if !ended.IsZero() && now.Sub(ended) > backfill {
		return dismiss
	}
	return explain
}

// endOf returns when an attempt ended, or the zero time where nobody has noted it.
func endOf(app *v1beta2.SparkApplication, pod *corev1.Pod, current bool) time.Time {
	if pod != nil {
		if state := evidence.Ended(pod, app.DriverContainerName(pod)); state != nil && !state.FinishedAt.IsZero() {
			return state.FinishedAt.Time
		}
	}
	if !current {
		return time.Time{}
	}
	for _, t := range []*metav1.Time{app.Status.TerminationTime, app.Status.LastSubmissionAttemptTime} {
		if !t.IsZero() {
			return t.Time
		}
	}
	return time.Time{}
}

func hasEnded(pod *corev1.Pod, app *v1beta2.SparkApplication) bool {
	return evidence.HasEnded(pod, app.DriverContainerName(pod))
}

// waitingSince is when the driver pod began to wait.
func waitingSince(pod *corev1.Pod) time.Time {
	if pod.Status.StartTime != nil {
		return pod.Status.StartTime.Time
	}
	return pod.CreationTimestamp.Time
}
