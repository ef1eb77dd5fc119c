package diagnosis

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// check looks at one aspect of the pod and returns nil where it says nothing.
type check func(*podView) *finding

// platformChecks are what the platform did to the driver. They come before any text, and the first hit decides.
var platformChecks = []check{
	podReason,       // evicted, past its deadline, refused by the kubelet, lost with its node
	disruption,      // taken away: preemption, taint, drain, node shutdown
	initContainer,   // the driver never began
	waitingReason,   // image, secret, command
	sidecarWaiting,  // another container of the pod, without which the pod stays Pending
	unschedulable,   // no node
	containerReason, // OOM kill, lost by the kubelet, could not start
}

func platformVerdict(s *podView) *finding {
	if s.Pod == nil {
		return nil
	}
	for _, c := range platformChecks {
		if f := c(s); f != nil {
			return f
		}
	}
	return nil
}

// podReasons maps status.reason of a failed pod, as kubelet and controllers write it.
var podReasons = map[string]failure.Reason{
	"Evicted":                  failure.ReasonEvicted,
	"DeadlineExceeded":         failure.ReasonDeadlineExceeded,
	"Preempting":               failure.ReasonNodeDisruption,
	"Preempted":                failure.ReasonNodeDisruption,
	"Terminated":               failure.ReasonNodeDisruption,
	"Shutdown":                 failure.ReasonNodeDisruption,
	"NodeShutdown":             failure.ReasonNodeDisruption,
	"NodeLost":                 failure.ReasonNodeDisruption,
	"NodeNotReady":             failure.ReasonNodeDisruption,
	"UnexpectedAdmissionError": failure.ReasonUnschedulable,
	"NodeAffinity":             failure.ReasonUnschedulable,
	"NodeName":                 failure.ReasonUnschedulable,
	"NodePorts":                failure.ReasonUnschedulable,
	"TaintToleration":          failure.ReasonUnschedulable,
	"TopologyAffinityError":    failure.ReasonUnschedulable,
	"PodFeatureUnsupported":    failure.ReasonUnschedulable,
	"AppArmor":                 failure.ReasonContainerConfigError,
	"SysctlForbidden":          failure.ReasonContainerConfigError,
}

// podReason reads status.reason of a failed pod.
func podReason(s *podView) *finding {
	status := s.Pod.Status
	over := status.Phase == corev1.PodFailed || status.Phase == corev1.PodUnknown || status.Reason == "NodeLost"
	if !over || status.Reason == "" {
		return nil
	}
	return podReasonFinding(status.Reason, status.Message)
}

// podReasonFinding is what a pod's reason means, nil where it is not known.
func podReasonFinding(podReason, message string) *finding {
	reason, ok := podReasons[podReason]
	if !ok {
		if !strings.HasPrefix(podReason, "OutOf") {
			return nil
		}
		reason = failure.ReasonUnschedulable
	}
	f := platformFinding(failure.SourcePodStatus, ruleOf("pod", podReason), reason, "driver pod: "+podReason, said(podReason, message))
	switch reason {
	case failure.ReasonEvicted:
		if overOwnLimit(message) {
			return f.retryable(failure.RetryableFalse).hint(
				"The pod passed its own limit: raise the ephemeral-storage limit or the volume's sizeLimit, or write less scratch data.")
		}
	case failure.ReasonUnschedulable:
		return f.retryable(failure.RetryableTrue).hint(
			"The kubelet refused the pod after it was scheduled; retry, and see what else claims that node's resources.")
	}
	return f
}

// overOwnLimit tells a pod that used more than it may from one that had to go because the node was short.
func overOwnLimit(message string) bool {
	m := strings.ToLower(message)
	if strings.Contains(m, "node was low on resource") {
		return false
	}
	return strings.Contains(m, "exceeded its local ephemeral storage limit") ||
		strings.Contains(m, "exceeds the total limit of containers") ||
		strings.Contains(m, "exceeds the limit")
}

// disruptions are the conditions of a pod that is taken away: Kubernetes' own, and Kueue's for pods that it stops.
var disruptions = []corev1.PodConditionType{corev1.DisruptionTarget, "TerminationTarget"}

