package enricher

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// permission is one right the enricher needs, and what it cannot do without.
type permission struct {
	group, resource, subresource, name string
	verbs                              []string
	without                            string
}

func permissions(manageCRD bool) []permission {
	needed := []permission{
		{"sparkoperator.k8s.io", "sparkapplications", "", "", []string{"get", "list", "watch"}, "nothing works"},
		{"sparkoperator.k8s.io", "sparkapplications", "status", "", []string{"patch"}, "no status is written"},
		{"", "pods", "", "", []string{"get", "list", "watch"}, "nothing works"},
		{"", "pods", "", "", []string{"patch"}, "no driver pod is annotated and no finalizer released"},
		{"", "pods", "log", "", []string{"get"}, "failures are diagnosed without the driver's log"},
		{"events.k8s.io", "events", "", "", []string{"create"}, "no events are sent"},
		{"apiextensions.k8s.io", "customresourcedefinitions", "", v1beta2.CRDName, []string{"get", "list", "watch"},
			"a missing CRD extension is not noticed and nothing is written"},
	}
	if manageCRD {
		needed = append(needed, permission{"apiextensions.k8s.io", "customresourcedefinitions", "", v1beta2.CRDName,
			[]string{"patch"}, "manageCRD cannot put the status fields back"})
	}
	return needed
}

// reportPermissions logs one line for each right that is missing in one of the namespaces ("" means all of them).
func reportPermissions(ctx context.Context, client kubernetes.Interface, namespaces []string, manageCRD bool) error {
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	for _, p := range permissions(manageCRD) {
		where := namespaces
		if p.group == "apiextensions.k8s.io" {
			where = []string{metav1.NamespaceAll}
		}
		for _, namespace := range where {
			for _, verb := range p.verbs {
				if err := reportPermission(ctx, client, p, namespace, verb); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func reportPermission(ctx context.Context, client kubernetes.Interface, p permission, namespace, verb string) error {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: verb, Group: p.group, Resource: p.resource, Subresource: p.subresource, Name: p.name,
		},
	}}
	answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("asking for the enricher's own rights: %w", err)
	}
	if !answer.Status.Allowed {
		what := p.resource
		if p.subresource != "" {
			what += "/" + p.subresource
		}
		log.FromContext(ctx).Info("Missing permission", "verb", verb, "resource", what, "group", p.group,
			"namespace", namespace, "without", p.without)
	}
	return nil
}
