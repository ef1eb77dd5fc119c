// Package rbac proves that the enricher works with the rules of config/rbac and no others, and that each of them is
// needed: without it the enricher says in a line what it cannot do, and does not crash.
package rbac

import (
	"context"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

func TestRBAC(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Rules")
}

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{})
	Expect(bed.Install(ctx, "--with", "finalizer")).To(Succeed())
})

const crash = "Exception in thread \"main\" java.lang.IllegalStateException: no customer\n\tat com.example.Daily.main(Daily.java:7)\n"

// rules of the two roles, as "group/resources", with what the enricher says it cannot do without.
var clusterRules = []TableEntry{
	Entry("pods", "pods", "nothing works"),
	Entry("pods/log", "pods/log", "failures are diagnosed without the driver's log"),
	Entry("sparkapplications", "sparkapplications", "nothing works"),
	Entry("sparkapplications/status", "sparkapplications/status", "no status is written"),
	Entry("events", "events", "no events are sent"),
	Entry("customresourcedefinitions", "customresourcedefinitions", "a missing CRD extension is not noticed"),
}

var _ = Describe("With the rules of config/rbac", Label("rbac"), func() {
	It("the enricher does its whole job: log, annotation, status, event, finalizer", func(ctx context.Context) {
		enricher := start(ctx, "whole", false)
		app := fail(ctx, "whole")
		Eventually(func(g Gomega) {
			status := app.Get(ctx).Status
			g.Expect(status.Diagnostics).NotTo(BeNil())
			g.Expect(status.Diagnostics.Source).To(Equal(failure.SourceDriverLog))
			pod := app.Driver(ctx)
			g.Expect(pod.Annotations).To(HaveKey(script.ExitException))
			g.Expect(pod.Finalizers).To(BeEmpty())
			g.Expect(bed.Kubectl(ctx, "get", "events", "-n", app.Namespace)).To(ContainSubstring("UserCodeError"))
		}).Should(Succeed())
		Expect(enricher.Log()).NotTo(Or(ContainSubstring("Missing permission"), ContainSubstring("forbidden")))
	})

	DescribeTable("and without the one on", func(ctx context.Context, resource, cannot string) {
		bed.Without(ctx, resource)
		enricher := start(ctx, "without-"+strings.ReplaceAll(resource, "/", "-"), true)
		Eventually(enricher.Log).Should(ContainSubstring(cannot))
		app := fail(ctx, "denied")
		app.Reaches(ctx, v1beta2.StateFailed)
		Consistently(enricher.Done(), "5s").ShouldNot(BeClosed())

		Expect(bed.ApplyRBAC(ctx)).To(Succeed())
		again := fail(ctx, "granted")
		Eventually(func(g Gomega) {
			status := again.Get(ctx).Status
			g.Expect(status.Diagnostics).NotTo(BeNil())
			g.Expect(status.Diagnostics.Reason).To(Equal(failure.ReasonUserCodeError))
		}, "120s").Should(Succeed())
		Expect(enricher.Done()).NotTo(BeClosed())
	}, clusterRules)

	DescribeTable("and without the leader election's on", func(ctx context.Context, resource, verb, cannot string) {
		withoutVerb(ctx, resource, verb)
		enricher := start(ctx, "lease-"+resource+"-"+verb, true)
		Eventually(enricher.Log).Should(ContainSubstring(cannot))
		Consistently(enricher.Done(), "5s").ShouldNot(BeClosed())
	},
		Entry("leases, to create", "leases", "create", "no replica ever leads"),
		Entry("leases, to get and update", "leases", "update", "no replica ever leads"),
		Entry("events", "events", "create", "a change of leader is not told"),
	)
})

// start runs an enricher until the spec ends.
func start(ctx context.Context, name string, notReady bool) *cluster.Enricher {
	GinkgoHelper()
	enricher, err := bed.StartEnricher(ctx, cluster.EnricherOptions{
		Name: name, NotReady: notReady,
		Configure: func(c *configv1alpha1.EnricherConfiguration) { c.CaptureFinalizer = new(true) },
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(enricher.Stop)
	return enricher
}

// fail submits an application that fails with an exception in its log.
func fail(ctx context.Context, name string) e2etest.App {
	GinkgoHelper()
	return bed.Submit(ctx, build.App(bed.Namespace(ctx), name).Annotating("true"),
		script.Once(script.Running(), script.Log(crash), script.Exit(1)))
}

// withoutVerb takes the rule of a resource that has the verb from the role of the leader election until the spec ends.
func withoutVerb(ctx context.Context, resource, verb string) {
	GinkgoHelper()
	role := &rbacv1.Role{}
	key := client.ObjectKey{Namespace: cluster.EnricherAccount.Namespace, Name: "spark-status-enricher-leader-election"}
	Expect(bed.Client.Get(ctx, key, role)).To(Succeed())
	before := len(role.Rules)
	role.Rules = slices.DeleteFunc(role.Rules, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.Resources, resource) && slices.Contains(r.Verbs, verb)
	})
	Expect(role.Rules).To(HaveLen(before - 1))
	Expect(bed.Client.Update(ctx, role)).To(Succeed())
	DeferCleanup(bed.ApplyRBAC)
}
