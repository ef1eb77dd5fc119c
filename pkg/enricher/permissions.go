package enricher

import (
	"context"
	"fmt"
	"os"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/log"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// permission is one right the enricher needs, where, and what it cannot do without.
type permission struct {
	group, resource, subresource, name string
	verbs                              []string
	without                            string
	// namespaces in which it is needed; "" means all of them, or none for what has no namespace.
	namespaces []string
}

// permissions lists the rights that a configuration needs.
func permissions(cfg *configv1alpha1.EnricherConfiguration) []permission {
	watched, whole := cfg.Namespaces, []string{metav1.NamespaceAll}
	if len(watched) == 0 {
		watched = whole
	}
	needed := []permission{
		{"sparkoperator.k8s.io", "sparkapplications", "", "", []string{"get", "list", "watch"}, "nothing works", watched},
		{"sparkoperator.k8s.io", "sparkapplications", "status", "", []string{"patch"}, "no status is written", watched},
		{"", "pods", "", "", []string{"get", "list", "watch"}, "nothing works", watched},
		{"", "pods", "", "", []string{"patch"}, "no driver pod is annotated and no finalizer released", watched},
		{"", "pods", "log", "", []string{"get"}, "failures are diagnosed without the driver's log", watched},
		{"events.k8s.io", "events", "", "", []string{"create"}, "no events are sent", watched},
		{"events.k8s.io", "events", "", "", []string{"list"}, "earlier attempts are not found again after a restart", watched},
		{"apiextensions.k8s.io", "customresourcedefinitions", "", v1beta2.CRDName, []string{"get", "list", "watch"},
			"a missing CRD extension is not noticed and nothing is written", whole},
	}
	if *cfg.ManageCRD {
		needed = append(needed, permission{"apiextensions.k8s.io", "customresourcedefinitions", "", v1beta2.CRDName,
			[]string{"patch"}, "manageCRD cannot put the status fields back", whole})
	}
	return append(needed, leasePermissions(cfg)...)
}

// podNamespace is where a kubelet tells a pod its own namespace.
const podNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// leasePermissions are those of the leader election, in the namespace of the lease: by default the pod's own.
func leasePermissions(cfg *configv1alpha1.EnricherConfiguration) []permission {
	namespace := cfg.LeaderElection.Namespace
	if own, err := os.ReadFile(podNamespace); err == nil && namespace == "" {
		namespace = string(own)
	}
	if !*cfg.LeaderElection.Enabled || namespace == "" {
		return nil
	}
	where := []string{namespace}
	return []permission{
		{"coordination.k8s.io", "leases", "", "", []string{"create"}, "no replica ever leads", where},
		{"coordination.k8s.io", "leases", "", leaseName, []string{"get", "update"}, "no replica ever leads", where},
		{"", "events", "", "", []string{"create", "patch"}, "a change of leader is not told", where},
	}
}

// reportPermissions logs one line for each right that is missing.
func reportPermissions(ctx context.Context, client kubernetes.Interface, cfg *configv1alpha1.EnricherConfiguration) error {
	for _, p := range permissions(cfg) {
		for _, namespace := range p.namespaces {
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
