// Package player plays driver pods: a workload of the test node that moves each pod through the states of its script
// and serves its log.
package player

import (
	"context"
	"fmt"
	"sync"

	"github.com/virtual-kubelet/virtual-kubelet/errdefs"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

// Labels that Spark and the operator put onto pods.
const (
	labelRole    = "spark-role"
	labelAppName = "sparkoperator.k8s.io/app-name"
	roleExecutor = "executor"
)

// Player holds the pods of the node and the scripts they play.
type Player struct {
	client  kubernetes.Interface
	library *Library
	ctx     context.Context
	wait    sync.WaitGroup

	mu       sync.Mutex
	actors   map[types.NamespacedName]*actor
	attempts map[types.NamespacedName]map[types.UID]int
	gates    map[string]chan struct{}
	failures []string
}

// New makes a player whose scripts end with ctx.
func New(ctx context.Context, client kubernetes.Interface, library *Library) *Player {
	return &Player{
		client:   client,
		library:  library,
		ctx:      ctx,
		actors:   map[types.NamespacedName]*actor{},
		attempts: map[types.NamespacedName]map[types.UID]int{},
		gates:    map[string]chan struct{}{},
	}
}

// Wait returns when every script has ended.
func (p *Player) Wait() { p.wait.Wait() }

// Failures are the errors of scripts that could not be played.
func (p *Player) Failures() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.failures...)
}

// Open opens a gate of an application, now and for later attempts.
func (p *Player) Open(namespace, app, gate string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ch := p.gate(namespace, app, gate)
	select {
	case <-ch:
	default:
		close(ch)
	}
}

func (p *Player) gate(namespace, app, gate string) chan struct{} {
	key := namespace + "/" + app + "/" + gate
	if p.gates[key] == nil {
		p.gates[key] = make(chan struct{})
	}
	return p.gates[key]
}

// Unschedulable is the scheduler's message for a pod that is not to be bound.
func (p *Player) Unschedulable(pod *corev1.Pod) string {
	attempt, err := p.attempt(pod)
	if err != nil {
		return ""
	}
	return attempt.Unschedulable
}

// CreatePod begins the pod's script.
func (p *Player) CreatePod(_ context.Context, pod *corev1.Pod) error {
	a := newActor(p, pod)
	p.mu.Lock()
	old := p.actors[a.key]
	p.actors[a.key] = a
	p.mu.Unlock()
	if old != nil {
		old.cancel()
	}
	if pod.Labels[labelRole] == roleExecutor && pod.Annotations[script.Annotation] == "" {
		return nil // its driver's script moves it
	}
	p.wait.Go(func() { p.play(a) })
	return nil
}

func (p *Player) play(a *actor) {
	attempt, err := p.attempt(a.pod)
	if err != nil {
		attempt = script.Attempt{Steps: []script.Step{script.FailPod("UnknownScript", err.Error(), corev1.PodCondition{})}}
	}
	a.onDelete = attempt.OnDelete
	close(a.scripted)
	if err := a.play(a.ctx, attempt.Steps); err != nil {
		p.fail(fmt.Sprintf("pod %s: %v", a.key, err))
	}
}

func (p *Player) fail(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures = append(p.failures, text)
}

// attempt finds the script of a driver pod and which of its attempts the pod is.
func (p *Player) attempt(pod *corev1.Pod) (script.Attempt, error) {
	s, err := p.library.Find(pod.Annotations[script.Annotation])
	if err != nil {
		return script.Attempt{}, err
	}
	key := types.NamespacedName{Namespace: pod.Namespace, Name: appName(pod)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.attempts[key] == nil {
		p.attempts[key] = map[types.UID]int{}
	}
	if p.attempts[key][pod.UID] == 0 {
		p.attempts[key][pod.UID] = len(p.attempts[key]) + 1
	}
	return s.ForAttempt(p.attempts[key][pod.UID]), nil
}

func appName(pod *corev1.Pod) string {
	if name := pod.Labels[labelAppName]; name != "" {
		return name
	}
	return pod.Name
}

// UpdatePod begins anew where a namesake replaced the pod; other changes mean nothing to a script.
func (p *Player) UpdatePod(ctx context.Context, pod *corev1.Pod) error {
	if a := p.find(pod.Namespace, pod.Name); a != nil && a.uid == pod.UID {
		a.refreshMeta(pod)
		return nil
	}
	return p.CreatePod(ctx, pod)
}

// DeletePod ends the pod's containers as SIGTERM does and removes the pod.
func (p *Player) DeletePod(_ context.Context, pod *corev1.Pod) error {
	key := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	p.mu.Lock()
	a := p.actors[key]
	if a == nil || a.uid != pod.UID {
		p.mu.Unlock()
		return errdefs.NotFound("no such pod")
	}
	delete(p.actors, key)
	p.mu.Unlock()
	a.cancel()
	p.wait.Go(func() { a.end(p.ctx) })
	return nil
}

// GetPod gives the pod as its script left it.
func (p *Player) GetPod(_ context.Context, namespace, name string) (*corev1.Pod, error) {
	if a := p.find(namespace, name); a != nil {
		return a.Snapshot(), nil
	}
	return nil, errdefs.NotFound("no such pod")
}

// GetPodStatus gives the pod's status as its script left it.
func (p *Player) GetPodStatus(ctx context.Context, namespace, name string) (*corev1.PodStatus, error) {
	pod, err := p.GetPod(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	return &pod.Status, nil
}

// GetPods gives all pods of the node.
func (p *Player) GetPods(context.Context) ([]*corev1.Pod, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var pods []*corev1.Pod
	for _, a := range p.actors {
		pods = append(pods, a.Snapshot())
	}
	return pods, nil
}

func (p *Player) find(namespace, name string) *actor {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.actors[types.NamespacedName{Namespace: namespace, Name: name}]
}
