// Package script says what a pod on the test node does: the states it passes through, what it logs, what it writes
// onto itself, and how it ends. A script is a list of steps for each attempt of an application.
package script

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
)

// Annotation on a driver pod names the script to play: a registered one, or a case directory as "case/NAME".
const Annotation = "testbed.spark-status-enricher.io/script"

// ErrGone is returned by steps whose pod no longer exists; the script then ends.
var ErrGone = errors.New("pod is gone")

// Script is what the driver pods of one application do, attempt by attempt. The last attempt repeats.
type Script struct {
	Attempts []Attempt
}

// Attempt is what one driver pod does.
type Attempt struct {
	// Unschedulable, if set, is the scheduler's message; the pod is never bound.
	Unschedulable string
	// Steps are played in order.
	Steps []Step
	// OnDelete is played when the pod is deleted while its driver container runs. Nil: exit 143 on SIGTERM.
	OnDelete []Step
}

// Step does one thing and returns when the API server has stored it.
type Step func(ctx context.Context, pod Pod) error

// Pod is what a step acts upon.
type Pod interface {
	// Snapshot is a copy of the pod as the script left it.
	Snapshot() *corev1.Pod
	// UpdateStatus changes the status by the given function and stores it, as a kubelet does.
	UpdateStatus(ctx context.Context, change func(*corev1.Pod)) error
	// Annotate writes one annotation onto the pod, as the driver itself does.
	Annotate(ctx context.Context, key, value string) error
	// WriteLog appends to the driver container's log.
	WriteLog(text []byte)
	// LogTail is at most the last n bytes of the driver container's log.
	LogTail(n int) []byte
	// Hold waits until the test opens the gate of this name for the application.
	Hold(ctx context.Context, gate string) error
	// Executor moves the executor pod of this number into a phase and creates it where there is none.
	Executor(ctx context.Context, id int, phase corev1.PodPhase) error
	// DeleteExecutor removes the executor pod of this number.
	DeleteExecutor(ctx context.Context, id int) error
}

// ForAttempt gives the attempt with this number, counted from 1.
func (s Script) ForAttempt(number int) Attempt {
	switch {
	case len(s.Attempts) == 0:
		return Attempt{}
	case number > len(s.Attempts):
		return s.Attempts[len(s.Attempts)-1]
	default:
		return s.Attempts[max(number, 1)-1]
	}
}

// Once is a script whose every attempt does the same.
func Once(steps ...Step) Script {
	return Script{Attempts: []Attempt{{Steps: steps}}}
}

// Then adds a further attempt.
func (s Script) Then(steps ...Step) Script {
	attempts := append([]Attempt(nil), s.Attempts...)
	return Script{Attempts: append(attempts, Attempt{Steps: steps})}
}

// Unschedulable is a script whose pod finds no node.
func Unschedulable(message string) Script {
	return Script{Attempts: []Attempt{{Unschedulable: message}}}
}
