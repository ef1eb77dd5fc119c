package bed

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

var _ = Describe("The bed with the bare operator", Label("bed"), func() {
	var namespace string

	BeforeEach(func(ctx context.Context) { namespace = bed.Namespace(ctx) })

	It("takes an application from SUBMITTED over RUNNING to COMPLETED", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "succeeds"), script.Once(
			script.Waiting("ContainerCreating", ""), script.Hold("run"), script.Running(), script.Hold("end"), script.Exit(0)))
		app.Reaches(ctx, v1beta2.StateSubmitted)
		app.Open("run")
		app.Reaches(ctx, v1beta2.StateRunning)
		app.Open("end")
		app.Reaches(ctx, v1beta2.StateCompleted)
	})

	It("fails an application and serves its driver's log through the API server", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "fails"), script.Once(
			script.Running(), script.Log("first\nsecond\nthird\n"), script.Exit(3)))
		failed := app.Reaches(ctx, v1beta2.StateFailed)
		Expect(failed.Status.ApplicationState.ErrorMessage).To(Equal("driver container failed with ExitCode: 3, Reason: Error"))

		out, err := bed.Kubectl(ctx, "logs", "-n", namespace, "fails-driver")
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(Equal("first\nsecond\nthird\n"))
		out, err = bed.Kubectl(ctx, "logs", "-n", namespace, "fails-driver", "--tail=2")
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(Equal("second\nthird\n"))
	})

	It("plays another attempt when the operator retries", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "retries").Retries(2, 1),
			script.Once(script.Running(), script.Exit(1)).Then(script.Running(), script.Exit(0)))
		completed := app.Reaches(ctx, v1beta2.StateCompleted)
		Expect(completed.Status.ExecutionAttempts).To(BeEquivalentTo(2))
	})

	It("makes driver pods as Spark does", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "shape").Annotating("true"), script.Once(script.Running(), script.Hold("end"), script.Exit(0)))
		running := app.Reaches(ctx, v1beta2.StateRunning)
		pod := app.Driver(ctx)
		Expect(pod.Labels).To(And(
			HaveKeyWithValue("spark-role", "driver"), HaveKeyWithValue("spark-version", "4.1.0"),
			HaveKeyWithValue("spark-app-selector", running.Status.SparkApplicationID),
			HaveKeyWithValue("sparkoperator.k8s.io/submission-id", running.Status.SubmissionID)))
		Expect(pod.OwnerReferences).To(HaveLen(1))
		Expect(pod.OwnerReferences[0].UID).To(Equal(running.UID))
		Expect(pod.Spec.Containers).To(HaveLen(1))
		Expect(pod.Spec.Containers[0].Name).To(Equal("spark-kubernetes-driver"))
		Expect(pod.Spec.Containers[0].Resources.Limits.Memory().String()).To(Equal("896Mi"))

		configMap := &corev1.ConfigMap{}
		name := pod.Spec.Volumes[len(pod.Spec.Volumes)-1].ConfigMap.Name
		Expect(bed.Client.Get(ctx, e2eKey(namespace, name), configMap)).To(Succeed())
		Expect(configMap.Data["spark.properties"]).To(ContainSubstring(build.ConfAnnotate + "=true\n"))
		app.Open("end")
		app.Reaches(ctx, v1beta2.StateCompleted)
	})

	It("tells the operator why a submission is refused", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "refused").Conf("spark.kubernetes.driver.limit.cores", "500m"), script.Once(script.Exit(0)))
		failed := app.Reaches(ctx, v1beta2.StateFailed)
		Expect(failed.Status.ApplicationState.ErrorMessage).To(And(
			ContainSubstring("code=422"), ContainSubstring("must be less than or equal to cpu limit")))
	})

	It("shows the operator executors that change their phase", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "executors"), script.Once(
			script.Running(), script.Executor(1, corev1.PodPending), script.Executor(1, corev1.PodRunning), script.Hold("lose"),
			script.Executor(1, corev1.PodFailed), script.Hold("end"), script.Exit(1)))
		executor := func() []string {
			var states []string
			for _, state := range app.Get(ctx).Status.ExecutorState {
				states = append(states, state)
			}
			return states
		}
		Eventually(executor).Should(Equal([]string{"RUNNING"}))
		app.Open("lose")
		Eventually(executor).Should(Equal([]string{"FAILED"}))
		app.Open("end")
		app.Reaches(ctx, v1beta2.StateFailed)
	})

	It("leaves a pod that fits no node pending", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "nowhere"), script.Unschedulable("0/3 nodes are available: 3 Insufficient cpu."))
		app.Reaches(ctx, v1beta2.StateSubmitted)
		Eventually(func() string {
			for _, condition := range app.Driver(ctx).Status.Conditions {
				if condition.Type == corev1.PodScheduled {
					return condition.Reason + ": " + condition.Message
				}
			}
			return ""
		}).Should(Equal("Unschedulable: 0/3 nodes are available: 3 Insufficient cpu."))
	})

	It("ends a running driver when its application is deleted", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "deleted"), script.Once(script.Running(), script.Hold("never")))
		app.Reaches(ctx, v1beta2.StateRunning)
		object := build.App(namespace, "deleted").Object()
		Expect(bed.Client.Delete(ctx, object)).To(Succeed())
		Eventually(func() int {
			pods := &corev1.PodList{}
			Expect(bed.Client.List(ctx, pods, inNamespace(namespace))).To(Succeed())
			return len(pods.Items)
		}).Should(BeZero())
	})
})
