package install

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

const anyNamespace = `request.userInfo.username.startsWith("system:serviceaccount:") && ` +
	`request.userInfo.username.endsWith(":spark-status-enricher")`

func TestFenceSurroundsTheGivenServiceAccount(t *testing.T) {
	cases := map[string]struct {
		account types.NamespacedName
		want    string
	}{
		"the default one":               {DefaultServiceAccount, anyNamespace},
		"the same in another namespace": {types.NamespacedName{Namespace: "spark-system", Name: "spark-status-enricher"}, anyNamespace},
		"another, nowhere but there": {
			types.NamespacedName{Namespace: "spark-system", Name: "default"},
			`request.userInfo.username == "system:serviceaccount:spark-system:default"`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fences := 0
			for _, object := range allPolicies(t, Options{ServiceAccount: tc.account}) {
				if object.GetKind() != fenceKind {
					continue
				}
				fences++
				if diff := cmp.Diff(tc.want, soleCondition(t, object)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", nameOf(object), diff)
				}
			}
			if fences != 4 {
				t.Errorf("%d fences, want 4", fences)
			}
		})
	}
}

func TestWhichAccountsTheFenceLeavesOut(t *testing.T) {
	moved := types.NamespacedName{Namespace: "spark-system", Name: "spark-status-enricher"}
	renamed := types.NamespacedName{Namespace: "spark-system", Name: "explainer"}
	exact := func(account types.NamespacedName) string {
		return fmt.Sprintf("request.userInfo.username == %q", username(account))
	}
	cases := map[string]struct {
		expression string
		bound      []types.NamespacedName
		want       int
	}{
		"nobody has the rights":                 {expression: anyNamespace},
		"the default account":                   {anyNamespace, []types.NamespacedName{DefaultServiceAccount}, 0},
		"the default account, moved":            {anyNamespace, []types.NamespacedName{moved}, 0},
		"a fence of one namespace, and moved":   {exact(DefaultServiceAccount), []types.NamespacedName{moved}, 1},
		"a fence of one namespace, there":       {exact(moved), []types.NamespacedName{moved}, 0},
		"another name":                          {anyNamespace, []types.NamespacedName{renamed}, 1},
		"another name, named":                   {exact(renamed), []types.NamespacedName{renamed}, 0},
		"two, one of them named":                {exact(renamed), []types.NamespacedName{DefaultServiceAccount, renamed}, 1},
		"a name that ends as the default's":     {anyNamespace, []types.NamespacedName{{Namespace: "a", Name: "my-spark-status-enricher"}}, 1},
		"a namespace that starts as that named": {exact(moved), []types.NamespacedName{{Namespace: "spark", Name: moved.Name}}, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fence := &unstructured.Unstructured{Object: map[string]any{"kind": fenceKind, "spec": map[string]any{
				"matchConditions": []any{map[string]any{"name": fenceCondition, "expression": tc.expression}},
			}}}
			got, err := unfenced(fence, tc.bound)
			if err != nil || len(got) != tc.want {
				t.Errorf("unfenced: %v, %v, want %d", got, err, tc.want)
			}
		})
	}
}

func TestWhichAccountIsMeant(t *testing.T) {
	a, b := types.NamespacedName{Namespace: "a", Name: "x"}, types.NamespacedName{Namespace: "b", Name: "x"}
	cases := map[string]struct {
		given types.NamespacedName
		bound []types.NamespacedName
		want  types.NamespacedName
	}{
		"the one given":           {a, []types.NamespacedName{b}, a},
		"the one bound":           {types.NamespacedName{}, []types.NamespacedName{b}, b},
		"the default where bound": {types.NamespacedName{}, []types.NamespacedName{a, DefaultServiceAccount}, DefaultServiceAccount},
		"the default before it":   {types.NamespacedName{}, nil, DefaultServiceAccount},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := accountOf(tc.given, tc.bound); got != tc.want {
				t.Errorf("account is %s, want %s", got, tc.want)
			}
		})
	}
}

func TestWhichBindingsGiveTheEnrichersRights(t *testing.T) {
	subjects := []rbacv1.Subject{
		{Kind: rbacv1.UserKind, Name: "admin"}, {Kind: rbacv1.ServiceAccountKind, Namespace: "a", Name: "x"},
	}
	found := []types.NamespacedName{{Namespace: "a", Name: "x"}}
	cases := map[string]struct {
		role rbacv1.RoleRef
		want []types.NamespacedName
	}{
		"the ClusterRole":                {rbacv1.RoleRef{Kind: "ClusterRole", Name: "spark-status-enricher"}, found},
		"the ClusterRole with a prefix":  {rbacv1.RoleRef{Kind: "ClusterRole", Name: "prod-spark-status-enricher"}, found},
		"another ClusterRole":            {rbacv1.RoleRef{Kind: "ClusterRole", Name: "view"}, nil},
		"a Role, which anybody may name": {rbacv1.RoleRef{Kind: "Role", Name: "spark-status-enricher"}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := accountsOf(&rbacv1.RoleBinding{RoleRef: tc.role, Subjects: subjects})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("accounts (-want +got):\n%s", diff)
			}
		})
	}
}

func soleCondition(t *testing.T, policy *unstructured.Unstructured) string {
	t.Helper()
	conditions, _, err := unstructured.NestedSlice(policy.Object, "spec", "matchConditions")
	if err != nil || len(conditions) != 1 {
		t.Fatalf("%s has match conditions %v, %v", nameOf(policy), conditions, err)
	}
	return conditions[0].(map[string]any)["expression"].(string)
}
