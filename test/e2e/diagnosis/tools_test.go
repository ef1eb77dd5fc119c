package diagnosis

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

var _ = Describe("What others make of the status", Label("tools"), func() {
	var namespace string

	BeforeEach(func(ctx context.Context) { namespace = bed.Namespace(ctx) })

	It("lets kubectl wait for Complete and for Failed", func(ctx context.Context) {
		good := bed.Submit(ctx, build.App(namespace, "good"), script.Once(script.Running(), script.Hold("end"), script.Exit(0)))
		bad := bed.Submit(ctx, build.App(namespace, "bad"), script.Once(script.Running(), script.Hold("end"), script.Exit(1)))
		wait := func(condition, name string) chan string {
			done := make(chan string, 1)
			go func() {
				defer GinkgoRecover()
				out, err := bed.Kubectl(ctx, "wait", "-n", namespace, "--for=condition="+condition, "--timeout=60s", "sparkapp/"+name)
				Expect(err).NotTo(HaveOccurred())
				done <- out
			}()
			return done
		}
		complete, failed := wait("Complete", "good"), wait("Failed", "bad")
		Consistently(complete, "1s").ShouldNot(Receive())
		good.Open("end")
		bad.Open("end")
		Eventually(complete).Should(Receive(ContainSubstring("condition met")))
		Eventually(failed).Should(Receive(ContainSubstring("condition met")))
	})

	It("lets kstatus compute InProgress, Current and Failed", func(ctx context.Context) {
		good := bed.Submit(ctx, build.App(namespace, "good"), script.Once(
			script.Waiting("ContainerCreating", ""), script.Hold("run"), script.Running(), script.Hold("end"), script.Exit(0)))
		good.Reaches(ctx, v1beta2.StateSubmitted)
		Expect(kstatusOf(ctx, good)).To(Equal(status.InProgressStatus))
		good.Open("run")
		good.Reaches(ctx, v1beta2.StateRunning)
		Expect(kstatusOf(ctx, good)).To(Equal(status.CurrentStatus))
		good.Open("end")
		good.Reaches(ctx, v1beta2.StateCompleted)
		Expect(kstatusOf(ctx, good)).To(Equal(status.CurrentStatus))

		bad := bed.Submit(ctx, build.App(namespace, "bad"), script.Once(script.Running(), script.Log(fatal), script.Exit(1)))
		diagnosis(ctx, bad)
		Expect(kstatusOf(ctx, bad)).To(Equal(status.FailedStatus))
	})

	It("prints the reason in the columns of kubectl get", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "columns"), script.Once(script.Running(), script.OOMKilled()))
		diagnosis(ctx, app)
		out, err := bed.Kubectl(ctx, "get", "sparkapp", "-n", namespace, "-o", "wide")
		Expect(err).NotTo(HaveOccurred())
		lines := strings.Split(out, "\n")
		Expect(strings.Fields(lines[0])).To(ContainElements("REASON", "EXIT", "MESSAGE"))
		Expect(strings.Fields(lines[1])).To(ContainElements("DriverOOMKilled", "137"))
	})
})

var _ = Describe("The enricher's ServiceAccount", Label("rbac"), func() {
	var namespace string

	BeforeEach(func(ctx context.Context) { namespace = bed.Namespace(ctx) })

	It("is who does the whole job, with the rules of config/rbac", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "job").Annotating("true"), script.Once(script.Running(), script.Log(fatal), script.Exit(1)))
		diagnosis(ctx, app)
		resources := func() []string {
			log, err := bed.Audit()
			Expect(err).NotTo(HaveOccurred())
			var did []string
			for _, request := range log.Where(audit.By(cluster.EnricherUser), audit.In(namespace), audit.Succeeded) {
				did = append(did, request.Verb+" "+request.Resource)
			}
			return did
		}
		Eventually(resources).Should(ConsistOf("get pods/log", "patch pods", "patch sparkapplications/status", "create events"))
	})

	DescribeTable("has no right to", func(ctx context.Context, verb, resource string) {
		out, _ := bed.Kubectl(ctx, "auth", "can-i", verb, resource, "-n", namespace, "--as", cluster.EnricherUser)
		Expect(strings.TrimSpace(out)).To(HavePrefix("no"))
	},
		Entry("read configmaps", "get", "configmaps"),
		Entry("read secrets", "get", "secrets"),
		Entry("delete pods", "delete", "pods"),
		Entry("create pods", "create", "pods"),
		Entry("write applications", "patch", "sparkapplications"),
		Entry("replace a status", "update", "sparkapplications/status"),
	)

	DescribeTable("is refused by the fence when it changes", func(ctx context.Context, patch, reason string) {
		app := bed.Submit(ctx, build.App(namespace, "fenced"), script.Once(script.Running(), script.Hold("end"), script.Exit(0)))
		app.Reaches(ctx, v1beta2.StateRunning)
		config, err := bed.ServiceAccountConfig(ctx, cluster.EnricherAccount)
		Expect(err).NotTo(HaveOccurred())
		client, err := kubernetes.NewForConfig(config)
		Expect(err).NotTo(HaveOccurred())
		_, err = client.CoreV1().Pods(namespace).Patch(ctx, "fenced-driver", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		Expect(err).To(MatchError(ContainSubstring(reason)))
		app.Open("end")
		app.Reaches(ctx, v1beta2.StateCompleted)
	},
		Entry("the image", `{"spec":{"containers":[{"name":"spark-kubernetes-driver","image":"other"}]}}`, "may not change the specification"),
		Entry("a label", `{"metadata":{"labels":{"team":"other"}}}`, "may not change the labels"),
		Entry("another annotation", `{"metadata":{"annotations":{"team":"other"}}}`, "may only change the annotations"),
	)
})

func kstatusOf(ctx context.Context, app e2etest.App) status.Status {
	GinkgoHelper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(v1beta2.GroupVersion.WithKind("SparkApplication"))
	Expect(bed.Client.Get(ctx, app.NamespacedName, object)).To(Succeed())
	result, err := status.Compute(object)
	Expect(err).NotTo(HaveOccurred())
	return result.Status
}
