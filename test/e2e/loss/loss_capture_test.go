package loss

import (
	"context"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/faults"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

var _ = Describe("With the capture finalizer", Ordered, Label("loss"), func() {
	BeforeAll(func(ctx context.Context) {
		Expect(bed.Install(ctx, "--with", "finalizer")).To(Succeed())
	})
	AfterAll(func(ctx context.Context) {
		_, err := bed.Cluster.Enricher(ctx, "install", "--remove", "--with", "finalizer")
		Expect(err).NotTo(HaveOccurred())
	})

	It("an attempt that failed while no enricher ran is diagnosed when one comes back, and the retry goes on", func(ctx context.Context) {
		app := submitHeld(ctx, bed.Namespace(ctx), "held")
		start(ctx, cluster.EnricherOptions{Name: "comes-back", Configure: capturing})
		Eventually(func(g Gomega) {
			status := app.Get(ctx).Status
			g.Expect(status.ApplicationState.State).To(Equal(v1beta2.StateCompleted))
			g.Expect(status.Diagnostics).NotTo(BeNil())
			g.Expect(status.Diagnostics.Attempts).To(HaveLen(1))
			g.Expect(status.Diagnostics.Attempts[0].ExitCode).To(HaveValue(BeEquivalentTo(3)))
		}).Should(Succeed())
	})

	DescribeTable("a failure is recorded although a watch is behind, that of", func(ctx context.Context, watched string) {
		certificate, err := bed.ServerCertificate()
		Expect(err).NotTo(HaveOccurred())
		proxy, err := faults.Start(faults.Options{
			Target: bed.Config.Host, CA: bed.Config.CAData, Certificate: certificate, Seed: 1, Delay: 8 * time.Second,
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(proxy.Stop)
		proxy.Set(faults.Rule{Kind: faults.WatchStale, Chance: 1, When: func(r *http.Request) bool {
			return faults.Watches(r) && strings.HasSuffix(r.URL.Path, "/"+watched)
		}})
		start(ctx, cluster.EnricherOptions{Name: "behind", Server: proxy.URL, Configure: capturing})
		app := bed.Submit(ctx, build.App(bed.Namespace(ctx), "unseen-"+watched).Retries(1, 1),
			script.Once(script.Running(), script.Pause(12*time.Second), script.Exit(3)).Then(script.Running(), script.Exit(0)))
		Eventually(func(g Gomega) {
			status := app.Get(ctx).Status
			g.Expect(status.ApplicationState.State).To(Equal(v1beta2.StateCompleted))
			g.Expect(status.Diagnostics).NotTo(BeNil())
			g.Expect(status.Diagnostics.Attempts).To(HaveLen(1))
			g.Expect(status.Diagnostics.Attempts[0].ExitCode).To(HaveValue(BeEquivalentTo(3)))
		}).Should(Succeed())
		Expect(proxy.Counts()[faults.WatchStale]).To(BeNumerically(">", 0))
	}, Entry("applications", "sparkapplications"), Entry("pods", "pods"))

	It("an application goes on whose driver no status ever named, once that is deleted", func(ctx context.Context) {
		app := submitHeld(ctx, bed.Namespace(ctx), "forgotten")
		object := app.Get(ctx)
		forget := client.RawPatch(types.MergePatchType, []byte(`{"status": {"submissionID": "another"}}`))
		Expect(bed.Enriched.Status().Patch(ctx, object, forget)).To(Succeed())
		start(ctx, cluster.EnricherOptions{Name: "wakes", Configure: capturing})
		app.Reaches(ctx, v1beta2.StateCompleted)
		Expect(heldIn(ctx, object.Namespace)).To(BeEmpty())
	})

	It("kubectl alone frees a pod as well", func(ctx context.Context) {
		namespace := bed.Namespace(ctx)
		app := submitHeld(ctx, namespace, "stranded")
		for _, kind := range []string{"mutatingadmissionpolicybinding", "mutatingadmissionpolicy"} {
			_, err := bed.Kubectl(ctx, "delete", kind, "spark-status-enricher-driver-finalizer")
			Expect(err).NotTo(HaveOccurred())
		}
		DeferCleanup(func(ctx context.Context) { Expect(bed.Install(ctx, "--with", "finalizer")).To(Succeed()) })
		_, err := bed.Kubectl(ctx, "patch", "pod", "-n", namespace, "stranded-driver", "--type=json", "-p", `[
    {"op": "test", "path": "/metadata/finalizers/0", "value": "spark-status-enricher.io/capture"},
    {"op": "remove", "path": "/metadata/finalizers/0"}]`)
		Expect(err).NotTo(HaveOccurred())
		app.Reaches(ctx, v1beta2.StateCompleted)
	})

	It("one command frees every pod and retry where no enricher ever comes back", func(ctx context.Context) {
		namespace := bed.Namespace(ctx)
		var apps []e2etest.App
		for _, name := range []string{"first", "second", "third"} {
			apps = append(apps, submitHeld(ctx, namespace, name))
		}
		out, err := bed.Cluster.Enricher(ctx, "install", "--remove", "--with", "finalizer")
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(ContainSubstring("pod/" + namespace + "/first-driver released"))
		for _, app := range apps {
			app.Reaches(ctx, v1beta2.StateCompleted)
		}
		Expect(heldIn(ctx, namespace)).To(BeEmpty())
	})
})

// submitHeld submits an application whose first driver fails and is then held by the finalizer, while no enricher runs.
func submitHeld(ctx context.Context, namespace, name string) e2etest.App {
	GinkgoHelper()
	app := bed.Submit(ctx, build.App(namespace, name).Retries(1, 1),
		script.Once(script.Running(), script.Exit(3)).Then(script.Running(), script.Exit(0)))
	app.Reaches(ctx, v1beta2.StatePendingRerun)
	Consistently(app.State, "3s").WithContext(ctx).Should(Equal(v1beta2.StatePendingRerun))
	Expect(heldIn(ctx, namespace)).To(ContainElement(name + "-driver"))
	return app
}

func heldIn(ctx context.Context, namespace string) []string {
	GinkgoHelper()
	pods := &corev1.PodList{}
	Expect(bed.Client.List(ctx, pods, client.InNamespace(namespace))).To(Succeed())
	var held []string
	for _, pod := range pods.Items {
		if len(pod.Finalizers) > 0 {
			held = append(held, pod.Name)
		}
	}
	return held
}
