package loss

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

var _ = Describe("The history of an application", Label("loss"), func() {
	It("is found again by an enricher that was away when the operator submitted anew", func(ctx context.Context) {
		enricher := start(ctx, cluster.EnricherOptions{Name: "leaves"})
		app := bed.Submit(ctx, build.App(bed.Namespace(ctx), "history").Retries(1, 15),
			script.Once(script.Running(), script.Exit(3)).Then(script.Running(), script.Hold("end"), script.Exit(0)))
		Eventually(exitCode(app)).WithContext(ctx).Should(HaveValue(BeEquivalentTo(3)))
		first := app.Reaches(ctx, v1beta2.StateFailing).Status
		Expect(enricher.Stop()).To(Succeed())

		second := app.Reaches(ctx, v1beta2.StateRunning).Status
		Expect(second.SubmissionID).NotTo(Equal(first.SubmissionID))
		Expect(second.Diagnostics).To(BeNil())
		start(ctx, cluster.EnricherOptions{Name: "returns"})
		Eventually(func(g Gomega) {
			diagnostics := app.Get(ctx).Status.Diagnostics
			g.Expect(diagnostics).NotTo(BeNil())
			g.Expect(diagnostics.SubmissionID).To(Equal(second.SubmissionID))
			g.Expect(diagnostics.Reason).To(BeEmpty())
			g.Expect(diagnostics.Attempts).To(HaveLen(1))
			attempt := diagnostics.Attempts[0]
			g.Expect(attempt.SubmissionID).To(Equal(first.SubmissionID))
			g.Expect(attempt.Reason).To(Equal(first.Diagnostics.Reason))
			g.Expect(attempt.Message).To(Equal(first.Diagnostics.Message))
			g.Expect(attempt.ExitCode).To(HaveValue(BeEquivalentTo(3)))
			g.Expect(attempt.FinishedAt).NotTo(BeNil())
		}).Should(Succeed())
		app.Open("end")
		app.Reaches(ctx, v1beta2.StateCompleted)
	})
})
