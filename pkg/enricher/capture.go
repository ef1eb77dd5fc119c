package enricher

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
	"github.com/spark-status-enricher/enricher/pkg/enricher/patch"
)

// settleTime lies between our last write to an application and the release of its driver pod: the operator would
// submit from a stale cache and hang.
const settleTime = 2 * time.Second

// catchUpTime is what the operator has after an outage of the API server to resume its watch of applications, whose
// pauses grow to half a minute.
const catchUpTime = 30 * time.Second

// captureManager tells writes of the finalizer from those of the annotation, for whoever reads the audit log.
const captureManager = "spark-status-enricher-capture"

// takeoverTime is what an enricher that has just come has at least to record what is overdue.
const takeoverTime = 30 * time.Second

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

// verdictOn decides about one pod of app that carries the finalizer.
func verdictOn(app *v1beta2.SparkApplication, known application, pod *corev1.Pod, c custody, now time.Time) verdict {
	if !c.enabled {
		return release("the feature is switched off")
	}
	if disowned(app, pod) {
		return verdict{release: true, doubtful: true}
	}
	if !mayGo(app, pod) {
		return verdict{}
	}
	wrote := latest(known.writtenAt, known.since)
	if wait := wrote.Add(settleTime).Sub(now); wait > 0 {
		return verdict{after: wait}
	}
	overdue := max(latest(heldSince(app, pod).Add(c.timeout), known.since.Add(takeoverTime)).Sub(now), 0)
	if wait := c.outage.Add(catchUpTime).Sub(now); wait > 0 && c.outage.Before(wrote.Add(settleTime)) && overdue > 0 {
		return verdict{after: min(wait, overdue)}
	}
	switch id := evidence.SubmissionID(pod); {
	case inStatus(app, id):
		return release("its failure is recorded")
	case nothingToRecord(known, id):
		return release("there is nothing to record")
	case passedOver(app, known, pod):
		return release("the operator has submitted anew without knowing of it")
	case overdue == 0:
		return release("its time is up")
	default:
		return verdict{after: overdue}
	}
}

// disowned is true of a pod that is not the application's, or whose application is being deleted.
func disowned(app *v1beta2.SparkApplication, pod *corev1.Pod) bool {
	return !evidence.BelongsTo(pod, app) || !app.DeletionTimestamp.IsZero()
}

