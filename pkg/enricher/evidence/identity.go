package evidence

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// MayBelongTo reports whether pod may be a driver pod of app, of whichever attempt: namespace, label, owner reference where
// there is one, and the pod name where the operator has noted one all agree. A pod without an owner merely claims it.
func MayBelongTo(pod *corev1.Pod, app *v1beta2.SparkApplication) bool {
	return pod.Namespace == app.Namespace &&
		IsDriver(pod) &&
		pod.Labels[v1beta2.LabelAppName] == app.Name &&
		ownerAllows(pod, app) &&
		(app.Status.DriverInfo.PodName == "" || app.Status.DriverInfo.PodName == pod.Name)
}

// BelongsTo reports whether pod is a driver pod of app: app owns it, or the operator's status has named it, for the
// operator's webhook, which sets the owner, is optional. Named is the name that the status had for the pod's attempt; the
// operator forgets it when a retry is due.
func BelongsTo(pod *corev1.Pod, app *v1beta2.SparkApplication, named string) bool {
	return MayBelongTo(pod, app) && (IsOwned(pod, app.UID) || named == pod.Name ||
		SubmissionID(pod) == app.Status.SubmissionID && app.Status.DriverInfo.PodName == pod.Name)
}

// IsOwned reports whether the controller of pod is the SparkApplication with a UID.
func IsOwned(pod *corev1.Pod, app types.UID) bool {
	ref := metav1.GetControllerOfNoCopy(pod)
	return ref != nil && ref.Kind == "SparkApplication" && ref.UID == app
}

// IsDriver reports whether pod is a driver pod that a spark-operator launched.
func IsDriver(pod *corev1.Pod) bool {
	return pod.Labels[spark.LabelRole] == spark.RoleDriver &&
		pod.Labels[v1beta2.LabelLaunchedBy] == "true" &&
		pod.Labels[v1beta2.LabelSubmissionID] != ""
}

// ownerAllows reports whether the pod's owner references allow app. A pod of a deleted namesake names another UID.
func ownerAllows(pod *corev1.Pod, app *v1beta2.SparkApplication) bool {
	if IsOwned(pod, app.UID) {
		return true
	}
	hasOther := slices.ContainsFunc(pod.OwnerReferences, func(ref metav1.OwnerReference) bool {
		return ref.Kind == "SparkApplication" || ref.Controller != nil && *ref.Controller
	})
	return !hasOther && !pod.CreationTimestamp.Before(&app.CreationTimestamp)
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
