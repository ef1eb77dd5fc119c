package loss

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

const (
	growthBatches = 20
	growthBatch   = 100
	// warmedUp is the batch from which on nothing may grow any more.
	warmedUp = 4
)

var _ = Describe("An enricher that has worked for long", Label("loss", "slow"), func() {
	It("holds no more goroutines and memory after 2,000 attempts than after 400", func(ctx context.Context) {
		busy := e2etest.Start(ctx, e2etest.Options{NoOperator: true})
		namespace := busy.Namespace(ctx)
		enricher, err := busy.StartEnricher(ctx, cluster.EnricherOptions{})
		Expect(err).NotTo(HaveOccurred())
		var early, late footprint
		for batch := 1; batch <= growthBatches; batch++ {
			failAndForget(ctx, busy, namespace, batch)
			late = footprintOf(ctx, enricher)
			GinkgoWriter.Printf("after %4d attempts: %s\n", batch*growthBatch, late)
			if batch == warmedUp {
				early = late
			}
		}
		Expect(late.goroutines).To(BeNumerically("<=", early.goroutines+10), "goroutines")
		Expect(late.liveHeap).To(BeNumerically("<=", early.liveHeap*1.25+2), "live heap, MiB")
		Expect(late.resident).To(BeNumerically("<=", early.resident*1.25+16), "resident memory, MiB")
	})
})

// failAndForget has a batch of applications fail, waits for their diagnoses and deletes them.
func failAndForget(ctx context.Context, bed *e2etest.Bed, namespace string, batch int) {
	GinkgoHelper()
	name := func(i int) string { return fmt.Sprintf("app-%02d-%03d", batch, i) }
	inParallel(ctx, growthBatch, func(ctx context.Context, i int) error {
		return failedBefore(ctx, bed, namespace, name(i), time.Minute, true, trace)
	})
	Eventually(diagnosedIn, "120s", "500ms").WithArguments(ctx, bed, namespace).Should(HaveLen(growthBatch))
	inParallel(ctx, growthBatch, func(ctx context.Context, i int) error {
		return bed.Client.Delete(ctx, build.App(namespace, name(i)).Object())
	})
	Expect(bed.Client.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(namespace), client.GracePeriodSeconds(0))).To(Succeed())
	Eventually(func() ([]corev1.Pod, error) {
		pods := &corev1.PodList{}
		err := bed.Client.List(ctx, pods, client.InNamespace(namespace))
		return pods.Items, err
	}).Should(BeEmpty())
}

// footprint is what a process holds; memory in MiB.
type footprint struct{ goroutines, liveHeap, resident float64 }

func (f footprint) String() string {
	return fmt.Sprintf("%.0f goroutines, %.1f MiB live heap, %.1f MiB resident", f.goroutines, f.liveHeap, f.resident)
}

// footprintOf reads the enricher's metrics. The live heap is half of what the next collection waits for.
func footprintOf(ctx context.Context, enricher *cluster.Enricher) footprint {
	GinkgoHelper()
	const mebi = 1 << 20
	values := metricsOf(ctx, enricher)
	return footprint{
		goroutines: values["go_goroutines"], liveHeap: values["go_memstats_next_gc_bytes"] / 2 / mebi,
		resident: values["process_resident_memory_bytes"] / mebi,
	}
}

// metricsOf reads all metrics that have no labels, or whose labels are part of the key.
func metricsOf(ctx context.Context, enricher *cluster.Enricher) map[string]float64 {
	GinkgoHelper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, enricher.Metrics, nil)
	Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer response.Body.Close()
	values := map[string]float64{}
	scanner := bufio.NewScanner(response.Body)
	for scanner.Scan() {
		name, value, found := strings.Cut(scanner.Text(), " ")
		if number, err := strconv.ParseFloat(value, 64); found && err == nil {
			values[name] = number
		}
	}
	Expect(scanner.Err()).NotTo(HaveOccurred())
	return values
}
