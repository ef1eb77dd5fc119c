package enricher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
)

// settleTime lies between our last write to an application and the release of its driver pod: the operator would
// submit from a stale cache and hang.
const settleTime = 2 * time.Second

// catchUpTime is what the operator has after an outage of the API server to resume its watch of applications, whose
// pauses grow to half a minute.
const catchUpTime = 30 * time.Second

// takeoverTime is what an enricher that has just come has at least to record what is overdue.
const takeoverTime = 30 * time.Second

// namingTime is how long after its end or its deletion a driver pod is held whose submission no status has named: the
// operator names it once spark-submit returns.
const namingTime = 30 * time.Second

// verdict says whether a driver pod's finalizer may go; a doubtful one rests on an application from the cache and is to
// be confirmed by the API server.
type verdict struct {
	release, doubtful bool
	// why tells the reader of the log.
	why   string
	after time.Duration
}

func release(why string) verdict { return verdict{release: true, why: why} }

// custody is what the release of all pods depends on.
type custody struct {
	enabled bool
	timeout time.Duration
	// outage is when the API server last failed to serve applications.
	outage time.Time
}

func (r *Reconciler) custody() custody {
	return custody{enabled: *r.Config.CaptureFinalizer, timeout: r.Config.CaptureTimeout.Duration, outage: r.outages.latest()}
}

// isOverdue is true of a pod that has been ready to go for longer than any failure to record it may hold it.
func isOverdue(app *v1beta2.SparkApplication, pod *corev1.Pod, c custody, now time.Time) bool {
	return mayGo(app, pod) && !heldSince(app, pod).Add(c.timeout).After(now)
}

// verdictOn decides about one pod of app that carries the finalizer.
func verdictOn(app *v1beta2.SparkApplication, known application, pod *corev1.Pod, c custody, now time.Time) verdict {
	if !c.enabled {
		return release("the feature is switched off")
	}
	if disowned(app, pod) {
		return verdict{release: true, doubtful: true, why: "no application owns it"}
	}
	if !mayGo(app, pod) {
		return verdict{}
	}
	wrote := latest(known.writtenAt, known.since)
	if wait := wrote.Add(settleTime).Sub(now); wait > 0 {
		return verdict{after: wait}
	}
	if passedOver(app, known, pod) {
		return release("the operator has submitted anew without knowing of it")
	}
	overdue := max(latest(heldSince(app, pod).Add(c.timeout), known.since.Add(takeoverTime)).Sub(now), 0)
	if wait := c.outage.Add(catchUpTime).Sub(now); wait > 0 && c.outage.Before(wrote.Add(settleTime)) && overdue > 0 {
		return verdict{after: min(wait, overdue)}
	}
	switch id := evidence.SubmissionID(pod); {
	case inStatus(app, id), known.remembered(id).evented && !known.stale(app): // told of, so the status has held it
		return release("its failure is recorded")
	case nothingToRecord(known, id):
		return release("there is nothing to record")
	case overdue == 0:
		return release("its time is up")
	default:
		return unlessForgotten(app, known, pod, overdue, now)
	}
}

// unlessForgotten holds a pod until it is overdue, or until it has been ready to go for so long that no status will name
// its submission any more. That is doubtful, since the cache may be behind.
func unlessForgotten(
	app *v1beta2.SparkApplication, known application, pod *corev1.Pod, overdue time.Duration, now time.Time,
) verdict {
	if !nameless(app, known, pod) {
		return verdict{after: overdue}
	}
	if wait := heldSince(app, pod).Add(namingTime).Sub(now); wait > 0 {
		return verdict{after: min(wait, overdue)}
	}
	return verdict{release: true, doubtful: true, why: "no status has named its submission"}
}

// disowned is true of a pod that is not the application's, or whose application is being deleted.
func disowned(app *v1beta2.SparkApplication, pod *corev1.Pod) bool {
	return !evidence.MayBelongTo(pod, app) || !app.DeletionTimestamp.IsZero()
}

