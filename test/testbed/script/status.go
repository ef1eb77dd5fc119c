package script

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const defaultDriverContainer = "spark-kubernetes-driver"

// DriverContainer is the name of the container that runs the driver: spark-kubernetes-driver, else the first.
func DriverContainer(pod *corev1.Pod) string {
	named := func(c corev1.Container) bool { return c.Name == defaultDriverContainer }
	if len(pod.Spec.Containers) == 0 || slices.ContainsFunc(pod.Spec.Containers, named) {
		return defaultDriverContainer
	}
	return pod.Spec.Containers[0].Name
}

// Terminated is the state of the driver container, nil while it has not ended.
func Terminated(pod *corev1.Pod) *corev1.ContainerStateTerminated {
	if status := containerStatus(&pod.Status, DriverContainer(pod)); status != nil {
		return status.State.Terminated
	}
	return nil
}

// Started is true while the driver container runs.
func Started(pod *corev1.Pod) bool {
	status := containerStatus(&pod.Status, DriverContainer(pod))
	return status != nil && status.State.Running != nil
}

func containerStatus(status *corev1.PodStatus, name string) *corev1.ContainerStatus {
	for i := range status.ContainerStatuses {
		if status.ContainerStatuses[i].Name == name {
			return &status.ContainerStatuses[i]
		}
	}
	return nil
}

// setWaiting puts every container into a waiting state, the driver's with the given cause.
func setWaiting(pod *corev1.Pod, reason, message string, now metav1.Time) {
	start(pod, now)
	pod.Status.Phase = corev1.PodPending
	for i, container := range pod.Spec.Containers {
		waiting := &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
		if container.Name == DriverContainer(pod) {
			waiting = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
		}
		pod.Status.ContainerStatuses[i].State = corev1.ContainerState{Waiting: waiting}
	}
	setReady(&pod.Status, corev1.ConditionFalse, "ContainersNotReady", now)
}

// setRunning puts every container into the running state.
func setRunning(pod *corev1.Pod, now metav1.Time) {
	start(pod, now)
	pod.Status.Phase = corev1.PodRunning
	for i := range pod.Status.ContainerStatuses {
		status := &pod.Status.ContainerStatuses[i]
		status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
		status.Ready, status.Started = true, new(true)
		status.ContainerID = "containerd://" + string(pod.UID) + "-" + status.Name
		status.ImageID = status.Image + "@sha256:0000000000000000000000000000000000000000000000000000000000000000"
	}
	setReady(&pod.Status, corev1.ConditionTrue, "", now)
}

// setTerminated ends one container and works the pod's phase out as a kubelet does for restartPolicy Never.
func setTerminated(pod *corev1.Pod, container string, end corev1.ContainerStateTerminated, now metav1.Time) {
	start(pod, now)
	status := containerStatus(&pod.Status, container)
	if status == nil {
		return
	}
	end.FinishedAt = now
	end.StartedAt = now
	if status.State.Running != nil {
		end.StartedAt = status.State.Running.StartedAt
	}
	end.ContainerID = status.ContainerID
	status.State = corev1.ContainerState{Terminated: &end}
	status.Ready, status.Started = false, new(false)
	pod.Status.Phase = phase(pod.Status.ContainerStatuses)
	reason := "ContainersNotReady"
	switch pod.Status.Phase {
	case corev1.PodFailed:
		reason = "PodFailed"
	case corev1.PodSucceeded:
		reason = "PodCompleted"
	}
	setReady(&pod.Status, corev1.ConditionFalse, reason, now)
}

func phase(statuses []corev1.ContainerStatus) corev1.PodPhase {
	result := corev1.PodSucceeded
	for _, status := range statuses {
		switch {
		case status.State.Terminated == nil:
			return corev1.PodRunning
		case status.State.Terminated.ExitCode != 0:
			result = corev1.PodFailed
		}
	}
	return result
}

// start gives the pod what a kubelet gives it when it accepts it. It does nothing the second time.
func start(pod *corev1.Pod, now metav1.Time) {
	if pod.Status.StartTime != nil && len(pod.Status.ContainerStatuses) == len(pod.Spec.Containers) {
		return
	}
	pod.Status.StartTime = &now
	pod.Status.HostIP, pod.Status.HostIPs = "127.0.0.1", []corev1.HostIP{{IP: "127.0.0.1"}}
	pod.Status.PodIP, pod.Status.PodIPs = "10.42.3.17", []corev1.PodIP{{IP: "10.42.3.17"}}
	pod.Status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses,
			corev1.ContainerStatus{Name: container.Name, Image: container.Image, Started: new(false)})
	}
	SetCondition(&pod.Status, corev1.PodCondition{Type: corev1.PodInitialized, Status: corev1.ConditionTrue}, now)
}

func setReady(status *corev1.PodStatus, value corev1.ConditionStatus, reason string, now metav1.Time) {
	for _, kind := range []corev1.PodConditionType{corev1.PodReady, corev1.ContainersReady} {
		SetCondition(status, corev1.PodCondition{Type: kind, Status: value, Reason: reason}, now)
	}
}

// SetCondition sets a pod condition and its transition time where the value changed.
func SetCondition(status *corev1.PodStatus, condition corev1.PodCondition, now metav1.Time) {
	condition.LastTransitionTime = now
	for i := range status.Conditions {
		if old := &status.Conditions[i]; old.Type == condition.Type {
			if old.Status == condition.Status {
				condition.LastTransitionTime = old.LastTransitionTime
			}
			*old = condition
			return
		}
	}
	status.Conditions = append(status.Conditions, condition)
}
