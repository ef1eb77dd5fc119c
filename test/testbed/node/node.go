// Package node is a node for test clusters on the virtual-kubelet library: it registers itself, binds pending pods,
// hands them to a workload that plays or runs them, and serves their logs over the kubelet API.
package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	vknode "github.com/virtual-kubelet/virtual-kubelet/node"
	"github.com/virtual-kubelet/virtual-kubelet/node/nodeutil"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
)

const (
	address      = "127.0.0.1"
	readyTimeout = 30 * time.Second
	podWorkers   = 10
)

// Options say what the node is called and who runs its pods.
type Options struct {
	Name     string
	Workload Workload
}

// Node is a running node.
type Node struct {
	stop context.CancelFunc
	done chan error
}

// Start registers the node and returns when it is ready. It runs until Stop or the end of ctx.
func Start(ctx context.Context, client kubernetes.Interface, opts Options) (*Node, error) {
	api, err := serveKubeletAPI(opts.Workload)
	if err != nil {
		return nil, err
	}
	vk, err := nodeutil.NewNode(opts.Name, provide(opts.Workload), nodeutil.WithClient(client),
		configure(opts.Name, api.port()), nodeutil.WithPodControllerConfigOverrides(withoutBrakes))
	if err != nil {
		api.close()
		return nil, fmt.Errorf("setting up node %s: %w", opts.Name, err)
	}
	ctx, stop := context.WithCancel(ctx)
	n := &Node{stop: stop, done: make(chan error, 1)}
	go func() {
		err := vk.Run(ctx)
		api.close()
		n.done <- err
	}()
	if err := vk.WaitReady(ctx, readyTimeout); err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for node %s: %w", opts.Name, err), n.Stop())
	}
	go (&binder{client: client, node: opts.Name, workload: opts.Workload}).run(ctx)
	return n, nil
}

// Stop ends the node and waits until it has ended.
func (n *Node) Stop() error {
	n.stop()
	err := <-n.done
	n.done <- err
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func configure(name string, port int32) nodeutil.NodeOpt {
	return func(cfg *nodeutil.NodeConfig) error {
		cfg.HTTPListenAddr = net.JoinHostPort(address, "0")
		cfg.NumWorkers = podWorkers
		cfg.EventRecorder = &record.FakeRecorder{}
		cfg.SkipDownwardAPIResolution = true
		capacity := corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("1000"),
			corev1.ResourceMemory: resource.MustParse("4Ti"),
			corev1.ResourcePods:   resource.MustParse("20000"),
		}
		cfg.NodeSpec.Labels[corev1.LabelOSStable] = "linux"
		cfg.NodeSpec.Labels[corev1.LabelHostname] = name
		cfg.NodeSpec.Status.Capacity, cfg.NodeSpec.Status.Allocatable = capacity, capacity
		cfg.NodeSpec.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}}
		cfg.NodeSpec.Status.DaemonEndpoints.KubeletEndpoint.Port = port
		return nil
	}
}

// withoutBrakes replaces the queues' common token bucket, which would stretch a burst of pods over minutes.
func withoutBrakes(cfg *vknode.PodControllerConfig) error {
	limiter := func() workqueue.TypedRateLimiter[any] {
		return workqueue.NewTypedItemExponentialFailureRateLimiter[any](5*time.Millisecond, time.Second)
	}
	cfg.SyncPodsFromKubernetesRateLimiter = limiter()
	cfg.DeletePodsFromKubernetesRateLimiter = limiter()
	cfg.SyncPodStatusFromProviderRateLimiter = limiter()
	return nil
}

// provide adapts a workload to what the library asks for.
func provide(w Workload) nodeutil.NewProviderFunc {
	return func(nodeutil.ProviderConfig) (nodeutil.Provider, vknode.NodeProvider, error) {
		return provider{Workload: w}, nil, nil
	}
}
