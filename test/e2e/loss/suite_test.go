// Package loss proves that no attempt is lost, taken for another's or left hanging, whatever the enricher sees and
// whenever it runs.
package loss

import (
	"context"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

func TestLoss(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Nothing is lost")
}

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{})
})

// start runs an enricher until the spec ends.
func start(ctx context.Context, opts cluster.EnricherOptions) *cluster.Enricher {
	GinkgoHelper()
	enricher, err := bed.StartEnricher(ctx, opts)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(enricher.Stop)
	return enricher
}

func capturing(c *configv1alpha1.EnricherConfiguration) { c.CaptureFinalizer = new(true) }
