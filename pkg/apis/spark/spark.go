// Package spark holds the names that Spark itself gives to what it makes on Kubernetes, whichever operator submits it.
package spark

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Annotation, conf, container and labels.
const (
	// AnnotationExitException is the key Spark 4.1+ writes onto its driver pod, and the enricher where Spark did not.
	AnnotationExitException = "spark.exit-exception"
	// ConfAnnotateExitException asks Spark, and through it the enricher, to annotate the driver pod.
	ConfAnnotateExitException = "spark.kubernetes.driver.annotateExitException"

	// DriverContainer is the name Spark gives the driver's container; the operator reads only this one.
	DriverContainer = "spark-kubernetes-driver"

	// LabelRole tells driver pods from executor pods.
	LabelRole    = "spark-role"
	RoleDriver   = "driver"
	RoleExecutor = "executor"
)

// DriverContainerName returns the name of the container in pod that runs the driver: spark-kubernetes-driver, else the
// first one of the pod that the driver's template names, else the only one; "" where none can be told.
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
