package e2etest

import (
	"context"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

// Without takes the one rule about a resource ("pods/log") from the enricher's role until the spec ends. It returns when
// the API server goes by that, which it does a moment after the role has changed.
func (b *Bed) Without(ctx context.Context, resource string) {
	GinkgoHelper()
	role := &rbacv1.ClusterRole{}
	Expect(b.Client.Get(ctx, client.ObjectKey{Name: cluster.EnricherAccount.Name}, role)).To(Succeed())
	at := slices.IndexFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, resource) })
	Expect(at).To(BeNumerically(">=", 0), "a rule is about %s", resource)
	rule := role.Rules[at]
	role.Rules = slices.Delete(role.Rules, at, at+1)
	DeferCleanup(b.ApplyRBAC)
	Expect(b.Client.Update(ctx, role)).To(Succeed())
	Eventually(func() (bool, error) { return b.allows(ctx, rule) }).Should(BeFalse())
}

// allows asks the API server whether the enricher may do what the first verb and resource of a rule say.
func (b *Bed) allows(ctx context.Context, rule rbacv1.PolicyRule) (bool, error) {
	resource, subresource, _ := strings.Cut(rule.Resources[0], "/")
	attributes := &authorizationv1.ResourceAttributes{
		Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: resource, Subresource: subresource,
	}
	if len(rule.ResourceNames) > 0 {
		attributes.Name = rule.ResourceNames[0]
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: cluster.EnricherUser, ResourceAttributes: attributes,
	}}
	err := b.Client.Create(ctx, review)
	return review.Status.Allowed, err
}
