package loss

import (
	"context"
	"fmt"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

const erasingFor = 60 * time.Second

var _ = Describe("Where neither policy nor webhook keeps the status", Label("loss"), func() {
	It("the enricher writes to one failed application at most five times, says so once and keeps the summary", func(ctx context.Context) {
		if os.Getenv(e2etest.EnvWebhook) != "" {
			Skip("the policies are what is taken away here")
		}
		bare := e2etest.Start(ctx, e2etest.Options{})
		for _, kind := range []string{"mutatingadmissionpolicybinding", "mutatingadmissionpolicy"} {
			_, err := bare.Kubectl(ctx, "delete", kind, "spark-status-enricher-keep-status")
			Expect(err).NotTo(HaveOccurred())
		}
		enricher, err := bare.StartEnricher(ctx, cluster.EnricherOptions{})
		Expect(err).NotTo(HaveOccurred())
		namespace := bare.Namespace(ctx)
		app := bare.Submit(ctx, build.App(namespace, "erased").Retries(1, 1), script.Once(
			script.Running(), script.Annotate(trace), script.Exit(1)))
		app.Reaches(ctx, v1beta2.StateFailed)

		before := len(statusWrites(bare, namespace))
		for began, i := time.Now(), 0; time.Since(began) < erasingFor; i++ {
			touch(ctx, bare, app, i)
			time.Sleep(500 * time.Millisecond)
		}
		writes := statusWrites(bare, namespace)[before:]
		AddReportEntry("status writes in 60 s", len(writes))
		Expect(len(writes)).To(BeNumerically("<=", 5), writes.String())

		Expect(app.Get(ctx).Status.ApplicationState.ErrorMessage).To(ContainSubstring("diagnosis: UserCodeError: java.lang.IllegalStateException"))
		Expect(metricsOf(ctx, enricher)["enricher_status_erased_total"]).To(BeNumerically(">=", 3))
		Expect(eventsCalled(ctx, bare, namespace, "DiagnosisErased")).To(Equal(1))
		Expect(eventsCalled(ctx, bare, namespace, "UserCodeError")).To(Equal(2), "one a failed attempt")
	})
})

// statusWrites are the enricher's, so far.
func statusWrites(bed *e2etest.Bed, namespace string) audit.Log {
	GinkgoHelper()
	requests, err := bed.Audit()
	Expect(err).NotTo(HaveOccurred())
	return requests.Where(audit.By(cluster.EnricherUser), audit.In(namespace), audit.Writes, audit.On("sparkapplications/status"))
}

// touch changes a label, which makes the operator write the whole status.
func touch(ctx context.Context, bed *e2etest.Bed, app e2etest.App, i int) {
	GinkgoHelper()
	object := build.App(app.Namespace, app.Name).Object()
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"touched":"%d"}}}`, i)
	Expect(bed.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, patch))).To(Succeed())
}

func eventsCalled(ctx context.Context, bed *e2etest.Bed, namespace, reason string) int {
	GinkgoHelper()
	list := &eventsv1.EventList{}
	Expect(bed.Client.List(ctx, list, client.InNamespace(namespace))).To(Succeed())
	count := 0
	for _, event := range list.Items {
		if event.Reason == reason {
			count++
		}
	}
	return count
}
