package diagnosis

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

var _ = Describe("The annotation spark.exit-exception", Label("annotation"), func() {
	var namespace string

	BeforeEach(func(ctx context.Context) { namespace = bed.Namespace(ctx) })

	It("of the driver is mirrored into diagnostics and conditions", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "mirror").Annotating("true"), script.Once(
			script.Running(), script.Log(infoLog), script.Annotate(javaTrace), script.Exit(1)))
		diagnosed := diagnosis(ctx, app)
		Expect(diagnosed.Source).To(Equal(failure.SourceAnnotation))
		Expect(diagnosed.Reason).To(Equal(failure.ReasonUserCodeError))
		Expect(diagnosed.Message).To(ContainSubstring("The orders of 2026-03-11 are incomplete"))
		Expect(diagnosed.Exception.Class).To(Equal("java.lang.IllegalStateException"))
		Expect(diagnosed.Exception.RootCause).To(HaveValue(Equal(
			failure.Cause{Class: "java.lang.NumberFormatException", Message: `For input string: "n/a"`})))
		Expect(diagnosed.Exception.StackTrace).To(ContainElement(HavePrefix("at com.example.jobs.Daily.check")))

		failed := app.Get(ctx)
		for _, conditionType := range []string{v1beta2.ConditionFailed, v1beta2.ConditionStalled, v1beta2.ConditionReady} {
			condition := e2etest.Condition(failed, conditionType)
			Expect(condition.Reason).To(Equal(string(diagnosed.Reason)), conditionType)
			Expect(condition.Message).To(Equal(diagnosed.Message), conditionType)
		}
		Expect(annotated(failed)).To(Equal("True WrittenByDriver"))
		Expect(failed.Status.ApplicationState.ErrorMessage).To(And(
			HavePrefix("driver container failed with ExitCode: 1, Reason: Error"), HaveSuffix(diagnosed.Message)))
		Expect(app.Driver(ctx).Annotations).To(And(
			HaveKeyWithValue(spark.AnnotationExitException, javaTrace), Not(HaveKey(v1beta2.AnnotationExitExceptionSource))))
	})

	It("is written by the enricher from the log where the driver did not write it and the conf is true", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "log").Annotating("true"), script.Once(
			script.Running(), script.Log(fatal), script.Exit(1)))
		diagnosed := diagnosis(ctx, app)
		Expect(diagnosed.Source).To(Equal(failure.SourceDriverLog))
		Expect(diagnosed.Exception.Class).To(Equal("java.lang.IllegalStateException"))
		Expect(annotated(app.Get(ctx))).To(Equal("True WrittenByEnricher"))
		annotations := app.Driver(ctx).Annotations
		Expect(annotations[spark.AnnotationExitException]).To(And(
			HavePrefix("java.lang.IllegalStateException: The orders of 2026-03-11 are incomplete\n"),
			ContainSubstring("\nCaused by: java.lang.NumberFormatException: ")))
		Expect(annotations).To(HaveKeyWithValue(v1beta2.AnnotationExitExceptionSource, string(failure.SourceDriverLog)))
	})

	It("shows the Python error although Spark annotated only the exit code", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "python").Python().Annotating("true"), script.Once(
			script.Running(), script.Log(infoLog+pythonTrace), script.Annotate(pythonAnnotation), script.Exit(1)))
		diagnosed := diagnosis(ctx, app)
		Expect(diagnosed.Source).To(Equal(failure.SourceDriverLog))
		Expect(diagnosed.Exception.Class).To(Equal("KeyError"))
		Expect(annotated(app.Get(ctx))).To(Equal("True WrittenByDriver"))
		Expect(app.Driver(ctx).Annotations).To(HaveKeyWithValue(spark.AnnotationExitException, pythonAnnotation))
	})

	It("is not written where the conf is unset, though the status tells everything", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "unset"), script.Once(script.Running(), script.Log(fatal), script.Exit(1)))
		diagnosed := diagnosis(ctx, app)
		Expect(diagnosed.Exception.Class).To(Equal("java.lang.IllegalStateException"))
		Expect(annotated(app.Get(ctx))).To(Equal("False NotRequested"))
		Expect(app.Driver(ctx).Annotations).NotTo(HaveKey(spark.AnnotationExitException))
	})

	It("is not written where the conf is false, and the status shows facts only", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "off").Annotating("false"), script.Once(
			script.Running(), script.Log(fatal), script.Exit(1)))
		diagnosed := diagnosis(ctx, app)
		Expect(diagnosed.Reason).To(Equal(failure.ReasonUserCodeError))
		Expect(diagnosed.ExitCode).To(HaveValue(BeEquivalentTo(1)))
		Expect(diagnosed.Exception).To(BeNil())
		Expect(annotated(app.Get(ctx))).To(Equal("False Disabled"))
		Expect(app.Driver(ctx).Annotations).NotTo(HaveKey(spark.AnnotationExitException))

		text, err := bed.Kubectl(ctx, "get", "sparkapp", "off", "-n", namespace, "-o", "yaml")
		Expect(err).NotTo(HaveOccurred())
		events, err := bed.Kubectl(ctx, "get", "events.events.k8s.io", "-n", namespace, "-o", "yaml")
		Expect(err).NotTo(HaveOccurred())
		for _, secret := range []string{"orders of", "IllegalState", "NumberFormat", "Daily.scala"} {
			Expect(text + events).NotTo(ContainSubstring(secret))
		}
	})

	It("is not written where the conf is no boolean", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "odd").Annotating("yes"), script.Once(script.Running(), script.Log(fatal), script.Exit(1)))
		diagnosis(ctx, app)
		Expect(annotated(app.Get(ctx))).To(Equal("False InvalidConf"))
		Expect(app.Driver(ctx).Annotations).NotTo(HaveKey(spark.AnnotationExitException))
	})

	It("that the driver writes late wins over the enricher's", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "late").Annotating("true"), script.Once(
			script.Running(), script.Log(fatal), script.Exit(1), script.Hold("late"), script.Annotate(javaTrace), script.Hold("never")))
		diagnosis(ctx, app)
		Expect(annotated(app.Get(ctx))).To(Equal("True WrittenByEnricher"))
		app.Open("late")
		driverAnnotation := func() string { return app.Driver(ctx).Annotations[spark.AnnotationExitException] }
		Eventually(driverAnnotation).Should(Equal(javaTrace))
		Consistently(driverAnnotation, "3s").Should(Equal(javaTrace))
	})

	It("that the driver writes between its end and the enricher's look is kept", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "race").Annotating("true"), script.Once(
			script.Running(), script.Log(fatal), script.Exit(1), script.Annotate(javaTrace)))
		diagnosis(ctx, app)
		Eventually(func() string { return app.Driver(ctx).Annotations[spark.AnnotationExitException] }).Should(Equal(javaTrace))
	})
})

// diagnosis waits until the application has failed and says why.
func diagnosis(ctx context.Context, app e2etest.App) *failure.Diagnostics {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		now := app.Get(ctx)
		g.Expect(now.Status.ApplicationState.State).To(Equal(v1beta2.StateFailed))
		g.Expect(now.Status.Diagnostics).NotTo(BeNil())
		g.Expect(now.Status.Diagnostics.SubmissionID).To(Equal(now.Status.SubmissionID))
		g.Expect(now.Status.Diagnostics.Reason).NotTo(BeEmpty())
		g.Expect(e2etest.Condition(now, v1beta2.ConditionExitExceptionAnnotated).Status).NotTo(
			Or(BeEmpty(), Equal(metav1.ConditionUnknown)))
	}).Should(Succeed())
	return app.Get(ctx).Status.Diagnostics
}

// annotated is status and reason of the condition ExitExceptionAnnotated.
func annotated(app *v1beta2.SparkApplication) string {
	condition := e2etest.Condition(app, v1beta2.ConditionExitExceptionAnnotated)
	return string(condition.Status) + " " + condition.Reason
}
