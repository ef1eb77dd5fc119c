// Package hostile proves that what drivers, tenants and applications put before the enricher costs it bounded time and
// memory, breaks no terminal, and that secrets in it come out nowhere.
package hostile

import (
	"bufio"
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

func TestHostile(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Hostile input")
}

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{Enricher: &cluster.EnricherOptions{}})
})

// maxResident is what the enricher may hold at most whatever it is fed, in MiB.
const maxResident = 256

// residentMiB is the enricher's resident memory.
func residentMiB(ctx context.Context) float64 {
	GinkgoHelper()
	return metric(ctx, "process_resident_memory_bytes") / (1 << 20)
}

// metric reads one metric without labels.
func metric(ctx context.Context, name string) float64 {
	GinkgoHelper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, bed.Enricher.Metrics, nil)
	Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer response.Body.Close()
	scanner := bufio.NewScanner(response.Body)
	for scanner.Scan() {
		if text, found := strings.CutPrefix(scanner.Text(), name+" "); found {
			value, err := strconv.ParseFloat(text, 64)
			Expect(err).NotTo(HaveOccurred())
			return value
		}
	}
	Fail("no metric " + name)
	return 0
}

// diagnosed waits until the application's failure is explained.
func diagnosed(ctx context.Context, app e2etest.App) *failure.Diagnostics {
	GinkgoHelper()
	var d *failure.Diagnostics
	Eventually(func(g Gomega) {
		d = app.Get(ctx).Status.Diagnostics
		g.Expect(d).NotTo(BeNil())
		g.Expect(d.Reason).NotTo(BeEmpty())
	}).Should(Succeed())
	return d
}
