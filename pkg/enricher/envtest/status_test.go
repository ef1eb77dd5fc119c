package envtest

import (
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/patch"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

var _ = Describe("The status writer", Ordered, func() {
	record := status.Record{
		SubmissionID: "s-1", Attempt: 1, Failed: true,
		Diagnostics: failure.Diagnostics{
			Reason: failure.ReasonUserExit, Category: failure.CategoryUser, Message: "exit code 3",
			Source: failure.SourceContainerStatus, Retryable: failure.RetryableFalse,
			Exception: &failure.Exception{StackTrace: []string{"a", "b"}},
		},
		Annotated: metav1.Condition{
			Type: v1beta2.ConditionExitExceptionAnnotated, Status: metav1.ConditionFalse,
			Reason: v1beta2.NotAnnotatedNotRequested, LastTransitionTime: metav1.Now().Rfc3339Copy(),
		},
	}
	wantedOf := func(app *v1beta2.SparkApplication) *v1beta2.Status {
		return status.Wanted(app, []status.Record{record}, status.Options{ErrorMessage: true})
	}

	It("is told that the CRD lacks the fields, and stores nothing", func(ctx SpecContext) {
		restrictCRD(ctx)
		Eventually(func(g Gomega) { // the API server takes a moment to serve a changed CRD
			app := failed(ctx)
			_, err := status.Write(ctx, lean, app, wantedOf(app))
			g.Expect(patch.IsUnknownField(err)).To(BeTrue(), "error: %v", err)
			g.Expect(patch.IsUnexpected(err)).To(BeFalse())
			g.Expect(again(ctx, app).ResourceVersion).To(Equal(app.ResourceVersion))
		}, eventually, time.Second).Should(Succeed())
		extendCRD(ctx)
	})

	It("stores what is wanted and is at rest afterwards", func(ctx SpecContext) {
		app := failed(ctx)
		var version string
		Eventually(func() (err error) { // the API server takes a moment to serve a changed CRD
			version, err = status.Write(ctx, lean, app, wantedOf(app))
			return err
		}, eventually, time.Second).Should(Succeed())
		stored := again(ctx, app)
		Expect(stored.ResourceVersion).To(Equal(version))
		Expect(stored.Status.Diagnostics.Message).To(Equal("exit code 3"))
		Expect(stored.Status.ApplicationState.ErrorMessage).To(Equal("operator's text | diagnosis: UserExit: exit code 3"))
		Expect(stored.Status.Conditions).To(HaveLen(6))
		Expect(status.Differ(&stored.Status, wantedOf(stored))).To(BeFalse())
	})

	DescribeTable("refuses to write onto what has moved on", func(ctx SpecContext, move func(*operatorv1beta2.SparkApplication)) {
		app := failed(ctx)
		moved := &operatorv1beta2.SparkApplication{}
		Expect(operator.Get(ctx, client.ObjectKeyFromObject(app), moved)).To(Succeed())
		move(moved)
		wantedStatus := moved.Status
		Expect(operator.Update(ctx, moved)).To(Succeed())
		moved.Status = wantedStatus
		Expect(operator.Status().Update(ctx, moved)).To(Succeed())

		_, err := status.Write(ctx, lean, app, wantedOf(app))
		Expect(patch.IsUnexpected(err)).To(BeTrue(), "error: %v", err)
		Expect(again(ctx, app).Status.Diagnostics).To(BeNil())
	},
		Entry("another attempt", func(a *operatorv1beta2.SparkApplication) { a.Status.SubmissionID = "s-2" }),
		Entry("another state", func(a *operatorv1beta2.SparkApplication) {
			a.Status.AppState.State = operatorv1beta2.ApplicationStatePendingRerun
		}),
		Entry("another specification", func(a *operatorv1beta2.SparkApplication) { a.Spec.SparkVersion = "4.2.0" }),
	)

	It("writes onto the very version it saw, or not at all, where the operator may submit next", func(ctx SpecContext) {
		app := failed(ctx)
		waiting := &operatorv1beta2.SparkApplication{}
		Expect(operator.Get(ctx, client.ObjectKeyFromObject(app), waiting)).To(Succeed())
		waiting.Status.AppState.State = operatorv1beta2.ApplicationStatePendingRerun
		Expect(operator.Status().Update(ctx, waiting)).To(Succeed())

		seen := again(ctx, app)
		stale := seen.DeepCopy()
		stale.ResourceVersion = app.ResourceVersion
		_, err := status.Write(ctx, lean, stale, wantedOf(stale))
		Expect(patch.IsUnexpected(err)).To(BeTrue(), "error: %v", err)
		_, err = status.Write(ctx, lean, seen, wantedOf(seen))
		Expect(err).NotTo(HaveOccurred())
		Expect(again(ctx, app).Status.Diagnostics).NotTo(BeNil())
	})

	It("is told a status that does not pass validation from one that has moved on", func(ctx SpecContext) {
		app := failed(ctx)
		wanted := wantedOf(app)
		wanted.Diagnostics.Category = "NoSuchCategory"
		_, err := status.Write(ctx, lean, app, wanted)
		Expect(patch.IsRejected(err)).To(BeTrue(), "error: %v", err)
		Expect(patch.IsUnexpected(err)).To(BeFalse())
		Expect(patch.Fields(err)).To(Equal([]string{"status.diagnostics.category"}))

		app.UID = "of-a-deleted-one"
		_, err = status.Write(ctx, lean, app, wanted)
		Expect(patch.IsRejected(err)).To(BeFalse(), "error: %v", err)
	})

	It("refuses to write onto a namesake", func(ctx SpecContext) {
		app := failed(ctx)
		app.UID = "of-a-deleted-one"
		_, err := status.Write(ctx, lean, app, wantedOf(app))
		Expect(patch.IsUnexpected(err)).To(BeTrue(), "error: %v", err)
	})

	It("does not overwrite conditions that changed meanwhile", func(ctx SpecContext) {
		app := failed(ctx)
		foreign := again(ctx, app)
		foreign.Status.Conditions = []metav1.Condition{{
			Type: "Audited", Status: metav1.ConditionTrue, Reason: "Audited", LastTransitionTime: metav1.Now().Rfc3339Copy(),
		}}
		Expect(lean.Status().Patch(ctx, foreign, client.MergeFrom(app))).To(Succeed())
		_, err := status.Write(ctx, lean, app, wantedOf(app))
		Expect(patch.IsUnexpected(err)).To(BeTrue(), "error: %v", err)

		seen := again(ctx, app)
		_, err = status.Write(ctx, lean, seen, wantedOf(seen))
		Expect(err).NotTo(HaveOccurred())
		Expect(again(ctx, app).Status.Conditions).To(ContainElement(HaveField("Type", "Audited")))
	})
})

// failed is an application that the operator has called failed.
func failed(ctx SpecContext) *v1beta2.SparkApplication {
	GinkgoHelper()
	app := &operatorv1beta2.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "etl-", Namespace: namespace},
		Spec: operatorv1beta2.SparkApplicationSpec{
			Type: operatorv1beta2.SparkApplicationTypeScala, Mode: operatorv1beta2.DeployModeCluster, SparkVersion: "4.1.0",
			MainApplicationFile: ptr.To("local:///opt/app.jar"),
		},
	}
	Expect(operator.Create(ctx, app)).To(Succeed())
	app.Status = operatorv1beta2.SparkApplicationStatus{
		SubmissionID: "s-1", ExecutionAttempts: 1, SubmissionAttempts: 1,
		LastSubmissionAttemptTime: metav1.Now(), TerminationTime: metav1.Now(),
		AppState: operatorv1beta2.ApplicationState{State: operatorv1beta2.ApplicationStateFailed, ErrorMessage: "operator's text"},
	}
	Expect(operator.Status().Update(ctx, app)).To(Succeed())
	return again(ctx, &v1beta2.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: namespace}})
}

func again(ctx SpecContext, app *v1beta2.SparkApplication) *v1beta2.SparkApplication {
	GinkgoHelper()
	now := &v1beta2.SparkApplication{}
	Expect(lean.Get(ctx, client.ObjectKeyFromObject(app), now)).To(Succeed())
	return now
}
