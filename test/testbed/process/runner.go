// Package process runs pods of the test node for real: the command of a Spark driver or executor becomes a process on
// this machine, with its configuration, service account token, memory limit and name resolution as a kubelet and a
// container runtime give them.
package process

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

//go:embed sandbox.sh
var sandbox []byte

//go:embed entrypoint.sh
var entrypoint []byte

// Image is what an image holds that is not on the machine.
type Image struct {
	// Home is a Spark distribution, found at /opt/spark.
	Home string
	// Jobs is a folder of programs, found at /opt/jobs.
	Jobs string
	// Env is set in the environment, as NAME=VALUE.
	Env []string
}

// Options of a Runner.
type Options struct {
	// Images are the images that can be pulled, by name.
	Images map[string]Image
	// APIServer is host:port, CA the certificate authority of the API server in PEM.
	APIServer string
	CA        []byte
	// Folder takes a folder for each pod.
	Folder string
}

// Runner runs pods as processes.
type Runner struct {
	client    kubernetes.Interface
	opts      Options
	ctx       context.Context
	addresses addresses

	mu    sync.Mutex
	tasks map[types.UID]*task
}

// New makes a runner whose processes end with ctx.
func New(ctx context.Context, client kubernetes.Interface, opts Options) (*Runner, error) {
	for name, content := range map[string][]byte{"sandbox.sh": sandbox, "entrypoint.sh": entrypoint} {
		if err := os.WriteFile(filepath.Join(opts.Folder, name), content, 0o755); err != nil { //nolint:gosec // they are run
			return nil, fmt.Errorf("preparing the sandbox: %w", err)
		}
	}
	return &Runner{client: client, opts: opts, ctx: ctx, addresses: newAddresses(), tasks: map[types.UID]*task{}}, nil
}

// Script runs the pod that it is played for.
func (r *Runner) Script() script.Script {
	return script.Script{Attempts: []script.Attempt{{Steps: []script.Step{r.run}, OnDelete: []script.Step{r.terminate}}}}
}

func (r *Runner) run(ctx context.Context, pod script.Pod) error {
	spec := pod.Snapshot()
	image, ok := r.opts.Images[spec.Spec.Containers[0].Image]
	if !ok {
		return script.Waiting("ErrImagePull", "no such image: "+spec.Spec.Containers[0].Image)(ctx, pod)
	}
	if err := pod.UpdateStatus(ctx, r.accept); err != nil {
		return err
	}
	t, err := r.prepare(ctx, pod.Snapshot(), image)
	if err != nil {
		return err
	}
	if err := t.start(r.ctx, podLog{pod}); err != nil {
		return err
	}
	r.keep(spec.UID, t)
	if err := script.Running()(ctx, pod); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.done:
		return script.Terminate(t.end())(ctx, pod)
	}
}

// terminate ends the process of a pod that is being deleted, as a kubelet does.
func (r *Runner) terminate(ctx context.Context, pod script.Pod) error {
	spec := pod.Snapshot()
	r.mu.Lock()
	t := r.tasks[spec.UID]
	r.mu.Unlock()
	if t == nil {
		return script.Exit(exitSIGKILL)(ctx, pod)
	}
	t.stop(gracePeriod(spec))
	return script.Terminate(t.end())(ctx, pod)
}

func (r *Runner) keep(uid types.UID, t *task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tasks[uid] = t
}

// accept gives the pod an address of its own.
func (r *Runner) accept(pod *corev1.Pod) {
	now, ip := metav1.Now(), r.addresses.next()
	pod.Status.Phase, pod.Status.StartTime = corev1.PodPending, &now
	pod.Status.HostIP, pod.Status.HostIPs = loopback, []corev1.HostIP{{IP: loopback}}
	pod.Status.PodIP, pod.Status.PodIPs = ip, []corev1.PodIP{{IP: ip}}
	pod.Status.ContainerStatuses = nil
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Started: new(bool),
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}},
		})
	}
}

// prepare lays out what the pod's container finds on its file system.
func (r *Runner) prepare(ctx context.Context, pod *corev1.Pod, image Image) (*task, error) {
	folder := filepath.Join(r.opts.Folder, string(pod.UID))
	l := layout{folder: folder}
	l.mount(image.Home, "/opt/spark", privateCopy)
	l.mount(image.Jobs, "/opt/jobs", readOnly)
	l.mount(filepath.Join(r.opts.Folder, "entrypoint.sh"), "/opt/entrypoint.sh", readOnly)
	hosts, err := r.hosts(ctx, pod)
	if err != nil {
		return nil, err
	}
	l.file("hosts", hosts, "/etc/hosts", readOnly)
	l.file("termination-log", nil, terminationPath(pod), readWrite)
	l.directory("work-dir", "/opt/spark/work-dir")
	if err := errors.Join(r.volumes(ctx, pod, &l), r.serviceAccount(ctx, pod, &l)); err != nil {
		return nil, err
	}
	l.directory("tmp", "/tmp") // last: sources may lie below /tmp
	if err := l.write(pod.Name); err != nil {
		return nil, fmt.Errorf("laying out pod %s: %w", pod.Name, err)
	}
	env, err := environment(pod, r.opts.APIServer)
	if err != nil {
		return nil, err
	}
	return newTask(filepath.Join(r.opts.Folder, "sandbox.sh"), folder, pod, slices.Concat(image.Env, env)), nil
}

// podLog writes into a pod's log.
type podLog struct{ pod script.Pod }

func (l podLog) Write(p []byte) (int, error) {
	l.pod.WriteLog(p)
	return len(p), nil
}
