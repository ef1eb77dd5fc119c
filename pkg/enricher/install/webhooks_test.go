package install

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func TestWebhooksStandInForMutatingPolicies(t *testing.T) {
	options := Options{
		Webhook: true, Features: Features, Namespaces: []string{"jobs"},
		ServiceAccount: types.NamespacedName{Namespace: "tools", Name: "enricher"},
	}
	objects, err := (&Installer{Options: options}).policies(nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, object := range objects {
		got = append(got, nameOf(object))
	}
	want := []string{
		"mutatingwebhookconfiguration/spark-status-enricher-keep-status",
		"validatingadmissionpolicy/spark-status-enricher-fence-pods",
		"validatingadmissionpolicybinding/spark-status-enricher-fence-pods",
		"validatingadmissionpolicy/spark-status-enricher-fence-status",
		"validatingadmissionpolicybinding/spark-status-enricher-fence-status",
		"validatingadmissionpolicy/spark-status-enricher-fence-events",
		"validatingadmissionpolicybinding/spark-status-enricher-fence-events",
		"validatingadmissionpolicy/spark-status-enricher-fence-webhooks",
		"validatingadmissionpolicybinding/spark-status-enricher-fence-webhooks",
		"mutatingwebhookconfiguration/spark-status-enricher-driver-pods",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	keep, drivers := webhookOf(t, objects[0]), webhookOf(t, objects[len(objects)-1])
	for _, webhook := range []map[string]any{keep, drivers} {
		if namespace, _, _ := unstructured.NestedString(webhook, "clientConfig", "service", "namespace"); namespace != "tools" {
			t.Errorf("webhook %s calls a service in namespace %q, want tools", webhook["name"], namespace)
		}
	}
	if keep["namespaceSelector"] != nil {
		t.Errorf("keep-status is narrowed to %v, want all namespaces", keep["namespaceSelector"])
	}
	selector := map[string]any{"matchExpressions": []any{
		map[string]any{"key": "kubernetes.io/metadata.name", "operator": "In", "values": []any{"jobs"}},
	}}
	if diff := cmp.Diff(selector, drivers["namespaceSelector"]); diff != "" {
		t.Errorf("namespaces of driver-pods (-want +got):\n%s", diff)
	}
}

func TestDriverPodsWebhookIsInstalledOnlyWithAFeature(t *testing.T) {
	objects, err := (&Installer{Options: Options{Webhook: true, ServiceAccount: DefaultServiceAccount}}).policies(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		if object.GetName() == "spark-status-enricher-driver-pods" {
			t.Errorf("%s is installed without a feature", nameOf(object))
		}
	}
}

func webhookOf(t *testing.T, object *unstructured.Unstructured) map[string]any {
	t.Helper()
	webhooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
	if err != nil || len(webhooks) != 1 {
		t.Fatalf("webhooks of %s: %v, %v, want one", nameOf(object), webhooks, err)
	}
	return webhooks[0].(map[string]any)
}
