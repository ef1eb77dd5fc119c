package enricher

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTrimPodKeepsWhatADiagnosisNeeds(t *testing.T) {
	limits := corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}
	pod := running()
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
	pod.Annotations = map[string]string{"k8s.io/initial-events-end": "true"}
	pod.Spec = corev1.PodSpec{
		NodeName: "node-1", ServiceAccountName: "spark", Volumes: []corev1.Volume{{Name: "scratch"}},
		Containers: []corev1.Container{{
			Name: "spark-kubernetes-driver", Image: "spark:4.1", Args: []string{"driver"}, Resources: limits,
			Env: []corev1.EnvVar{
				{Name: "DB_PASSWORD", Value: "hunter22"},
				{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}},
			},
		}},
	}
	want := running()
	want.Annotations = pod.Annotations
	want.Spec = corev1.PodSpec{
		NodeName: "node-1", ServiceAccountName: "spark", InitContainers: []corev1.Container{},
		Containers: []corev1.Container{{
			Name: "spark-kubernetes-driver", Image: "spark:4.1", Args: []string{"driver"}, Resources: limits,
			Env: []corev1.EnvVar{{Name: "DB_PASSWORD", Value: "hunter22"}},
		}},
	}
	got, err := trimPod(pod)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trimmed pod (-want +got):\n%s", diff)
	}
}
