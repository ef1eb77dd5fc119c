package enricher

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func TestTrimPodKeepsWhatADiagnosisNeeds(t *testing.T) {
	limits := corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}
	pod := running()
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
	pod.Annotations = map[string]string{
		"k8s.io/initial-events-end": "true", "spark.exit-exception": "a.B: c", "team": "data",
		"spark-status-enricher.io/exit-exception-source": "DriverLog", "spark-status-enricher.io/other": "anything",
	}
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
	want.Annotations = map[string]string{
		"k8s.io/initial-events-end": "true", "spark.exit-exception": "a.B: c",
		"spark-status-enricher.io/exit-exception-source": "DriverLog",
	}
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

func TestWhatIsKeptOfAnnotationsIsBounded(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	cases := map[string]struct {
		annotations map[string]string
		want        map[string]int
	}{
		"none":                        {nil, nil},
		"an exception as Spark cuts":  {map[string]string{spark.AnnotationExitException: long[:64<<10]}, map[string]int{spark.AnnotationExitException: 64 << 10}},
		"a longer exception":          {map[string]string{spark.AnnotationExitException: long}, map[string]int{spark.AnnotationExitException: 64 << 10}},
		"a source of anybody's":       {map[string]string{v1beta2.AnnotationExitExceptionSource: long}, map[string]int{v1beta2.AnnotationExitExceptionSource: 64}},
		"others: none, but there are": {map[string]string{"team": long}, map[string]int{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pod := running()
			pod.Annotations = tc.annotations
			if _, err := trimPod(pod); err != nil {
				t.Fatal(err)
			}
			var got map[string]int
			if pod.Annotations != nil {
				got = map[string]int{}
			}
			for key, value := range pod.Annotations {
				got[key] = len(value)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("lengths (-want +got):\n%s", diff)
			}
		})
	}
}