// confirm puts a doubtful verdict to the application as the API server has it: the cache may still show the namesake
// before it, or a time before it named the pod's submission.
func (r *Reconciler) confirm(
	ctx context.Context, cached *v1beta2.SparkApplication, known application, pod *corev1.Pod, c custody, v verdict,
) (verdict, error) {
	key, app := client.ObjectKeyFromObject(cached), &v1beta2.SparkApplication{}
	switch err := r.Live.Get(ctx, key, app); {
	case isGone(err):
		return release(v.why), nil
	case err != nil && isOverdue(cached, pod, c, r.Clock.Now()):
		return release("its time is up"), nil
	case err != nil:
		return verdict{}, fmt.Errorf("asking for the application: %w", err)
	case verdictOn(app, known, pod, c, r.Clock.Now()).release:
		return release(v.why), nil
	default:
		return verdict{after: settleTime}, nil
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// passedOver is true of a pod whose submission no status will ever name, because the operator ended in the middle of it
// and has submitted anew since: it waits for this pod to go.
func passedOver(app *v1beta2.SparkApplication, known application, pod *corev1.Pod) bool {
	return nameless(app, known, pod) && app.Status.LastSubmissionAttemptTime != nil &&
		app.Status.LastSubmissionAttemptTime.After(pod.CreationTimestamp.Time)
}

// nameless is true of a pod whose submission no status has named as far as is known.
func nameless(app *v1beta2.SparkApplication, known application, pod *corev1.Pod) bool {
	id := evidence.SubmissionID(pod)
	return !known.remembered(id).named && id != app.Status.SubmissionID
}

// isUnheard is true of a pod that the operator waits for to go and whose deletion it would pass over, because the
// status names another submission: the application would hang.
func isUnheard(app *v1beta2.SparkApplication, pod *corev1.Pod) bool {
	return app.Status.ApplicationState.State == v1beta2.StatePendingRerun && pod.DeletionTimestamp != nil &&
		evidence.MayBelongTo(pod, app) && evidence.SubmissionID(pod) != app.Status.SubmissionID
}

// mayGo is true once the driver has ended or somebody wants the pod deleted.
func mayGo(app *v1beta2.SparkApplication, pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil || hasEnded(pod, app)
}

// heldSince is when the pod could have been recorded at first.
func heldSince(app *v1beta2.SparkApplication, pod *corev1.Pod) time.Time {
	if state := evidence.Ended(pod, app.DriverContainerName(pod)); state != nil && !state.FinishedAt.IsZero() {
		return state.FinishedAt.Time
	}
	if pod.DeletionTimestamp != nil {
		return pod.DeletionTimestamp.Time
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.LastTransitionTime.Time
		}
	}
	return pod.CreationTimestamp.Time
}

// nothingToRecord is true of an attempt that was well, was stopped, or is too old.
func nothingToRecord(known application, submissionID string) bool {
	t := known.remembered(submissionID)
	return t.settled && t.record == nil
}

// release puts the finalizer onto driver pods where no policy does, and takes it off those that are recorded.
func (r *Reconciler) release(ctx context.Context, app *v1beta2.SparkApplication, pods []corev1.Pod) (time.Duration, error) {
	known := r.memory.snapshot(app)
	c := r.custody()
	var soonest time.Duration
	var failures []error
	for i := range pods {
		if !hasFinalizer(&pods[i]) {
			failures = append(failures, r.hold(ctx, app, &pods[i], c.enabled))
			continue
		}
		after, err := r.releaseOne(ctx, app, known, &pods[i], c)
		failures = append(failures, err)
		soonest = sooner(soonest, after)
	}
	return soonest, errors.Join(failures...)
}

// releaseOne decides about a pod with the finalizer, and returns when to ask again.
func (r *Reconciler) releaseOne(
	ctx context.Context, app *v1beta2.SparkApplication, known application, pod *corev1.Pod, c custody,
) (time.Duration, error) {
	v := verdictOn(app, known, pod, c, r.Clock.Now())
	var err error
	if v.doubtful {
		if v, err = r.confirm(ctx, app, known, pod, c, v); err != nil {
			return 0, err
		}
	}
	if !v.release {
		return v.after, nil
	}
	if isUnheard(app, pod) {
		if err := r.makeHeard(ctx, pod); err != nil {
			return 0, err
		}
	}
	return 0, r.letGo(ctx, app, pod, v.why)
}

// holdsOld is true while our finalizer keeps the driver pod of the submission that the status still names.
// A pod that was released counts no more, though the cache may still show it held.
func (r *Reconciler) holdsOld(app *v1beta2.SparkApplication, known application, pods []corev1.Pod) bool {
	id := app.Status.SubmissionID
	current := known.remembered(id)
	return *r.Config.CaptureFinalizer && !current.released && slices.ContainsFunc(pods, func(p corev1.Pod) bool {
		return hasFinalizer(&p) && evidence.BelongsTo(&p, app, current.podName) && evidence.SubmissionID(&p) == id
	})
}

// releaseAll frees the pods of an application that is gone.
func (r *Reconciler) releaseAll(ctx context.Context, pods []corev1.Pod) error {
	return r.releaseUnowned(ctx, pods, "the application is gone")
}

// releaseOverdue frees the pods whose time is up of an application of which nothing is known.
func (r *Reconciler) releaseOverdue(ctx context.Context, pods []corev1.Pod) error {
	unknown, c, now := &v1beta2.SparkApplication{}, r.custody(), r.Clock.Now()
	overdue := slices.DeleteFunc(slices.Clone(pods), func(pod corev1.Pod) bool { return !isOverdue(unknown, &pod, c, now) })
	return r.releaseUnowned(ctx, overdue, "its time is up")
}

func (r *Reconciler) releaseUnowned(ctx context.Context, pods []corev1.Pod, why string) error {
	var failures []error
	for i := range pods {
		if !hasFinalizer(&pods[i]) {
			continue
		}
		gone, err := r.removeFinalizer(ctx, &pods[i])
		failures = append(failures, err)
		if gone {
			tellRelease(ctx, &pods[i], why)
		}
	}
	return errors.Join(failures...)
}
