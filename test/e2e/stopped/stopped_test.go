// Package stopped proves what the admission policies do by themselves: no enricher runs.
package stopped

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

func TestStopped(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Policies without an enricher")
}

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{NoOperator: true})
})

// noSchema is in the refusal of an API server that does not know a CRD yet.
const noSchema = "Resource kind"

// The operator must not run while the table is tried: it would act upon the states.
var _ = Describe("With no enricher running", Ordered, Label("policy"), func() {
	for _, row := range status.States {
		It("the policy answers as the Go table does for state "+string(row.State)+".", func(ctx context.Context) {
			namespace := bed.Namespace(ctx)
			object := build.App(namespace, "state").Object()
			Expect(bed.Client.Create(ctx, object)).To(Succeed())
			began := metav1.NewTime(time.Now().Add(-time.Minute).Truncate(time.Second))
			ended := metav1.NewTime(began.Add(30 * time.Second))
			writes := 0
			put := func(state v1beta2.State) *v1beta2.SparkApplication {
				writes++
				object.Status = operatorv1beta2.SparkApplicationStatus{
					SparkApplicationID:        fmt.Sprintf("spark-%d", writes), // every write says something new
					AppState:                  operatorv1beta2.ApplicationState{State: operatorv1beta2.ApplicationStateType(state)},
					SubmissionID:              "0c6cbb6b-6f8f-4d4e-a6a8-0a3f1c1d8e11",
					LastSubmissionAttemptTime: began,
					ExecutionAttempts:         1,
				}
				if row.Ended {
					object.Status.TerminationTime = ended
				}
				Eventually(func() error { return bed.Client.Status().Update(ctx, object) }).Should(Succeed())
				app := &v1beta2.SparkApplication{}
				Expect(bed.Enriched.Get(ctx, client.ObjectKeyFromObject(object), app)).To(Succeed())
				return app
			}
			// Policies reach every API server only after a while.
			Eventually(func() int { return len(put(row.State).Status.Conditions) }, "20s").Should(Equal(len(status.StateTypes)))
			got := put(row.State)
			bare := got.Status
			bare.Conditions = nil
			wanted := status.StateConditions(&bare, got.Generation, got.CreationTimestamp)
			Expect(got.Status.Conditions).To(HaveExactElements(equalConditions(wanted)...))
			Expect(bed.Client.Delete(ctx, object)).To(Succeed())
		})
	}

	It("SUBMITTED, RUNNING and FAILED have all five conditions right", func(ctx context.Context) {
		_, err := bed.StartOperator(ctx, cluster.OperatorOptions{})
		Expect(err).NotTo(HaveOccurred())
		namespace := bed.Namespace(ctx)
		history := bed.Record(ctx, namespace, "fails")
		app := bed.Submit(ctx, build.App(namespace, "fails"), script.Once(
			script.Waiting("ContainerCreating", ""), script.Hold("run"), script.Running(), script.Hold("end"), script.Exit(1)))
		Eventually(func() map[string]metav1.ConditionStatus { return e2etest.Statuses(app.Get(ctx).Status.Conditions) }).
			Should(Equal(e2etest.StatusesOf(v1beta2.StateSubmitted)))
		app.Open("run")
		app.Reaches(ctx, v1beta2.StateRunning)
		app.Open("end")
		app.Reaches(ctx, v1beta2.StateFailed)
		Eventually(history.States).Should(Equal([]v1beta2.State{
			v1beta2.StateNew, v1beta2.StateSubmitted, v1beta2.StateRunning, v1beta2.StateFailing, v1beta2.StateFailed,
		}))
		history.ExpectTable()
		out, err := bed.Kubectl(ctx, "wait", "-n", namespace, "--for=condition=Failed", "--timeout=5s", "sparkapp/fails")
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(ContainSubstring("condition met"))
	})

	It("a submission is named right after the API server's start, when it refuses what the policy matches", func(ctx context.Context) {
		if os.Getenv(e2etest.EnvWebhook) != "" {
			Skip("the webhook refuses nothing")
		}
		object := build.App(bed.Namespace(ctx), "named").Suspended().Object()
		Expect(bed.Client.Create(ctx, object)).To(Succeed())
		try := func(status string) string {
			patch := client.RawPatch(types.MergePatchType, []byte(`{"status": {"driverInfo": {}, `+status+`}}`))
			return fmt.Sprint(bed.Client.Status().Patch(ctx, object.DeepCopy(), patch, client.DryRunAll))
		}
		Expect(bed.RestartAPIServer(ctx, 0)).To(Succeed())
		refused := 0
		Eventually(func(g Gomega) {
			// Not retried: one refusal is one too many.
			Expect(try(`"submissionID": "next", "applicationState": {"state": "SUBMITTED"}`)).NotTo(ContainSubstring(noSchema))
			Expect(try(`"submissionID": "next", "applicationState": {"state": "SUBMISSION_FAILED", "errorMessage": "driver pod already exist"}`)).
				NotTo(ContainSubstring(noSchema))
			Expect(try(`"applicationState": {"state": "INVALIDATING"}`)).NotTo(ContainSubstring(noSchema))
			other := try(`"applicationState": {"state": "SUSPENDED"}`)
			if strings.Contains(other, noSchema) {
				refused++
			}
			g.Expect(other).To(Equal(fmt.Sprint(nil)))
		}).Should(Succeed())
		Expect(refused).To(BeNumerically(">", 0), "the time of refusals was met")
	})
})

func equalConditions(wanted []metav1.Condition) []any {
	var matchers []any
	for _, condition := range wanted {
		matchers = append(matchers, BeComparableTo(condition))
	}
	return matchers
}
