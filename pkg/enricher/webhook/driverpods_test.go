package webhook

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func newPod(labels map[string]any, finalizers []any, containers ...string) map[string]any {
	all := map[string]any{spark.LabelRole: "driver", v1beta2.LabelLaunchedBy: "true"}
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
