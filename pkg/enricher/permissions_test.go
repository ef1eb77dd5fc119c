package enricher

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
)

func TestPermissions(t *testing.T) {
	cases := map[string]struct {
		configure func(*configv1alpha1.EnricherConfiguration)
		resource  string
		want      [][]string // the namespaces of each right to the resource
	}{
		"pods are asked for everywhere": {
			func(*configv1alpha1.EnricherConfiguration) {}, "pods", [][]string{{""}, {""}, {""}},
		},
		"pods are asked for where they are watched": {
			func(c *configv1alpha1.EnricherConfiguration) { c.Namespaces = []string{"a", "b"} }, "pods",
			[][]string{{"a", "b"}, {"a", "b"}, {"a", "b"}},
		},
		"the CRD has no namespace": {
			func(c *configv1alpha1.EnricherConfiguration) { c.Namespaces = []string{"a"} }, "customresourcedefinitions", [][]string{{""}},
		},
		"the CRD is to be patched if it is managed": {
			func(c *configv1alpha1.EnricherConfiguration) { c.ManageCRD = new(true) }, "customresourcedefinitions", [][]string{{""}, {""}},
		},
		"leases are asked for in their namespace": {
			func(c *configv1alpha1.EnricherConfiguration) { c.LeaderElection.Namespace = "home" }, "leases", [][]string{{"home"}, {"home"}},
		},
		"without leader election there is no lease": {
			func(c *configv1alpha1.EnricherConfiguration) {
				c.LeaderElection = configv1alpha1.LeaderElection{Namespace: "home", Enabled: new(false)}
			}, "leases", nil,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cfg := &configv1alpha1.EnricherConfiguration{}
			tc.configure(cfg)
			configv1alpha1.SetDefaults(cfg)
			var got [][]string
			for _, p := range slices.DeleteFunc(permissions(cfg), func(p permission) bool { return p.resource != tc.resource }) {
				got = append(got, p.namespaces)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("namespaces of rights to %s (-want +got):\n%s", tc.resource, diff)
			}
		})
	}
}
