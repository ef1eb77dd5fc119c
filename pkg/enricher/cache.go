package enricher

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/text"
)

// appNameIndex finds driver pods by the name of their application.
const appNameIndex = "sparkoperator.appName"

func indexByAppName(obj client.Object) []string {
	return []string{obj.GetLabels()[v1beta2.LabelAppName]}
}

// cacheOptions keep driver pods and applications only, cut down to the fields in use.
func cacheOptions(namespaces []string) cache.Options {
	drivers := labels.SelectorFromSet(labels.Set{
		spark.LabelRole: spark.RoleDriver, v1beta2.LabelLaunchedBy: "true",
	})
	options := cache.Options{
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Pod{}:               {Label: drivers, Transform: trimPod},
			&v1beta2.SparkApplication{}: {Transform: trimMetadata},
			&metav1.PartialObjectMetadata{TypeMeta: crdType}: {
				Field: fields.OneTermEqualSelector("metadata.name", v1beta2.CRDName), Transform: trimMetadata,
			},
		},
	}
	for _, namespace := range namespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options
}

var crdType = metav1.TypeMeta{
	APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition",
}

// trimMetadata drops who owns which field. Annotations stay: a streaming list ends with one.
func trimMetadata(obj any) (any, error) {
	accessor, ok := obj.(metav1.Object)
	if !ok {
		return obj, nil
	}
	accessor.SetManagedFields(nil)
	return obj, nil
}

// keptAnnotations are those of a driver pod that are in use, and how many bytes of each: Spark writes up to 64 KiB of an
// exception, and whoever may create pods up to 256 KiB of anything.
var keptAnnotations = map[string]int{
	spark.AnnotationExitException:         64 << 10,
	v1beta2.AnnotationExitExceptionSource: 64,
	metav1.InitialEventsAnnotationKey:     64, // a streaming list ends with it
}

// trimAnnotations gives nil only for nil: a patch of the annotations depends on whether the pod has any.
func trimAnnotations(annotations map[string]string) map[string]string {
	if annotations == nil {
		return nil
	}
	kept := map[string]string{}
	for key, limit := range keptAnnotations {
		if value, ok := annotations[key]; ok {
			kept[key] = text.Cut(value, limit)
		}
	}
	return kept
}

// trimPod keeps of a driver pod's specification the node and, of each container, what a diagnosis quotes or
// has to redact, and of its annotations those in use.
func trimPod(obj any) (any, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return obj, nil
	}
	pod.ManagedFields, pod.Annotations = nil, trimAnnotations(pod.Annotations)
	pod.Spec = corev1.PodSpec{
		NodeName: pod.Spec.NodeName, ServiceAccountName: pod.Spec.ServiceAccountName,
		ActiveDeadlineSeconds: pod.Spec.ActiveDeadlineSeconds,
		Containers:            trimContainers(pod.Spec.Containers), InitContainers: trimContainers(pod.Spec.InitContainers),
	}
	return pod, nil
}

func trimContainers(containers []corev1.Container) []corev1.Container {
	trimmed := make([]corev1.Container, 0, len(containers))
	for _, c := range containers {
		trimmed = append(trimmed, corev1.Container{
			Name: c.Name, Image: c.Image, Command: c.Command, Args: c.Args, Env: literal(c.Env), Resources: c.Resources,
			RestartPolicy: c.RestartPolicy,
		})
	}
	return trimmed
}

// literal keeps the variables whose values stand in the pod: the secrets among them are to be redacted.
func literal(env []corev1.EnvVar) []corev1.EnvVar {
	var kept []corev1.EnvVar
	for _, e := range env {
		if e.Value != "" {
			kept = append(kept, e)
		}
	}
	return kept
}

// checkNamespaces refuses an empty name, which would mean all namespaces.
func checkNamespaces(namespaces []string) error {
	for i, namespace := range namespaces {
		if namespace == "" {
			return fmt.Errorf("namespaces[%d] is empty", i)
		}
	}
	return nil
}
