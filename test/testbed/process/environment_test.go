package process

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestEnvValue(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-driver", Namespace: "spark"},
		Status:     corev1.PodStatus{PodIP: "127.40.0.1"},
	}
	field := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
	}
	tests := map[string]struct {
		variable corev1.EnvVar
		want     string
		wantErr  string
	}{
		"a plain value stays": {variable: corev1.EnvVar{Name: "SPARK_USER", Value: "etl"}, want: "etl"},
		"a field of the pod is looked up": {
			variable: corev1.EnvVar{Name: "SPARK_DRIVER_BIND_ADDRESS", ValueFrom: field("status.podIP")}, want: "127.40.0.1",
		},
		"an unknown field is refused": {
			variable: corev1.EnvVar{Name: "ZONE", ValueFrom: field("metadata.labels['zone']")},
			wantErr:  "environment variable ZONE of pod orders-driver: field metadata.labels['zone'] is not resolved",
		},
		"a secret is refused": {
			variable: corev1.EnvVar{Name: "PASSWORD", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "k"}}},
			wantErr:  "environment variable PASSWORD of pod orders-driver: only fieldRef is resolved",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := envValue(pod, tc.variable)
			gotErr := ""
			if err != nil {
				gotErr = err.Error()
			}
			if got != tc.want || gotErr != tc.wantErr {
				t.Errorf("envValue = %q, %q, want %q, %q", got, gotErr, tc.want, tc.wantErr)
			}
		})
	}
}

func TestProject(t *testing.T) {
	data := map[string]string{"spark.properties": "a=b", "log4j2.properties": "c=d"}
	tests := map[string]struct {
		items []corev1.KeyToPath
		want  map[string][]byte
	}{
		"all keys where none is named": {
			want: map[string][]byte{"spark.properties": []byte("a=b"), "log4j2.properties": []byte("c=d")},
		},
		"named keys under their paths": {
			items: []corev1.KeyToPath{{Key: "spark.properties", Path: "driver.properties"}},
			want:  map[string][]byte{"driver.properties": []byte("a=b")},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, project(data, tc.items)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}
