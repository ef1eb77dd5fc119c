package player

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

// fieldManager of what a driver writes onto its own pod.
const fieldManager = "fabric8-kubernetes-client"

// actor is one pod that plays its script.
type actor struct {
	player *Player
	key    types.NamespacedName
	uid    types.UID
	ctx    context.Context
	cancel context.CancelFunc
	log    logBuffer

	// scripted is closed when onDelete is known.
	scripted chan struct{}
	onDelete []script.Step

	mu  sync.Mutex
	pod *corev1.Pod
}

func newActor(p *Player, pod *corev1.Pod) *actor {
	ctx, cancel := context.WithCancel(p.ctx)
	return &actor{
		player:   p,
		key:      types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name},
		uid:      pod.UID,
		ctx:      ctx,
		cancel:   cancel,
		scripted: make(chan struct{}),
		pod:      pod.DeepCopy(),
	}
}

// play runs the steps until one fails. A pod that is gone ends its script without an error.
func (a *actor) play(ctx context.Context, steps []script.Step) error {
	for _, step := range steps {
		err := step(ctx, a)
		switch {
		case err == nil:
		case ctx.Err() != nil || errors.Is(err, script.ErrGone):
			return nil
		default:
			return err
		}
	}
	return nil
}

// end stops what still runs and removes the pod from the API server, as a kubelet does after the grace period.
func (a *actor) end(ctx context.Context) {
	pod := a.Snapshot()
	if script.Started(pod) {
		if err := a.play(ctx, a.lastSteps()); err != nil {
			a.player.fail(fmt.Sprintf("ending pod %s: %v", a.key, err))
		}
	}
	a.log.close()
	options := metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(a.uid))}
	err := a.persist(ctx, func() error {
		return a.player.client.CoreV1().Pods(a.key.Namespace).Delete(ctx, a.key.Name, options)
	})
	if err != nil && ctx.Err() == nil && !errors.Is(err, script.ErrGone) {
		a.player.fail(fmt.Sprintf("deleting pod %s: %v", a.key, err))
	}
}

func (a *actor) lastSteps() []script.Step {
	select {
	case <-a.scripted:
		if a.onDelete != nil {
			return a.onDelete
		}
	default:
	}
	return []script.Step{script.Exit(143)}
}

// Snapshot implements script.Pod.
func (a *actor) Snapshot() *corev1.Pod {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pod.DeepCopy()
}

// refreshMeta takes over labels and annotations that others wrote.
func (a *actor) refreshMeta(pod *corev1.Pod) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pod.ObjectMeta = *pod.ObjectMeta.DeepCopy()
	a.pod.Spec = *pod.Spec.DeepCopy()
}

// UpdateStatus implements script.Pod. The patch names the UID, so that it never lands on a namesake.
func (a *actor) UpdateStatus(ctx context.Context, change func(*corev1.Pod)) error {
	pod := a.Snapshot()
	change(pod)
	err := a.patch(ctx, map[string]any{"metadata": map[string]any{"uid": a.uid}, "status": pod.Status}, "testbed-node", "status")
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pod.Status = pod.Status
	if script.Terminated(pod) != nil {
		a.log.close()
	}
	return nil
}

// Annotate implements script.Pod.
func (a *actor) Annotate(ctx context.Context, key, value string) error {
	return a.patch(ctx, map[string]any{
		"metadata": map[string]any{"uid": a.uid, "annotations": map[string]string{key: value}},
	}, fieldManager)
}

func (a *actor) patch(ctx context.Context, body any, manager string, subresources ...string) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encoding patch of pod %s: %w", a.key, err)
	}
	return a.persist(ctx, func() error {
		_, err := a.player.client.CoreV1().Pods(a.key.Namespace).Patch(ctx, a.key.Name, types.MergePatchType, data,
			metav1.PatchOptions{FieldManager: manager}, subresources...)
		return err
	})
}

// persist repeats a write until the API server has taken it or says that the pod is gone.
func (a *actor) persist(ctx context.Context, write func() error) error {
	backoff := retry.DefaultBackoff
	backoff.Steps = 12
	err := retry.OnError(backoff, func(err error) bool { return ctx.Err() == nil && transient(err) }, write)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return script.ErrGone
	}
	return err
}

// transient errors are those of a server that restarts, is overloaded or cut the line.
func transient(err error) bool {
	switch {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err), apierrors.IsInvalid(err), apierrors.IsForbidden(err):
		return false
	default:
		return true
	}
}

// WriteLog implements script.Pod.
func (a *actor) WriteLog(text []byte) { a.log.write(text) }

// LogTail implements script.Pod.
func (a *actor) LogTail(n int) []byte { return a.log.tail(n) }

// Hold implements script.Pod.
func (a *actor) Hold(ctx context.Context, gate string) error {
	a.player.mu.Lock()
	open := a.player.gate(a.key.Namespace, appName(a.Snapshot()), gate)
	a.player.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-open:
		return nil
	}
}
