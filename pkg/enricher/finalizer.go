package enricher

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
	"github.com/spark-status-enricher/enricher/pkg/enricher/patch"
)

// captureManager tells writes of the finalizer from those of the annotation, for whoever reads the audit log.
const captureManager = "spark-status-enricher-capture"

func (r *Reconciler) hold(ctx context.Context, app *v1beta2.SparkApplication, pod *corev1.Pod, enabled bool) error {
	if !enabled || pod.DeletionTimestamp != nil || hasEnded(pod, app) || !evidence.MayBelongTo(pod, app) {
		return nil
	}
	ops := []patch.Operation{patch.Test("/metadata/uid", pod.UID)}
	if len(pod.Finalizers) == 0 {
		ops = append(ops, patch.Test("/metadata/finalizers", nil), patch.Add("/metadata/finalizers", []string{v1beta2.FinalizerCapture}))
	} else {
		ops = append(ops, patch.Test("/metadata/finalizers", pod.Finalizers), patch.Add("/metadata/finalizers/-", v1beta2.FinalizerCapture))
	}
	held, err := r.patchPod(ctx, pod, ops)
	if patch.IsRejected(err) {
		return nil // somebody has asked for its deletion meanwhile: it takes no new finalizers
	}
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

// makeHeard takes the submission ID off a pod that is about to go: of pods without one the operator hears whatever its
// status says. It is a patch of its own, because the last event of a pod does not show the patch that ends it.
func (r *Reconciler) makeHeard(ctx context.Context, pod *corev1.Pod) error {
	path := "/metadata/labels/" + patch.Key(v1beta2.LabelSubmissionID)
	_, err := r.patchPod(ctx, pod, []patch.Operation{
		patch.Test("/metadata/uid", pod.UID), patch.Test(path, evidence.SubmissionID(pod)), patch.Remove(path),
	})
	return err
}

func (r *Reconciler) removeFinalizer(ctx context.Context, pod *corev1.Pod) (bool, error) {
	path := fmt.Sprintf("/metadata/finalizers/%d", slices.Index(pod.Finalizers, v1beta2.FinalizerCapture))
	return r.patchPod(ctx, pod, []patch.Operation{
		patch.Test("/metadata/uid", pod.UID), patch.Test(path, v1beta2.FinalizerCapture), patch.Remove(path),
	})
}

// patchPod reports whether the patch was made. It is content with a pod that is gone or has changed meanwhile:
// its next event brings it up again.
func (r *Reconciler) patchPod(ctx context.Context, pod *corev1.Pod, ops []patch.Operation) (bool, error) {
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
	return false, fmt.Errorf("patching pod %s/%s: %w", pod.Namespace, pod.Name, err)
}

func tellRelease(ctx context.Context, pod *corev1.Pod, why string) {
	log.FromContext(ctx).Info("Released a driver pod", "pod", pod.Name, "submissionID", evidence.SubmissionID(pod), "why", why)
}

func hasFinalizer(pod *corev1.Pod) bool {
	return slices.Contains(pod.Finalizers, v1beta2.FinalizerCapture)
}
