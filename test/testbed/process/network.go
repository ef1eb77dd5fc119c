package process

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

const loopback = "127.0.0.1"

// addresses gives each pod a loopback address of its own, so that drivers may all listen on the same port.
type addresses struct {
	block int
	count *atomic.Uint32
}

// newAddresses picks a block at random: other runners on the machine pick theirs.
func newAddresses() addresses {
	return addresses{block: 16 + rand.IntN(200), count: new(atomic.Uint32)} //nolint:gosec // not a secret
}

func (a addresses) next() string {
	n := a.count.Add(1)
	return fmt.Sprintf("127.%d.%d.%d", a.block, n/250, n%250+1)
}

// hosts are the names that the pod's process can resolve: its own and those of the namespace's services.
func (r *Runner) hosts(ctx context.Context, pod *corev1.Pod) ([]byte, error) {
	services, err := r.client.CoreV1().Services(pod.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("resolving names for pod %s: %w", pod.Name, err)
	}
	pods, err := r.client.CoreV1().Pods(pod.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("resolving names for pod %s: %w", pod.Name, err)
	}
	return hostsFile(pod, services.Items, pods.Items), nil
}

func hostsFile(pod *corev1.Pod, services []corev1.Service, pods []corev1.Pod) []byte {
	var file bytes.Buffer
	fmt.Fprintf(&file, "%s localhost\n%s %s\n", loopback, pod.Status.PodIP, pod.Name)
	for _, service := range services {
		if len(service.Spec.Selector) == 0 {
			continue
		}
		selector := labels.SelectorFromSet(service.Spec.Selector)
		for _, backend := range pods {
			if backend.Status.PodIP != "" && selector.Matches(labels.Set(backend.Labels)) {
				fmt.Fprintf(&file, "%s %[2]s.%[3]s.svc %[2]s.%[3]s %[2]s\n", backend.Status.PodIP, service.Name, service.Namespace)
			}
		}
	}
	return file.Bytes()
}
