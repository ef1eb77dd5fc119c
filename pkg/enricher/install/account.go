package install

import (
	"context"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// DefaultServiceAccount is the one that config/rbac creates.
var DefaultServiceAccount = types.NamespacedName{Namespace: "spark-status-enricher", Name: "spark-status-enricher"}

// roleName is part of the name of each of the enricher's ClusterRoles, also where an overlay adds to it.
const roleName = "spark-status-enricher"

// fenceCondition names the match condition of the fence that says whom it surrounds.
const fenceCondition = "is-the-enricher"

// surround points a fence at the service account. One of the default name it tells in any namespace, as the manifest
// does. Of any other name only the one account is meant: an account called default exists in every namespace.
func surround(policy *unstructured.Unstructured, account types.NamespacedName) error {
	conditions, _, err := unstructured.NestedSlice(policy.Object, "spec", "matchConditions")
	if err != nil || account.Name == DefaultServiceAccount.Name {
		return err
	}
	for _, condition := range conditions {
		if c, ok := condition.(map[string]any); ok && c["name"] == fenceCondition {
			c["expression"] = fmt.Sprintf("request.userInfo.username == %q", username(account))
		}
	}
	return unstructured.SetNestedSlice(policy.Object, conditions, "spec", "matchConditions")
}

func username(account types.NamespacedName) string {
	return "system:serviceaccount:" + account.Namespace + ":" + account.Name
}

// accountOf is the service account given, else one that the cluster's bindings name, the default one if it is among them.
func accountOf(given types.NamespacedName, bound []types.NamespacedName) types.NamespacedName {
	switch {
	case given != types.NamespacedName{}:
		return given
	case len(bound) == 0 || slices.Contains(bound, DefaultServiceAccount):
		return DefaultServiceAccount
	default:
		return bound[0]
	}
}

// boundAccounts are the service accounts that one of the enricher's ClusterRoles is bound to, in the whole cluster or in
// a namespace, sorted.
func (i *Installer) boundAccounts(ctx context.Context) ([]types.NamespacedName, error) {
	var accounts []types.NamespacedName
	for _, kind := range []string{"ClusterRoleBinding", "RoleBinding"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(rbacv1.SchemeGroupVersion.WithKind(kind + "List"))
		if err := i.Client.List(ctx, list); err != nil {
			return nil, fmt.Errorf("listing each %s: %w", kind, err)
		}
		for at := range list.Items {
			binding := &rbacv1.RoleBinding{} // a ClusterRoleBinding has the same fields
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[at].Object, binding); err != nil {
				return nil, fmt.Errorf("decoding %s: %w", nameOf(&list.Items[at]), err)
			}
			accounts = append(accounts, accountsOf(binding)...)
		}
	}
	slices.SortFunc(accounts, func(a, b types.NamespacedName) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(accounts), nil
}

// accountsOf are the service accounts of a binding of one of the enricher's ClusterRoles.
func accountsOf(binding *rbacv1.RoleBinding) []types.NamespacedName {
	if binding.RoleRef.Kind != "ClusterRole" || !strings.Contains(binding.RoleRef.Name, roleName) {
		return nil
	}
	var accounts []types.NamespacedName
	for _, subject := range binding.Subjects {
		if subject.Kind == rbacv1.ServiceAccountKind {
			accounts = append(accounts, types.NamespacedName{Namespace: subject.Namespace, Name: subject.Name})
		}
	}
	return accounts
}

// unfenced tells of each account that has the enricher's rights while the fence, as it stands in the cluster, is about
// another.
func unfenced(fence *unstructured.Unstructured, bound []types.NamespacedName) ([]string, error) {
	conditions, _, err := unstructured.NestedSlice(fence.Object, "spec", "matchConditions")
	if err != nil {
		return nil, fmt.Errorf("reading the conditions of %s: %w", nameOf(fence), err)
	}
	var faults []string
	for _, account := range bound {
		named := slices.ContainsFunc(conditions, func(condition any) bool { return surrounds(condition, account) })
		if !named {
			faults = append(faults, fmt.Sprintf("unfenced serviceaccount/%s: %s is about another; run enricher install --service-account %s",
				account, nameOf(fence), account))
		}
	}
	return faults, nil
}

// surrounds is true of a match condition that names the account, by itself or by its name in any namespace.
func surrounds(condition any, account types.NamespacedName) bool {
	c, ok := condition.(map[string]any)
	if !ok || c["name"] != fenceCondition {
		return false
	}
	expression, _ := c["expression"].(string)
	return strings.Contains(expression, fmt.Sprintf("%q", username(account))) ||
		strings.Contains(expression, fmt.Sprintf("endsWith(%q)", ":"+account.Name))
}
