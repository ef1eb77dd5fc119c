// Package install proves `enricher install` on a cluster that has only the operator, and what an enricher does that
// was started before it.
package install

import (
	"context"
	"net/http"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

func TestInstall(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Installation")
}

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{Bare: true})
})

var _ = Describe("enricher install", Ordered, Label("install"), func() {
	var early *cluster.Enricher

	missing := []string{
		"status.diagnostics", "status.conditions", "column Reason",
		"mutatingadmissionpolicy/spark-status-enricher-keep-status",
		"validatingadmissionpolicy/spark-status-enricher-fence-pods",
	}

	It("--check names what is missing on a cluster with only the operator, and exits 1", func(ctx context.Context) {
		out, err := bed.Cluster.Enricher(ctx, "install", "--check")
		Expect(err).To(MatchError(ContainSubstring("exit status 1")))
		for _, part := range missing {
			Expect(out).To(ContainSubstring(part))
		}
	})

	It("--dry-run says what it would do and changes nothing", func(ctx context.Context) {
		_, err := bed.Cluster.Enricher(ctx, "install", "--dry-run")
		Expect(err).NotTo(HaveOccurred())
		_, err = bed.Cluster.Enricher(ctx, "install", "--check")
		Expect(err).To(MatchError(ContainSubstring("exit status 1")))
	})

	It("is asked for in one line by an enricher that lacks it, which is not ready and writes nothing", func(ctx context.Context) {
		Expect(bed.ApplyRBAC(ctx)).To(Succeed())
		var err error
		early, err = bed.StartEnricher(ctx, cluster.EnricherOptions{NotReady: true})
		Expect(err).NotTo(HaveOccurred())
		Eventually(early.Log).Should(ContainSubstring("enricher install"))
		namespace := bed.Namespace(ctx)
		app := bed.Submit(ctx, build.App(namespace, "early").Annotating("true"), script.Once(script.Running(), script.Exit(1)))
		app.Reaches(ctx, v1beta2.StateFailed)
		Consistently(func() int { return probe(early) }, "3s").ShouldNot(Equal(http.StatusOK))
		Expect(early.Done()).NotTo(BeClosed())
		log, err := bed.Audit()
		Expect(err).NotTo(HaveOccurred())
		Expect(log.Where(audit.By(cluster.EnricherUser), audit.On("sparkapplications/status"), audit.Succeeded)).To(BeEmpty())
	})

	It("completes the cluster, and --check then exits 0", func(ctx context.Context) {
		_, err := bed.Cluster.Enricher(ctx, "install")
		Expect(err).NotTo(HaveOccurred())
		out, err := bed.Cluster.Enricher(ctx, "install", "--check")
		Expect(err).NotTo(HaveOccurred(), out)
	})

	It("is noticed by the enricher that waited for it, which then does its job", func(ctx context.Context) {
		Eventually(func() int { return probe(early) }).Should(Equal(http.StatusOK))
		namespace := bed.Namespace(ctx)
		app := bed.Submit(ctx, build.App(namespace, "later"), script.Once(script.Running(), script.OOMKilled()))
		Eventually(func() failure.Reason {
			if d := app.Get(ctx).Status.Diagnostics; d != nil {
				return d.Reason
			}
			return ""
		}).Should(Equal(failure.ReasonDriverOOMKilled))
	})

	It("changes nothing the second time", func(ctx context.Context) {
		before, err := bed.Kubectl(ctx, "get", "crd", v1beta2.CRDName, "-o", "jsonpath={.metadata.resourceVersion}")
		Expect(err).NotTo(HaveOccurred())
		_, err = bed.Cluster.Enricher(ctx, "install")
		Expect(err).NotTo(HaveOccurred())
		after, err := bed.Kubectl(ctx, "get", "crd", v1beta2.CRDName, "-o", "jsonpath={.metadata.resourceVersion}")
		Expect(err).NotTo(HaveOccurred())
		Expect(after).To(Equal(before))
	})
})

// probe is the answer of the readiness probe, 0 where there is none.
func probe(enricher *cluster.Enricher) int {
	response, err := http.Get(enricher.Health + "/readyz")
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}
