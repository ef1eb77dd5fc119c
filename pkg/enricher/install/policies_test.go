package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func TestMutatingPoliciesNeverBlock(t *testing.T) {
	for _, object := range allPolicies(t, Options{}) {
		got, _, err := unstructured.NestedString(object.Object, "spec", "failurePolicy")
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"MutatingAdmissionPolicy": "Ignore", "ValidatingAdmissionPolicy": "Fail"}[object.GetKind()]
		if got != want {
			t.Errorf("%s has failurePolicy %q, want %q", nameOf(object), got, want)
		}
	}
}

func TestFeaturesAreBoundToTheirNamespacesAndTheRestIsNot(t *testing.T) {
	bound := 0
	for _, object := range allPolicies(t, Options{Namespaces: []string{"team-a", "team-b"}}) {
		terms, found, err := unstructured.NestedSlice(object.Object, "spec", "matchResources", "namespaceSelector", "matchExpressions")
		if err != nil {
			t.Fatal(err)
		}
		feature := strings.Contains(object.GetName(), "-driver-") && object.GetKind() == "MutatingAdmissionPolicyBinding"
		if found != feature {
			t.Errorf("%s is bound to namespaces: %v, want %v", nameOf(object), found, feature)
		}
		if !found {
			continue
		}
		bound++
		want := []any{map[string]any{"key": "kubernetes.io/metadata.name", "operator": "In", "values": []any{"team-a", "team-b"}}}
		if diff := cmp.Diff(want, terms); diff != "" {
			t.Errorf("%s (-want +got):\n%s", nameOf(object), diff)
		}
	}
	if bound != len(Features) {
		t.Errorf("%d bindings name the namespaces, want %d", bound, len(Features))
	}
}

func TestCovers(t *testing.T) {
	wanted := map[string]any{"a": "x", "list": []any{map[string]any{"b": int64(1)}}}
	cases := map[string]struct {
		present any
		want    bool
	}{
		"the same":                       {map[string]any{"a": "x", "list": []any{map[string]any{"b": int64(1)}}}, true},
		"with the server's defaults":     {map[string]any{"a": "x", "d": "", "list": []any{map[string]any{"b": int64(1), "c": "*"}}}, true},
		"without a field":                {map[string]any{"list": []any{map[string]any{"b": int64(1)}}}, false},
		"with another value":             {map[string]any{"a": "y", "list": []any{map[string]any{"b": int64(1)}}}, false},
		"with another value in the list": {map[string]any{"a": "x", "list": []any{map[string]any{"b": int64(2)}}}, false},
		"with more entries":              {map[string]any{"a": "x", "list": []any{map[string]any{"b": int64(1)}, "more"}}, false},
		"of another type":                {[]any{"a"}, false},
		"nothing":                        {nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := covers(wanted, tc.present); got != tc.want {
				t.Errorf("covers is %v, want %v", got, tc.want)
			}
		})
	}
}

func TestParseFeature(t *testing.T) {
	for _, feature := range Features {
		if got, err := ParseFeature(string(feature)); got != feature || err != nil {
			t.Errorf("ParseFeature(%q) is %q, %v", feature, got, err)
		}
	}
	want := `unknown feature "finaliser", want one of [finalizer termination-message]`
	if _, err := ParseFeature("finaliser"); err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestReleasePatchTestsWhatItTakesAway(t *testing.T) {
	pod := &metav1.PartialObjectMetadata{}
	pod.UID = "u-1"
	pod.Finalizers = []string{"example.com/other", v1beta2.FinalizerCapture}
	got, err := encodePatch(releasePatch(pod))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"op":"test","path":"/metadata/uid","value":"u-1"},` +
		`{"op":"test","path":"/metadata/finalizers/1","value":"spark-status-enricher.io/capture"},` +
		`{"op":"remove","path":"/metadata/finalizers/1"}]`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
	pod.Finalizers = pod.Finalizers[:1]
	if got := releasePatch(pod); got != nil {
		t.Errorf("patch of a free pod is %v", got)
	}
}

func allPolicies(t *testing.T, options Options) []*unstructured.Unstructured {
	t.Helper()
	base, err := options.basePolicies()
	if err != nil {
		t.Fatal(err)
	}
	features, err := options.featurePolicies(Features...)
	if err != nil {
		t.Fatal(err)
	}
	return append(base, features...)
}
