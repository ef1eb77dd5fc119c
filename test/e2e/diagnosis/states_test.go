package diagnosis

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

var _ = Describe("The status", Label("status"), func() {
	var namespace string

	BeforeEach(func(ctx context.Context) { namespace = bed.Namespace(ctx) })

	It("has the conditions of each state from SUBMITTED to COMPLETED, at no write of the enricher", func(ctx context.Context) {
		history := bed.Record(ctx, namespace, "well")
		app := bed.Submit(ctx, build.App(namespace, "well").Annotating("true"), script.Once(
			script.Waiting("ContainerCreating", ""), script.Hold("run"), script.Running(), script.Hold("end"), script.Exit(0)))
		app.Reaches(ctx, v1beta2.StateSubmitted)
		app.Open("run")
		app.Reaches(ctx, v1beta2.StateRunning)
		app.Open("end")
		completed := app.Reaches(ctx, v1beta2.StateCompleted)
		Expect(completed.Status.Diagnostics).To(BeNil())

		Eventually(history.States).Should(Equal([]v1beta2.State{
			v1beta2.StateNew, v1beta2.StateSubmitted, v1beta2.StateRunning, v1beta2.StateSucceeding, v1beta2.StateCompleted}))
		history.ExpectTable()

		version := completed.ResourceVersion
		Consistently(func() string { return app.Get(ctx).ResourceVersion }, "3s").Should(Equal(version))
		Expect(enricherRequests(namespace)).To(BeEmpty())
	})

	It("keeps the record of a failed attempt that the operator retries", func(ctx context.Context) {
		history := bed.Record(ctx, namespace, "second")
		app := bed.Submit(ctx, build.App(namespace, "second").Annotating("true").Retries(1, 1),
			script.Once(script.Running(), script.Log(fatal), script.Exit(1)).
				Then(script.Running(), script.Hold("end"), script.Exit(0)))
		var first, second string
		Eventually(func(g Gomega) {
			now := app.Get(ctx)
			g.Expect(now.Status.ApplicationState.State).To(Equal(v1beta2.StateRunning))
			g.Expect(now.Status.ExecutionAttempts).To(BeEquivalentTo(2))
			g.Expect(now.Status.Diagnostics).NotTo(BeNil())
			g.Expect(now.Status.Diagnostics.Attempts).To(HaveLen(1))
			g.Expect(now.Status.Diagnostics.Reason).To(BeEmpty())
			first, second = now.Status.Diagnostics.Attempts[0].SubmissionID, now.Status.SubmissionID
		}).Should(Succeed())
		Expect(first).NotTo(Equal(second))
		app.Open("end")

		completed := app.Reaches(ctx, v1beta2.StateCompleted)
		Expect(completed.Status.Diagnostics.SubmissionID).To(Equal(second))
		Expect(completed.Status.Diagnostics.Attempts).To(HaveLen(1))
		record := completed.Status.Diagnostics.Attempts[0]
		Expect(record.Reason).To(Equal(failure.ReasonUserCodeError))
		Expect(record.Attempt).To(BeEquivalentTo(1))
		Expect(record.SubmissionID).To(Equal(first))
		Expect(record.ExitCode).To(HaveValue(BeEquivalentTo(1)))
		Expect(record.PodUID).NotTo(Equal(string(app.Driver(ctx).UID)))
		history.ExpectTable()
	})

	It("tells of an image that cannot be pulled while the application is still SUBMITTED", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "image"), script.Once(
			script.Waiting("ImagePullBackOff", `Back-off pulling image "registry.example.internal/spark/jobs:9.9.9"`), script.Hold("never")))
		Eventually(func(g Gomega) {
			now := app.Get(ctx)
			g.Expect(now.Status.ApplicationState.State).To(Equal(v1beta2.StateSubmitted))
			g.Expect(now.Status.Diagnostics).NotTo(BeNil())
			g.Expect(now.Status.Diagnostics.Reason).To(Equal(failure.ReasonImagePullFailed))
			reconciling := e2etest.Condition(now, v1beta2.ConditionReconciling)
			g.Expect(reconciling.Status).To(Equal(metav1.ConditionTrue))
			g.Expect(reconciling.Reason).To(Equal(string(failure.ReasonImagePullFailed)))
		}, 90*time.Second).Should(Succeed())
	})

	It("stands still after the last write while the operator reconciles, at one write of each kind", func(ctx context.Context) {
		const executors = 10
		phases := []script.Step{script.Hold("churn")}
		for id := 1; id <= executors; id++ {
			phases = append(phases, script.Executor(id, corev1.PodFailed), script.Pause(500*time.Millisecond))
		}
		steps := []script.Step{script.Running(), script.Log(fatal)}
		for id := 1; id <= executors; id++ {
			steps = append(steps, script.Executor(id, corev1.PodRunning))
		}
		steps = append(steps, script.Exit(1))
		app := bed.Submit(ctx, build.App(namespace, "still").Annotating("true"), script.Once(append(steps, phases...)...))
		diagnosis(ctx, app)
		settled := settle(ctx, app)
		for _, condition := range settled.Status.Conditions {
			Expect(condition.ObservedGeneration).To(Equal(settled.Generation), condition.Type)
		}

		before := operatorWrites(namespace)
		app.Open("churn")
		Eventually(func() int { return operatorWrites(namespace) - before }).Should(BeNumerically(">=", executors),
			"every executor that changes its phase makes the operator write")
		settled = settle(ctx, app)
		AddReportEntry("operator status writes after the failure", operatorWrites(namespace)-before)
		Consistently(func() string { return app.Get(ctx).ResourceVersion }, "10s").Should(Equal(settled.ResourceVersion))
		Expect(settled.Status.Diagnostics).NotTo(BeNil())
		Expect(settled.Status.Conditions).To(HaveLen(6))

		requests := enricherRequests(namespace)
		Expect(requests.Where(audit.On("pods"))).To(HaveLen(1), requests.String())
		Expect(requests.Where(audit.On("sparkapplications/status"))).To(HaveLen(1), requests.String())
		Expect(requests.Where(audit.On("events"))).To(HaveLen(1), requests.String())
		Expect(requests).To(HaveLen(3), requests.String())
	})

	It("is told as one event that names the pod", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "event"), script.Once(script.Running(), script.Log(fatal), script.Exit(1)))
		diagnosed := diagnosis(ctx, app)
		Eventually(func() []string {
			list, err := bed.Kube.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{})
			Expect(err).NotTo(HaveOccurred())
			var told []string
			for _, event := range list.Items {
				if event.ReportingController == "spark-status-enricher.io/enricher" && event.Related != nil {
					told = append(told, fmt.Sprintf("%s %s %s", event.Type, event.Reason, event.Related.UID))
				}
			}
			return told
		}).Should(Equal([]string{fmt.Sprintf("Warning %s %s", diagnosed.Reason, app.Driver(ctx).UID)}))
	})
})

// settle waits until the application's resourceVersion has not changed for two seconds.
func settle(ctx context.Context, app e2etest.App) *v1beta2.SparkApplication {
	GinkgoHelper()
	version, since := "", time.Now()
	Eventually(func() time.Duration {
		if now := app.Get(ctx).ResourceVersion; now != version {
			version, since = now, time.Now()
		}
		return time.Since(since)
	}).Should(BeNumerically(">", 2*time.Second))
	return app.Get(ctx)
}

// enricherRequests are the enricher's writes in a namespace that the API server took.
func enricherRequests(namespace string) audit.Log {
	GinkgoHelper()
	log, err := bed.Audit()
	Expect(err).NotTo(HaveOccurred())
	return log.Where(audit.By(cluster.EnricherUser), audit.In(namespace), audit.Writes, audit.Succeeded)
}

func operatorWrites(namespace string) int {
	GinkgoHelper()
	log, err := bed.Audit()
	Expect(err).NotTo(HaveOccurred())
	return len(log.Where(audit.By(cluster.OperatorUser), audit.In(namespace), audit.On("sparkapplications/status"), audit.Succeeded))
}
