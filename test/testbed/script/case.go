package script

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// FromCase makes a script of a case directory: pod.yaml gives the status in which the driver pod ends, driver.log its
// log. The times of the status are moved so that it ends now.
func FromCase(directory string) (Script, error) {
	data, err := os.ReadFile(filepath.Join(directory, "pod.yaml"))
	if err != nil {
		return Script{}, fmt.Errorf("reading case: %w", err)
	}
	var pod corev1.Pod
	if err := yaml.Unmarshal(data, &pod); err != nil {
		return Script{}, fmt.Errorf("reading %s: %w", filepath.Join(directory, "pod.yaml"), err)
	}
	log, err := os.ReadFile(filepath.Join(directory, "driver.log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Script{}, fmt.Errorf("reading case: %w", err)
	}
	return Once(caseSteps(&pod, string(log))...), nil
}

func caseSteps(pod *corev1.Pod, log string) []Step {
	var steps []Step
	if ran(pod) {
		steps = append(steps, Running(), Log(log))
	}
	for key, value := range pod.Annotations {
		steps = append(steps, AnnotateAs(key, value))
	}
	return append(steps, become(pod.Status))
}

// ran is true if the driver container has run.
func ran(pod *corev1.Pod) bool {
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Waiting == nil {
			return true
		}
	}
	return false
}

// become gives the pod a whole status, with its own container names and times that end now. The addresses stay those
// of the node.
func become(status corev1.PodStatus) Step {
	return func(ctx context.Context, pod Pod) error {
		return pod.UpdateStatus(ctx, func(p *corev1.Pod) {
			old := p.Status
			p.Status = *status.DeepCopy()
			p.Status.HostIP, p.Status.HostIPs = old.HostIP, old.HostIPs
			p.Status.PodIP, p.Status.PodIPs = old.PodIP, old.PodIPs
			shift(&p.Status, time.Now())
		})
	}
}

// shift moves the times of a status by the distance of its latest time from now. Unknown times stay unknown.
func shift(status *corev1.PodStatus, now time.Time) {
	times := statusTimes(status)
	var latest time.Time
	for _, t := range times {
		if t.After(latest) {
			latest = t.Time
		}
	}
	for _, t := range times {
		if t.IsZero() {
			continue
		}
		*t = metav1.NewTime(t.Add(now.Sub(latest)).Truncate(time.Second))
	}
}

func statusTimes(status *corev1.PodStatus) []*metav1.Time {
	var times []*metav1.Time
	if status.StartTime != nil {
		times = append(times, status.StartTime)
	}
	for i := range status.Conditions {
		times = append(times, &status.Conditions[i].LastTransitionTime)
	}
	for _, list := range [][]corev1.ContainerStatus{status.InitContainerStatuses, status.ContainerStatuses} {
		for i := range list {
			if end := list[i].State.Terminated; end != nil {
				times = append(times, &end.StartedAt, &end.FinishedAt)
			}
			if run := list[i].State.Running; run != nil {
				times = append(times, &run.StartedAt)
			}
		}
	}
	return times
}
