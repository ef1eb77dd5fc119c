package loss

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
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

	It("the documented script frees every pod with kubectl alone", func(ctx context.Context) {
		namespace := bed.Namespace(ctx)
		app, another := submitHeld(ctx, namespace, "stranded"), submitHeld(ctx, namespace, "stranded-too")
		shared := app.Driver(ctx).DeepCopy()
		shared.ObjectMeta = metav1.ObjectMeta{
			Namespace: namespace, Name: "shared-driver", Labels: map[string]string{spark.LabelRole: spark.RoleDriver},
			Finalizers: []string{"example.com/another", v1beta2.FinalizerCapture},
		}
		Expect(bed.Client.Create(ctx, shared)).To(Succeed())
		DeferCleanup(func(ctx context.Context) { Expect(bed.Install(ctx, "--with", "finalizer")).To(Succeed()) })
		out, err := bed.Shell(ctx, emergencyScript())
		Expect(err).NotTo(HaveOccurred(), out)
		app.Reaches(ctx, v1beta2.StateCompleted)
		another.Reaches(ctx, v1beta2.StateCompleted)
		Expect(bed.Client.Get(ctx, client.ObjectKeyFromObject(shared), shared)).To(Succeed())
		Expect(shared.Finalizers).To(ConsistOf("example.com/another"))
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

// emergencyScript is the one that the documentation gives to those who have no binary.
func emergencyScript() string {
	GinkgoHelper()
	text, err := os.ReadFile(filepath.Join(bed.Root, "docs", "operations.md"))
	Expect(err).NotTo(HaveOccurred())
	_, rest, found := strings.Cut(string(text), "Without the binary, with kubectl alone:\n\n```sh\n")
	Expect(found).To(BeTrue(), "the documentation has no such script")
	script, _, _ := strings.Cut(rest, "```")
	return script
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
