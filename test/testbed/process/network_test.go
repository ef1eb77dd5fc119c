package process

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestHostsFileNamesThePodAndTheBackendsOfServices(t *testing.T) {
	driver := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-driver", Labels: map[string]string{"spark-role": "driver"}},
		Status:     corev1.PodStatus{PodIP: "127.40.0.1"},
	}
	executor := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-exec-1", Labels: map[string]string{"spark-role": "executor"}},
		Status:     corev1.PodStatus{PodIP: "127.40.0.2"},
	}
	starting := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "next-driver", Labels: map[string]string{"spark-role": "driver"}}}
	services := []corev1.Service{
		{
			ObjectMeta: metav1.ObjectMeta{Name: "orders-driver-svc", Namespace: "spark"},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{"spark-role": "driver"}},
		},
		{ObjectMeta: metav1.ObjectMeta{Name: "kubernetes", Namespace: "spark"}},
	}
	want := "127.0.0.1 localhost\n" +
		"127.40.0.2 orders-exec-1\n" +
		"127.40.0.1 orders-driver-svc.spark.svc orders-driver-svc.spark orders-driver-svc\n"
	got := string(hostsFile(&executor, services, []corev1.Pod{driver, executor, starting}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hosts file (-want +got):\n%s", diff)
	}
}

func TestAddressesDiffer(t *testing.T) {
	given, seen := newAddresses(), map[string]bool{}
	for range 1000 {
		address := given.next()
		if seen[address] {
			t.Fatalf("address %s is given twice", address)
		}
		seen[address] = true
	}
}
