package evidence

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// BelongsTo reports whether pod is a driver pod of app, of whichever attempt: namespace, label, owner reference where
// there is one, and the pod name where the operator has noted one all agree. A pod that merely claims it in its labels
// is not one.
func BelongsTo(pod *corev1.Pod, app *v1beta2.SparkApplication) bool {
	return pod.Namespace == app.Namespace &&
		IsDriver(pod) &&
		pod.Labels[v1beta2.LabelAppName] == app.Name &&
		ownedBy(pod, app) &&
		(app.Status.DriverInfo.PodName == "" || app.Status.DriverInfo.PodName == pod.Name)
}

// IsDriver reports whether pod is a driver pod that a spark-operator launched.
func IsDriver(pod *corev1.Pod) bool {
	return pod.Labels[spark.LabelRole] == spark.RoleDriver &&
		pod.Labels[v1beta2.LabelLaunchedBy] == "true" &&
		pod.Labels[v1beta2.LabelSubmissionID] != ""
}

// ownedBy reports whether the pod's owner references allow app. A pod of a deleted namesake names another UID. A pod
// without any SparkApplication as owner is allowed: the operator's webhook, which sets the reference, is optional.
func ownedBy(pod *corev1.Pod, app *v1beta2.SparkApplication) bool {
	for _, ref := range pod.OwnerReferences {
		if ref.Kind == "SparkApplication" {
			return ref.UID == app.UID
		}
	}
	return !pod.CreationTimestamp.Before(&app.CreationTimestamp)
}

// SubmissionID returns the attempt that a driver pod belongs to.
func SubmissionID(pod *corev1.Pod) string { return pod.Labels[v1beta2.LabelSubmissionID] }

// Ended returns the terminated state of the container that ran the driver, or nil while it runs or where there is
// none. The pod may still be Running then, because of a sidecar.
func Ended(pod *corev1.Pod, container string) *corev1.ContainerStateTerminated {
	for i := range pod.Status.ContainerStatuses {
		if c := &pod.Status.ContainerStatuses[i]; c.Name == container {
			return c.State.Terminated
		}
	}
	return nil
}

// HasEnded reports whether the driver in pod has ended, well or badly.
func HasEnded(pod *corev1.Pod, container string) bool {
	return IsOver(pod) || Ended(pod, container) != nil
}

// IsOver reports whether the pod as a whole has ended, well or badly.
func IsOver(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}
