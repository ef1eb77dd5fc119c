// Package spark holds the names that Spark itself uses for the objects it creates on Kubernetes, whichever operator
// submits the application.
package spark

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Annotation, conf, container and labels.
const (
	// AnnotationExitException is the annotation that Spark 4.1 and later write to the driver pod. Where Spark did not, the
	// enricher does.
	AnnotationExitException = "spark.exit-exception"
	// ConfAnnotateExitException is the setting that tells Spark, and also the enricher, to annotate the driver pod.
	ConfAnnotateExitException = "spark.kubernetes.driver.annotateExitException"

	// DriverContainer is the name that Spark gives the driver's container. The operator reads only this container.
	DriverContainer = "spark-kubernetes-driver"

	// LabelRole distinguishes driver pods from executor pods.
	LabelRole    = "spark-role"
	RoleDriver   = "driver"
	RoleExecutor = "executor"
)

// DriverContainerName returns the name of the container in pod that runs the driver: spark-kubernetes-driver, otherwise
// the first container that the driver's template names, otherwise the only container. It returns "" if the container
// cannot be determined.
func DriverContainerName(pod *corev1.Pod, template []string) string {
	has := func(name string) bool {
		return slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == name })
	}
	if has(DriverContainer) {
		return DriverContainer
	}
	if at := slices.IndexFunc(template, has); at >= 0 {
		return template[at]
	}
	if len(pod.Spec.Containers) == 1 {
		return pod.Spec.Containers[0].Name
	}
	return ""
}