// disruption reads the condition DisruptionTarget of a pod that has ended; on a running pod it is only announced.
func disruption(s *podView) *finding {
	if s.Pod.Status.Phase != corev1.PodFailed && (s.ended == nil || s.ended.ExitCode == 0) && !s.operatorGaveUp() {
		return nil
	}
	for _, kind := range disruptions {
		if c := podCondition(s.Pod, kind); c != nil && c.Status == corev1.ConditionTrue {
			return platformFinding(failure.SourcePodStatus, ruleOf("pod", string(kind)), failure.ReasonNodeDisruption,
				"driver pod: "+string(kind)+", "+c.Reason, said(c.Reason, c.Message))
		}
	}
	return nil
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// initContainer finds the init container that failed.
func initContainer(s *podView) *finding {
	if s.driver != nil && (s.driver.State.Running != nil || s.driver.State.Terminated != nil) {
		return nil
	}
	for i := range s.Pod.Status.InitContainerStatuses {
		c := &s.Pod.Status.InitContainerStatuses[i]
		if w := c.State.Waiting; w != nil {
			if f := waiting(c.Name, w); f != nil {
				return f
			}
		}
		t := c.State.Terminated
		if t == nil && c.State.Waiting != nil {
			t = c.LastTerminationState.Terminated
		}
		if t == nil || t.ExitCode == 0 {
			continue
		}
		facts := "init container " + ending(c.Name, t.Reason, t.ExitCode)
		f := platformFinding(failure.SourceContainerStatus, "container.init-failed", failure.ReasonInitContainerFailed, facts, said(facts, t.Message))
		f.container, f.ended = c.Name, t
		return f
	}
	return nil
}

// waitingReasons maps the reasons for which the kubelet lets a container wait that will not pass by themselves.
var waitingReasons = map[string]failure.Reason{
	"ImagePullBackOff":           failure.ReasonImagePullFailed,
	"ErrImagePull":               failure.ReasonImagePullFailed,
	"InvalidImageName":           failure.ReasonImagePullFailed,
	"ErrImageNeverPull":          failure.ReasonImagePullFailed,
	"ImageInspectError":          failure.ReasonImagePullFailed,
	"RegistryUnavailable":        failure.ReasonImagePullFailed,
	"SignatureValidationFailed":  failure.ReasonImagePullFailed,
	"CreateContainerConfigError": failure.ReasonContainerConfigError,
	"CreateContainerError":       failure.ReasonContainerConfigError,
	"PreCreateHookError":         failure.ReasonContainerConfigError,
	"PreStartHookError":          failure.ReasonContainerConfigError,
	"PostStartHookError":         failure.ReasonContainerCommandError,
	"CreatePodSandboxError":      failure.ReasonContainerConfigError,
	"ConfigPodSandboxError":      failure.ReasonContainerConfigError,
	"RunContainerError":          failure.ReasonContainerCommandError,
	"StartError":                 failure.ReasonContainerCommandError,
	"ContainerCannotRun":         failure.ReasonContainerCommandError,
}

// waitingReason reads why the driver's container, or another one of its pod, does not start.
func waitingReason(s *podView) *finding {
	if s.driver != nil {
		if s.driver.State.Waiting == nil {
			return nil
		}
		return waiting(s.driver.Name, s.driver.State.Waiting)
	}
	return nil
}

// sidecarWaiting reads why another container of the pod does not start. The operator leaves the application SUBMITTED
// meanwhile, though the driver itself may run.
func sidecarWaiting(s *podView) *finding {
	if s.Pod.Status.Phase != corev1.PodPending || s.ended != nil {
		return nil
	}
	for i := range s.Pod.Status.ContainerStatuses {
		c := &s.Pod.Status.ContainerStatuses[i]
		if c == s.driver || c.State.Waiting == nil {
			continue
		}
		if f := waiting(c.Name, c.State.Waiting); f != nil {
			return f
		}
	}
	return nil
}

func waiting(name string, w *corev1.ContainerStateWaiting) *finding {
	reason, ok := waitingReasons[w.Reason]
	if !ok {
		return nil
	}
	facts := fmt.Sprintf("%s: %s", name, w.Reason)
	f := platformFinding(failure.SourceContainerStatus, ruleOf("waiting", w.Reason), reason, facts, said(w.Reason, w.Message))
	switch {
	case strings.Contains(w.Message, "runAsNonRoot"):
		return f.hint("Give the image a numeric user that is not root, or set runAsUser in the pod's securityContext.")
	case reason == failure.ReasonImagePullFailed:
		return pulling(f, w)
	case w.Reason == "CreateContainerConfigError" && !strings.Contains(w.Message, "volumeMount"):
		return f
	}
	return refused(f, w.Message)
}

// unschedulable reads why no node took the pod.
func unschedulable(s *podView) *finding {
	if s.Pod.Status.Phase != corev1.PodPending && s.Pod.Status.Phase != "" {
		return nil
	}
	c := podCondition(s.Pod, corev1.PodScheduled)
	if c == nil || c.Status != corev1.ConditionFalse || c.Reason == corev1.PodReasonSchedulingGated || c.Reason == "" {
		return nil
	}
	facts := "driver pod: " + c.Reason
	f := platformFinding(failure.SourcePodStatus, "pod.unschedulable", failure.ReasonUnschedulable, facts, said(c.Reason, c.Message))
	if strings.Contains(c.Message, "persistentvolumeclaim") && strings.Contains(c.Message, "not found") {
		return f.retryable(failure.RetryableFalse).hint("Create the volume claim that the pod names, or correct its name.")
	}
	return f
}

// containerReason reads how the driver's container ended, where that alone decides.
func containerReason(s *podView) *finding {
	if s.ended == nil || s.ended.ExitCode == 0 {
		return nil
	}
	facts := ending(s.driver.Name, s.ended.Reason, s.ended.ExitCode)
	decided := func(reason failure.Reason) *finding {
		return platformFinding(failure.SourceContainerStatus, ruleOf("container", s.ended.Reason), reason, facts, said(facts, s.ended.Message))
	}
	switch s.ended.Reason {
	case "OOMKilled":
		f := decided(failure.ReasonDriverOOMKilled)
		f.words = facts
		return f
	case "ContainerStatusUnknown":
		return decided(failure.ReasonNodeDisruption)
	case "Unknown":
		// containerd says so of a container that it lost, for example because its node started anew.
		if s.ended.ExitCode == lostByRuntime {
			return decided(failure.ReasonNodeDisruption)
		}
	case "StartError", "ContainerCannotRun", "RunContainerError":
		return refused(decided(failure.ReasonContainerCommandError), s.ended.Message)
	case "DeadlineExceeded":
		return decided(failure.ReasonDeadlineExceeded)
	case "Evicted":
		return decided(failure.ReasonEvicted)
	}
	return nil
}

// ruleOf makes the ID of a rule about one of the kubelet's reasons.
func ruleOf(kind, reason string) string { return kind + "." + strings.ToLower(head(reason, 48)) }

// lostByRuntime is the exit code that containerd makes up for a container that it lost.
const lostByRuntime = 255

// said joins a fact and the platform's own text about it.
func said(fact, message string) string {
	message = strings.TrimSpace(message)
	if message == "" {
		return fact
	}
	return fact + ": " + message
}
