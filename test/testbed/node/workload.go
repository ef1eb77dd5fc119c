package node

import (
	"context"
	"io"

	dto "github.com/prometheus/client_model/go"
	"github.com/virtual-kubelet/virtual-kubelet/errdefs"
	vknode "github.com/virtual-kubelet/virtual-kubelet/node"
	"github.com/virtual-kubelet/virtual-kubelet/node/api"
	corev1 "k8s.io/api/core/v1"
	statsv1alpha1 "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
)

// Workload runs or plays the pods that are bound to the node. It writes their status itself, so that every state
// reaches the API server in order.
type Workload interface {
	vknode.PodLifecycleHandler
	// GetContainerLogs serves the log of a container.
	GetContainerLogs(ctx context.Context, namespace, pod, container string, opts api.ContainerLogOpts) (io.ReadCloser, error)
	// Unschedulable is the scheduler's message for a pod that finds no node, "" for one that may be bound.
	Unschedulable(pod *corev1.Pod) string
}

// provider is a workload without exec, attach, port forwarding and figures.
type provider struct{ Workload }

// NotifyPods takes the callback for status changes and drops it: workloads write the status themselves.
func (provider) NotifyPods(context.Context, func(*corev1.Pod)) {}

func (provider) RunInContainer(context.Context, string, string, string, []string, api.AttachIO) error {
	return errdefs.InvalidInput("exec is not supported")
}

func (provider) AttachToContainer(context.Context, string, string, string, api.AttachIO) error {
	return errdefs.InvalidInput("attach is not supported")
}

func (provider) PortForward(context.Context, string, string, int32, io.ReadWriteCloser) error {
	return errdefs.InvalidInput("port forwarding is not supported")
}

func (provider) GetStatsSummary(context.Context) (*statsv1alpha1.Summary, error) {
	return &statsv1alpha1.Summary{}, nil
}

func (provider) GetMetricsResource(context.Context) ([]*dto.MetricFamily, error) {
	return nil, nil
}
