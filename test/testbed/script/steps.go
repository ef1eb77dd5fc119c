package script

import (
	"bytes"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ExitException is the annotation that Spark 4.1 and later write onto their driver pod.
const ExitException = "spark.exit-exception"

// A kubelet takes at most this much of the log's end for the termination message.
const (
	fallbackBytes = 2048
	fallbackLines = 80
)

// Waiting puts the driver container into a waiting state, for example ImagePullBackOff.
func Waiting(reason, message string) Step {
	return func(ctx context.Context, pod Pod) error {
		return pod.UpdateStatus(ctx, func(p *corev1.Pod) { setWaiting(p, reason, message, metav1.Now()) })
	}
}

// Running starts all containers.
func Running() Step {
	return func(ctx context.Context, pod Pod) error {
		return pod.UpdateStatus(ctx, func(p *corev1.Pod) { setRunning(p, metav1.Now()) })
	}
}

// Log appends text to the driver container's log.
func Log(text string) Step {
	return func(_ context.Context, pod Pod) error {
		pod.WriteLog([]byte(text))
		return nil
	}
}

// Annotate writes the annotation spark.exit-exception, as the driver does.
func Annotate(trace string) Step {
	return AnnotateAs(ExitException, trace)
}

// AnnotateAs writes any annotation onto the pod.
func AnnotateAs(key, value string) Step {
	return func(ctx context.Context, pod Pod) error { return pod.Annotate(ctx, key, value) }
}

// Exit ends the driver container with a code, reason Error or Completed.
func Exit(code int32) Step {
	reason := "Error"
	if code == 0 {
		reason = "Completed"
	}
	return Terminate(corev1.ContainerStateTerminated{ExitCode: code, Reason: reason})
}

// OOMKilled ends the driver container as the kernel does at the memory limit.
func OOMKilled() Step {
	return Terminate(corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})
}

// Terminate ends the driver container. Without a message, and where the container asks for it, the message is the
// end of the log.
func Terminate(end corev1.ContainerStateTerminated) Step {
	return func(ctx context.Context, pod Pod) error {
		tail := pod.LogTail(fallbackBytes)
		return pod.UpdateStatus(ctx, func(p *corev1.Pod) {
			name, end := DriverContainer(p), end
			if end.Message == "" && end.ExitCode != 0 && fallsBackToLogs(p, name) {
				end.Message = string(LastLines(tail, fallbackLines))
			}
			setTerminated(p, name, end, metav1.Now())
		})
	}
}

// EndContainer ends a container beside the driver's, for example a sidecar.
func EndContainer(name string, code int32) Step {
	return func(ctx context.Context, pod Pod) error {
		return pod.UpdateStatus(ctx, func(p *corev1.Pod) {
			setTerminated(p, name, corev1.ContainerStateTerminated{ExitCode: code, Reason: "Completed"}, metav1.Now())
		})
	}
}

// FailPod fails the pod as a whole, as an eviction or a node loss does, with the given condition where it has a type.
func FailPod(reason, message string, condition corev1.PodCondition) Step {
	return func(ctx context.Context, pod Pod) error {
		return pod.UpdateStatus(ctx, func(p *corev1.Pod) {
			p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, reason, message
			if condition.Type != "" {
				SetCondition(&p.Status, condition, metav1.Now())
			}
		})
	}
}

// Pause waits.
func Pause(d time.Duration) Step {
	return func(ctx context.Context, _ Pod) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
			return nil
		}
	}
}

// Hold waits until the test opens the gate.
func Hold(gate string) Step {
	return func(ctx context.Context, pod Pod) error { return pod.Hold(ctx, gate) }
}

// Executor moves an executor pod into a phase; it is created where there is none.
func Executor(id int, phase corev1.PodPhase) Step {
	return func(ctx context.Context, pod Pod) error { return pod.Executor(ctx, id, phase) }
}

// DeleteExecutor removes an executor pod, as the driver does when an executor has ended.
func DeleteExecutor(id int) Step {
	return func(ctx context.Context, pod Pod) error { return pod.DeleteExecutor(ctx, id) }
}

func fallsBackToLogs(pod *corev1.Pod, container string) bool {
	for _, c := range pod.Spec.Containers {
		if c.Name == container {
			return c.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError
		}
	}
	return false
}

// LastLines gives the last n lines of text; a final line break does not begin a further line.
func LastLines(text []byte, n int) []byte {
	at := len(bytes.TrimSuffix(text, []byte("\n")))
	for ; n > 0 && at >= 0; n-- {
		at = bytes.LastIndexByte(text[:at], '\n')
	}
	return text[at+1:]
}
