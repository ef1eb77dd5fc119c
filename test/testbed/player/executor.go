package player

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

const executorContainer = "spark-kubernetes-executor"

// Executor implements script.Pod.
func (a *actor) Executor(ctx context.Context, id int, phase corev1.PodPhase) error {
	driver := a.Snapshot()
	pods := a.player.client.CoreV1().Pods(a.key.Namespace)
	pod, err := pods.Create(ctx, executorPod(driver, id), metav1.CreateOptions{FieldManager: fieldManager})
	if apierrors.IsAlreadyExists(err) {
		pod, err = pods.Get(ctx, executorName(driver, id), metav1.GetOptions{})
	}
	if err != nil {
		return fmt.Errorf("creating executor %d: %w", id, err)
	}
	executor := newActor(a.player, pod)
	defer executor.cancel()
	return executor.play(ctx, executorSteps(phase))
}

func executorSteps(phase corev1.PodPhase) []script.Step {
	switch phase {
	case corev1.PodRunning:
		return []script.Step{script.Running()}
	case corev1.PodSucceeded:
		return []script.Step{script.Exit(0)}
	case corev1.PodFailed:
		return []script.Step{script.OOMKilled()}
	default:
		return []script.Step{script.Waiting("ContainerCreating", "")}
	}
}

// DeleteExecutor implements script.Pod.
func (a *actor) DeleteExecutor(ctx context.Context, id int) error {
	err := a.player.client.CoreV1().Pods(a.key.Namespace).Delete(ctx, executorName(a.Snapshot(), id),
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting executor %d: %w", id, err)
	}
	return nil
}

func executorName(driver *corev1.Pod, id int) string {
	return fmt.Sprintf("%s-%.8s-exec-%d", appName(driver), driver.UID, id)
}

// executorPod is the pod a driver creates for an executor. It is bound at once: the player is the only node.
func executorPod(driver *corev1.Pod, id int) *corev1.Pod {
	labels := map[string]string{labelRole: roleExecutor, "spark-exec-id": fmt.Sprint(id), "spark-exec-resourceprofile-id": "0"}
	for _, key := range []string{
		"spark-app-selector", "spark-app-name", "spark-version", labelAppName,
		"sparkoperator.k8s.io/launched-by-spark-operator", "sparkoperator.k8s.io/submission-id",
	} {
		labels[key] = driver.Labels[key]
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: executorName(driver, id), Namespace: driver.Namespace, Labels: labels,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "Pod", Name: driver.Name, UID: driver.UID, Controller: new(true),
			}},
		},
		Spec: corev1.PodSpec{
			NodeName:      driver.Spec.NodeName,
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: executorContainer, Image: driver.Spec.Containers[0].Image}},
		},
	}
}
