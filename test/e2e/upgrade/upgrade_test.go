// Package upgrade proves what happens when an upgrade of the operator applies its CRD again, without the enricher's
// status fields.
package upgrade

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

func TestUpgrade(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Upgrade of the operator")
}

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{})
	_, err := bed.Kubectl(ctx, "apply", "-f", filepath.Join(bed.Root, "config", "rbac", "manage_crd.yaml"))
	Expect(err).NotTo(HaveOccurred())
})

// The ways in which charts and their users apply a CRD again.
var ways = []TableEntry{
	Entry("by kubectl replace", "replace"),
	Entry("by a server-side apply that forces conflicts", "apply", "--server-side", "--force-conflicts"),
}

var _ = Describe("An upgrade of the operator that takes the status fields away", Label("upgrade"), func() {
	DescribeTable("is noticed within a minute, told in one line, and mended by enricher install", func(ctx context.Context, way ...string) {
		enricher := start(ctx, "watching", false)
		upgrade(ctx, way...)
		Eventually(readiness, "60s").WithArguments(ctx, enricher).Should(And(
			ContainSubstring("500"), ContainSubstring("status.diagnostics"), ContainSubstring("enricher install")))
		Expect(enricher.Log()).To(ContainSubstring("Cannot write any status: the SparkApplication CRD lacks"))

		app := bed.Submit(ctx, build.App(bed.Namespace(ctx), "meanwhile"), script.Once(script.Running(), script.Exit(3)))
		app.Reaches(ctx, v1beta2.StateFailed)
		Expect(enricher.Done()).NotTo(BeClosed())

		_, err := bed.Cluster.Enricher(ctx, "install")
		Expect(err).NotTo(HaveOccurred())
		Eventually(readiness, "60s").WithArguments(ctx, enricher).Should(HavePrefix("200"))
		Eventually(exitCode(app), "60s").WithContext(ctx).Should(HaveValue(BeEquivalentTo(3)))
	}, ways)

	It("does not make the operator write for ever", func(ctx context.Context) {
		start(ctx, "resting", false)
		namespace := bed.Namespace(ctx)
		before := bed.Submit(ctx, build.App(namespace, "before"), script.Once(script.Running(), script.Exit(3)))
		Eventually(exitCode(before)).WithContext(ctx).Should(HaveValue(BeEquivalentTo(3)))
		upgrade(ctx, "replace")
		after := bed.Submit(ctx, build.App(namespace, "after"), script.Once(script.Running(), script.Exit(3)))
		after.Reaches(ctx, v1beta2.StateFailed)
		for _, app := range []e2etest.App{before, after} {
			_, err := bed.Kubectl(ctx, "label", "sparkapp", "-n", namespace, app.Name, "touched=yes")
			Expect(err).NotTo(HaveOccurred())
		}
		writes := func() int {
			requests, err := bed.Audit()
			Expect(err).NotTo(HaveOccurred())
			return len(requests.Where(audit.In(namespace), audit.On("sparkapplications/status"), audit.Writes))
		}
		// Each application may take a last write or two to come to rest.
		Eventually(func(g Gomega) {
			before := writes()
			g.Consistently(writes, "3s", "500ms").Should(Equal(before))
		}, "60s", "1s").Should(Succeed())
		atRest := writes()
		Consistently(writes, "10s", "1s").Should(Equal(atRest))
	})

	DescribeTable("is mended by the enricher itself with manageCRD", func(ctx context.Context, way ...string) {
		enricher := start(ctx, "mending", true)
		upgrade(ctx, way...)
		Eventually(enricher.Log, "60s").Should(ContainSubstring("Cannot write any status"))
		Eventually(func() error {
			_, err := bed.Cluster.Enricher(ctx, "install", "--check")
			return err
		}, "60s", "1s").Should(Succeed())
		Eventually(readiness, "60s").WithArguments(ctx, enricher).Should(HavePrefix("200"))
		app := bed.Submit(ctx, build.App(bed.Namespace(ctx), "afterwards"), script.Once(script.Running(), script.Exit(3)))
		Eventually(exitCode(app)).WithContext(ctx).Should(HaveValue(BeEquivalentTo(3)))
	}, ways)
})

// start runs an enricher until the spec ends, and puts the fields back then.
func start(ctx context.Context, name string, manage bool) *cluster.Enricher {
	GinkgoHelper()
	enricher, err := bed.StartEnricher(ctx, cluster.EnricherOptions{
		Name: name, Configure: func(c *configv1alpha1.EnricherConfiguration) { c.ManageCRD = &manage },
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) {
		Expect(enricher.Stop()).To(Succeed())
		_, err := bed.Cluster.Enricher(ctx, "install")
		Expect(err).NotTo(HaveOccurred())
	})
	return enricher
}

// upgrade applies the operator's own CRD.
func upgrade(ctx context.Context, way ...string) {
	GinkgoHelper()
	crd, err := bed.OperatorCRD(ctx)
	Expect(err).NotTo(HaveOccurred())
	_, err = bed.Kubectl(ctx, append(way, "-f", crd)...)
	Expect(err).NotTo(HaveOccurred())
}

// readiness gives the code and the text of the readiness probe, with its causes.
func readiness(ctx context.Context, enricher *cluster.Enricher) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, enricher.Health+"/readyz/crd", nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.Status + " " + string(body), err
}

func exitCode(app e2etest.App) func(context.Context) *int32 {
	return func(ctx context.Context) *int32 {
		if d := app.Get(ctx).Status.Diagnostics; d != nil {
			return d.ExitCode
		}
		return nil
	}
}
