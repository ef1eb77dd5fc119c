package evidence

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
)

// readTail returns the end of a container's log, at most limits.MaxBytes of it. The log is streamed through a bounded
// buffer: the kubelet's limitBytes would keep the head. What had arrived when the time ran out is returned with the
// error.
func readTail(
	ctx context.Context, client kubernetes.Interface, pod *corev1.Pod, container string, limits configv1alpha1.LogLimits,
) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.Timeout.Duration)
	defer cancel()
	stream, err := client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{
		Container: container,
		TailLines: ptr.To(limits.TailLines),
	}).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading log of pod %s/%s container %s: %w", pod.Namespace, pod.Name, container, err)
	}
	defer func() { _ = stream.Close() }()
	kept, err := ReadTail(stream, limits.MaxBytes)
	if err != nil {
		return kept, fmt.Errorf("reading log of pod %s/%s container %s: %w", pod.Namespace, pod.Name, container, err)
	}
	return kept, nil
}
