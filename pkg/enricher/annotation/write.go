package annotation

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/patch"
)

// Limits of annotations, in bytes: of this one, and of all on one object (the API server's TotalAnnotationSizeLimitB).
const (
	maxValue = 64 << 10
	maxTotal = 256 << 10
)

// tries bounds how often a pod that changed under the patch is read again.
const tries = 3

// Write puts trace onto the pod with the UID of pod as its exit exception, with its source beside it, unless the pod
// has one by then: a late one of the driver wins. It returns the condition ExitExceptionAnnotated that is true
// afterwards, without its times. An error means that it is not known and worth another try.
func Write(
	ctx context.Context, client kubernetes.Interface, pod *corev1.Pod, trace string, source failure.Source,
) (metav1.Condition, error) {
	for range tries {
		if done, ok := Present(pod); ok {
			return done, nil
		}
		if why := refusal(pod, trace, source); why != "" {
			return refused(why), nil
		}
		_, err := client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.JSONPatchType, body(pod, trace, source), metav1.PatchOptions{
			FieldManager: "spark-status-enricher",
		})
		switch {
		case err == nil:
			return writtenByEnricher(source), nil
		case apierrors.IsNotFound(err):
			return refused("The driver pod is gone"), nil
		case apierrors.IsForbidden(err):
			return refused("The enricher has no right to patch the driver pod"), nil
		case patch.IsRejected(err):
			return rejected(ctx, client, pod, trace, source)
		case !patch.IsUnexpected(err):
			return metav1.Condition{}, fmt.Errorf("annotating pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		if pod, err = reread(ctx, client, pod); err != nil {
			return metav1.Condition{}, err
		}
		if pod == nil {
			return refused("The driver pod is gone"), nil
		}
	}
	return refused("The API server refused the annotation"), nil
}

// rejected tells why a pod would not be valid with the annotation: the cache does not keep all of its annotations.
func rejected(
	ctx context.Context, client kubernetes.Interface, pod *corev1.Pod, trace string, source failure.Source,
) (metav1.Condition, error) {
	now, err := reread(ctx, client, pod)
	if err != nil {
		return metav1.Condition{}, err
	}
	if now != nil {
		if why := refusal(now, trace, source); why != "" {
			return refused(why), nil
		}
	}
	return refused("The API server refused the annotation"), nil
}

// body is the patch in one of two shapes, since a test in an absent map is refused like one that does not hold. A pod from
// the cache has an empty map where it has annotations that the cache does not keep.
func body(pod *corev1.Pod, trace string, source failure.Source) []byte {
	ops := []patch.Operation{patch.Test("/metadata/uid", pod.UID)}
	if pod.Annotations == nil {
		ops = append(ops, patch.Test("/metadata/annotations", nil), patch.Add("/metadata/annotations", map[string]string{
			spark.AnnotationExitException:         trace,
			v1beta2.AnnotationExitExceptionSource: string(source),
		}))
	} else {
		key := "/metadata/annotations/" + patch.Key(spark.AnnotationExitException)
		sourceKey := "/metadata/annotations/" + patch.Key(v1beta2.AnnotationExitExceptionSource)
		ops = append(ops, patch.Test(key, nil), patch.Add(key, trace), patch.Add(sourceKey, string(source)))
	}
	data, err := patch.Marshal(ops)
	if err != nil {
		panic(err) // strings always marshal
	}
	return data
}

func refusal(pod *corev1.Pod, trace string, source failure.Source) string {
	total := len(spark.AnnotationExitException) + len(trace) + len(v1beta2.AnnotationExitExceptionSource) + len(source)
	for key, value := range pod.Annotations {
		total += len(key) + len(value)
	}
	switch {
	case len(trace) > maxValue:
		return fmt.Sprintf("The exception has %d bytes, more than %d", len(trace), maxValue)
	case total > maxTotal:
		return fmt.Sprintf("The annotations of the pod would have %d bytes, more than %d", total, maxTotal)
	default:
		return ""
	}
}

// reread returns the pod as it is now, or nil if it is gone or another one has its name.
func reread(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) (*corev1.Pod, error) {
	now, err := client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) || err == nil && now.UID != pod.UID:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading pod %s/%s again: %w", pod.Namespace, pod.Name, err)
	default:
		return now, nil
	}
}

// Present returns the condition of a pod that carries the annotation.
func Present(pod *corev1.Pod) (metav1.Condition, bool) {
	if _, ok := pod.Annotations[spark.AnnotationExitException]; !ok {
		return metav1.Condition{}, false
	}
	if source, ok := pod.Annotations[v1beta2.AnnotationExitExceptionSource]; ok {
		return writtenByEnricher(failure.Source(source)), true
	}
	return metav1.Condition{
		Type: v1beta2.ConditionExitExceptionAnnotated, Status: metav1.ConditionTrue,
		Reason: v1beta2.AnnotatedByDriver, Message: "The driver annotated its pod with the exception",
	}, true
}

// Absent returns the condition of a pod without the annotation, for a reason of the closed list.
func Absent(reason string) metav1.Condition {
	messages := map[string]string{
		v1beta2.NotAnnotatedNotRequested: spark.ConfAnnotateExitException + " is not set",
		v1beta2.NotAnnotatedDisabled:     spark.ConfAnnotateExitException + " is false",
		v1beta2.NotAnnotatedInvalidConf:  spark.ConfAnnotateExitException + " is neither true nor false",
		v1beta2.NotAnnotatedNoEvidence:   "There is no pod, or no exception to write onto it",
	}
	return metav1.Condition{
		Type: v1beta2.ConditionExitExceptionAnnotated, Status: metav1.ConditionFalse, Reason: reason, Message: messages[reason],
	}
}

func writtenByEnricher(source failure.Source) metav1.Condition {
	message := "The enricher annotated the driver pod"
	switch source {
	case failure.SourceDriverLog, failure.SourceTerminationMessage, failure.SourceContainerStatus, failure.SourcePodStatus:
		message += ", from " + string(source)
	}
	return metav1.Condition{
		Type: v1beta2.ConditionExitExceptionAnnotated, Status: metav1.ConditionTrue,
		Reason: v1beta2.AnnotatedByEnricher, Message: message,
	}
}

func refused(message string) metav1.Condition {
	c := Absent(v1beta2.NotAnnotatedWriteRefused)
	c.Message = message
	return c
}
