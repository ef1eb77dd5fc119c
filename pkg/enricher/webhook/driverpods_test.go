package webhook

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/config"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func TestDriverPodsGetWhatThePoliciesGive(t *testing.T) {
	finalizer := compile(t, policyFile(t, "admission/driver-finalizer.yaml"))
	message := compile(t, policyFile(t, "admission/driver-termination-message.yaml"))
	cases := map[string]map[string]any{
		"a driver":                             newPod(nil, nil, "spark-kubernetes-driver"),
		"a driver behind a sidecar":            newPod(nil, nil, "sidecar", "spark-kubernetes-driver"),
		"another's finalizer":                  newPod(nil, []any{"example.com/other"}, "spark-kubernetes-driver"),
		"our finalizer":                        newPod(nil, []any{"a/b", v1beta2.FinalizerCapture}, "spark-kubernetes-driver"),
		"an empty list of finalizers":          newPod(nil, []any{}, "spark-kubernetes-driver"),
		"a renamed container":                  newPod(nil, nil, "renamed"),
		"no container":                         newPod(nil, nil),
		"a message policy that is set already": withPolicy(newPod(nil, nil, "spark-kubernetes-driver"), "File"),
	}
	for name, object := range cases {
		t.Run(name, func(t *testing.T) {
			operations, err := driverPods{captureFinalizer: true, terminationMessage: true}.mutate("jobs", encode(t, object))
			if err != nil {
				t.Fatal(err)
			}
			want := message.mutate(t, finalizer.mutate(t, decode(t, encode(t, object)), nil), nil)
			if diff := cmp.Diff(want, apply(t, object, operations)); diff != "" {
				t.Errorf("policies and webhook differ (-policies +webhook):\n%s", diff)
			}
		})
	}
}

func TestWhichPodsAreChanged(t *testing.T) {
	both := driverPods{captureFinalizer: true, terminationMessage: true}
	scoped := both
	scoped.namespaces = []string{"jobs"}
	cases := map[string]struct {
		drivers   driverPods
		namespace string
		labels    map[string]any
		want      []string
	}{
		"a driver":                 {both, "jobs", nil, []string{"/metadata/finalizers", "/spec/containers/0/terminationMessagePolicy"}},
		"only the finalizer":       {driverPods{captureFinalizer: true}, "jobs", nil, []string{"/metadata/finalizers"}},
		"only the message":         {driverPods{terminationMessage: true}, "jobs", nil, []string{"/spec/containers/0/terminationMessagePolicy"}},
		"nothing is switched on":   {driverPods{}, "jobs", nil, nil},
		"an executor":              {both, "jobs", map[string]any{spark.LabelRole: "executor"}, nil},
		"not the operator's":       {both, "jobs", map[string]any{v1beta2.LabelLaunchedBy: "false"}, nil},
		"names no application":     {both, "jobs", map[string]any{v1beta2.LabelAppName: ""}, nil},
		"exempt from the message":  {both, "jobs", map[string]any{v1beta2.LabelTerminationMessage: "off"}, []string{"/metadata/finalizers"}},
		"a namespace in scope":     {scoped, "jobs", nil, []string{"/metadata/finalizers", "/spec/containers/0/terminationMessagePolicy"}},
		"a namespace out of scope": {scoped, "other", nil, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			operations, err := tc.drivers.mutate(tc.namespace, encode(t, newPod(tc.labels, nil, "spark-kubernetes-driver")))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, operation := range operations {
				got = append(got, operation.Path)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("changed paths (-want +got):\n%s", diff)
			}
		})
	}
}

// What the API server asks for, and what the webhook does of it, must be one thing.
func TestSelectorsAskForTheSamePodsAsTheWebhook(t *testing.T) {
	none := map[string]string{}
	driver := map[string]string{spark.LabelRole: "driver", v1beta2.LabelLaunchedBy: "true", v1beta2.LabelAppName: "etl"}
	cases := map[string]map[string]string{
		"a driver":                   driver,
		"no label":                   none,
		"an executor":                with(driver, spark.LabelRole, "executor"),
		"not the operator's":         with(driver, v1beta2.LabelLaunchedBy, "false"),
		"an empty application":       with(driver, v1beta2.LabelAppName, ""),
		"without a role":             without(driver, spark.LabelRole),
		"without who launched it":    without(driver, v1beta2.LabelLaunchedBy),
		"without an application":     without(driver, v1beta2.LabelAppName),
		"with a label of others":     with(driver, "team", "a"),
		"exempt from nothing at all": with(driver, v1beta2.LabelTerminationMessage, "on"),
	}
	selectors := map[string]labels.Selector{
		"driver-finalizer":           selectorOf(t, policyFile(t, "admission/driver-finalizer.yaml").Spec.MatchConstraints.ObjectSelector),
		"driver-termination-message": selectorOf(t, policyFile(t, "admission/driver-termination-message.yaml").Spec.MatchConstraints.ObjectSelector),
		"driver-pods":                selectorOf(t, webhookFile(t, "webhook/driver-pods/driver-pods.yaml").Webhooks[0].ObjectSelector),
	}
	for name, of := range cases {
		t.Run(name, func(t *testing.T) {
			p := &pod{}
			p.Metadata.Labels = of
			for file, selector := range selectors {
				if got := selector.Matches(labels.Set(of)); got != p.isDriver() {
					t.Errorf("%s selects it: %t, the webhook changes it: %t", file, got, p.isDriver())
				}
			}
		})
	}
}

func with(of map[string]string, key, value string) map[string]string {
	changed := maps.Clone(of)
	changed[key] = value
	return changed
}

func without(of map[string]string, key string) map[string]string {
	changed := maps.Clone(of)
	delete(changed, key)
	return changed
}

func selectorOf(t *testing.T, of *metav1.LabelSelector) labels.Selector {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(of)
	if err != nil {
		t.Fatal(err)
	}
	return selector
}

func webhookFile(t *testing.T, name string) *admissionregistrationv1.MutatingWebhookConfiguration {
	t.Helper()
	data, err := config.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{}
	if err := yaml.UnmarshalStrict(data, configuration); err != nil {
		t.Fatal(err)
	}
	return configuration
}

func newPod(labels map[string]any, finalizers []any, containers ...string) map[string]any {
	all := map[string]any{spark.LabelRole: "driver", v1beta2.LabelLaunchedBy: "true", v1beta2.LabelAppName: "etl"}
	maps.Copy(all, labels)
	metadata := map[string]any{"name": "driver", "namespace": "jobs", "labels": all}
	if finalizers != nil {
		metadata["finalizers"] = finalizers
	}
	list := []any{}
	for _, name := range containers {
		list = append(list, map[string]any{"name": name, "image": "spark"})
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": map[string]any{"containers": list}}
}

func withPolicy(pod map[string]any, policy string) map[string]any {
	pod["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["terminationMessagePolicy"] = policy
	return pod
}