// confirm asks the API server whether a pod is disowned: the cache may still show the namesake before the application.
func (r *Reconciler) confirm(ctx context.Context, key client.ObjectKey, pod *corev1.Pod) (verdict, error) {
	app := &v1beta2.SparkApplication{}
	err := r.Live.Get(ctx, key, app)
	switch {
	case isGone(err) || err == nil && disowned(app, pod):
		return release("no application owns it"), nil
	case err != nil:
		return verdict{}, fmt.Errorf("asking for the application: %w", err)
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
	id := evidence.SubmissionID(pod)
	named := slices.ContainsFunc(known.attempts, func(t attempt) bool { return t.submissionID == id && t.named })
	return !named && id != app.Status.SubmissionID && app.Status.LastSubmissionAttemptTime != nil &&
		app.Status.LastSubmissionAttemptTime.After(pod.CreationTimestamp.Time)
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
	return slices.ContainsFunc(known.attempts, func(t attempt) bool {
		return t.submissionID == submissionID && t.settled && t.record == nil
	})
}

// release puts the finalizer onto driver pods where no policy does, and takes it off those that are recorded.
func (r *Reconciler) release(ctx context.Context, app *v1beta2.SparkApplication, pods []corev1.Pod) (time.Duration, error) {
	known := r.memory.snapshot(app)
	c := custody{enabled: *r.Config.CaptureFinalizer, timeout: r.Config.CaptureTimeout.Duration, outage: r.outages.latest()}
	var soonest time.Duration
	for i := range pods {
		if !hasFinalizer(&pods[i]) {
			if err := r.hold(ctx, app, &pods[i], c.enabled); err != nil {
				return 0, err
			}
			continue
		}
		after, err := r.releaseOne(ctx, app, known, &pods[i], c)
		if err != nil {
			return 0, err
		}
		soonest = sooner(soonest, after)
	}
	return soonest, nil
}

// releaseOne decides about a pod with the finalizer, and returns when to ask again.
func (r *Reconciler) releaseOne(
	ctx context.Context, app *v1beta2.SparkApplication, known application, pod *corev1.Pod, c custody,
) (time.Duration, error) {
	v := verdictOn(app, known, pod, c, r.Clock.Now())
	var err error
	if v.doubtful {
		if v, err = r.confirm(ctx, client.ObjectKeyFromObject(app), pod); err != nil {
			return 0, err
		}
	}
	if !v.release {
		return v.after, nil
	}
	return 0, r.letGo(ctx, app, pod, v.why)
}

// holdsOld is true while our finalizer keeps the driver pod of the submission that the status still names.
// A pod that was released counts no more, though the cache may still show it held.
func (r *Reconciler) holdsOld(app *v1beta2.SparkApplication, known application, pods []corev1.Pod) bool {
	id := app.Status.SubmissionID
	released := slices.ContainsFunc(known.attempts, func(t attempt) bool { return t.submissionID == id && t.released })
	return *r.Config.CaptureFinalizer && !released && slices.ContainsFunc(pods, func(p corev1.Pod) bool {
		return hasFinalizer(&p) && evidence.BelongsTo(&p, app) && evidence.SubmissionID(&p) == id
	})
}

// releaseAll frees the pods of an application that is gone.
func (r *Reconciler) releaseAll(ctx context.Context, pods []corev1.Pod) error {
	for i := range pods {
		if !hasFinalizer(&pods[i]) {
			continue
		}
		gone, err := r.removeFinalizer(ctx, &pods[i])
		if err != nil {
			return err
		}
		if gone {
			tellRelease(ctx, &pods[i], "the application is gone")
		}
	}
	return nil
}

func (r *Reconciler) hold(ctx context.Context, app *v1beta2.SparkApplication, pod *corev1.Pod, enabled bool) error {
	if !enabled || pod.DeletionTimestamp != nil || hasEnded(pod, app) || !evidence.BelongsTo(pod, app) {
		return nil
	}
	ops := []patch.Operation{patch.Test("/metadata/uid", pod.UID)}
	if len(pod.Finalizers) == 0 {
		ops = append(ops, patch.Test("/metadata/finalizers", nil), patch.Add("/metadata/finalizers", []string{v1beta2.FinalizerCapture}))
	} else {
		ops = append(ops, patch.Test("/metadata/finalizers", pod.Finalizers), patch.Add("/metadata/finalizers/-", v1beta2.FinalizerCapture))
	}
	held, err := r.patchFinalizers(ctx, pod, ops)
	if held {
		r.memory.update(app, evidence.SubmissionID(pod), func(t *attempt) { t.released = false })
	}
	return err
}

// letGo takes the finalizer off and remembers it: from then on the operator may submit.
func (r *Reconciler) letGo(ctx context.Context, app *v1beta2.SparkApplication, pod *corev1.Pod, why string) error {
	gone, err := r.removeFinalizer(ctx, pod)
	if gone {
		tellRelease(ctx, pod, why)
		r.memory.update(app, evidence.SubmissionID(pod), func(t *attempt) { t.released = true })
	}
	return err
}

func (r *Reconciler) removeFinalizer(ctx context.Context, pod *corev1.Pod) (bool, error) {
	path := fmt.Sprintf("/metadata/finalizers/%d", slices.Index(pod.Finalizers, v1beta2.FinalizerCapture))
	return r.patchFinalizers(ctx, pod, []patch.Operation{
		patch.Test("/metadata/uid", pod.UID), patch.Test(path, v1beta2.FinalizerCapture), patch.Remove(path),
	})
}

// patchFinalizers reports whether the patch was made. It is content with a pod that is gone or has changed meanwhile:
// its next event brings it up again.
func (r *Reconciler) patchFinalizers(ctx context.Context, pod *corev1.Pod, ops []patch.Operation) (bool, error) {
	data, err := patch.Marshal(ops)
	if err != nil {
		return false, err
	}
	_, err = r.Clientset.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.JSONPatchType, data, metav1.PatchOptions{
		FieldManager: captureManager,
	})
	r.Metrics.wrote("finalizer", err)
	if err == nil || apierrors.IsNotFound(err) || patch.IsUnexpected(err) {
		return err == nil, nil
	}
	return false, fmt.Errorf("patching finalizers of pod %s/%s: %w", pod.Namespace, pod.Name, err)
}

func tellRelease(ctx context.Context, pod *corev1.Pod, why string) {
	log.FromContext(ctx).Info("Released a driver pod", "pod", pod.Name, "submissionID", evidence.SubmissionID(pod), "why", why)
}

func hasFinalizer(pod *corev1.Pod) bool {
	return slices.Contains(pod.Finalizers, v1beta2.FinalizerCapture)
}
