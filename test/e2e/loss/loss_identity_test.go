package loss

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

var _ = Describe("Whose driver a pod is", Label("loss"), func() {
	var namespace string

	BeforeEach(func(ctx context.Context) {
		namespace = bed.Namespace(ctx)
		start(ctx, cluster.EnricherOptions{Name: "identity"})
	})

	It("a pod that merely claims an application in its labels changes nothing", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "victim"), script.Once(script.Running(), script.Hold("end"), script.Exit(3)))
		app.Reaches(ctx, v1beta2.StateRunning)
		driver := app.Driver(ctx)
		bed.Library.Add("impostor", script.Once(script.Running(), script.Annotate("java.lang.Error: forged\n\tat A.b(C.java:1)\n"), script.Exit(99)))
		for name, owners := range map[string][]metav1.OwnerReference{
			"impostor-without-owner": nil,
			"impostor-of-another":    {{APIVersion: "sparkoperator.k8s.io/v1beta2", Kind: "SparkApplication", Name: "victim", UID: "another-uid"}},
			"impostor-with-owner":    driver.OwnerReferences,
		} {
			Expect(bed.Client.Create(ctx, claiming(driver, name, owners))).To(Succeed())
		}
		Eventually(func(g Gomega) {
			pods := &corev1.PodList{}
			g.Expect(bed.Client.List(ctx, pods)).To(Succeed())
			ended := 0
			for _, pod := range pods.Items {
				if pod.Namespace == namespace && pod.Status.Phase == corev1.PodFailed {
					ended++
				}
			}
			g.Expect(ended).To(Equal(3))
		}).Should(Succeed())
		Consistently(func(g Gomega) {
			g.Expect(app.Get(ctx).Status.Diagnostics).To(BeNil())
		}, "5s").Should(Succeed())

		app.Open("end")
		Eventually(exitCode(app)).WithContext(ctx).Should(HaveValue(BeEquivalentTo(3)))
		Expect(app.Get(ctx).Status.Diagnostics.Driver.PodUID).To(BeEquivalentTo(driver.UID))
	})

	It("two applications with crossing names stay apart", func(ctx context.Context) {
		one := bed.Submit(ctx, build.App(namespace, "one").DriverPod("two-driver"), script.Once(script.Running(), script.Exit(11)))
		two := bed.Submit(ctx, build.App(namespace, "two").DriverPod("one-driver"), script.Once(script.Running(), script.Exit(22)))
		Eventually(exitCode(one)).WithContext(ctx).Should(HaveValue(BeEquivalentTo(11)))
		Eventually(exitCode(two)).WithContext(ctx).Should(HaveValue(BeEquivalentTo(22)))
		Expect(one.Get(ctx).Status.Diagnostics.Driver.PodName).To(Equal("two-driver"))
	})

	It("an application that is deleted and created again inherits nothing", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "again"), script.Once(script.Running(), script.Exit(3)))
		Eventually(exitCode(app)).WithContext(ctx).Should(HaveValue(BeEquivalentTo(3)))
		object := build.App(namespace, "again").Object()
		Expect(bed.Client.Delete(ctx, object)).To(Succeed())
		Eventually(func() error { return bed.Client.Get(ctx, app.NamespacedName, object) }).ShouldNot(Succeed())

		again := bed.Submit(ctx, build.App(namespace, "again"), script.Once(script.Exit(0)).Then(script.Running(), script.Hold("end"), script.Exit(4)))
		again.Reaches(ctx, v1beta2.StateRunning)
		Consistently(func(g Gomega) { g.Expect(again.Get(ctx).Status.Diagnostics).To(BeNil()) }, "5s").Should(Succeed())
		again.Open("end")
		Eventually(exitCode(again)).WithContext(ctx).Should(HaveValue(BeEquivalentTo(4)))
		Expect(again.Get(ctx).Status.Diagnostics.Attempts).To(BeEmpty())
	})

	It("a driver whose container has another name, beside a sidecar that keeps the pod running, is explained at its end", func(ctx context.Context) {
		template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{
			{Name: "main", Image: "example"}, {Name: "mesh-proxy", Image: "example"},
		}}}
		app := bed.Submit(ctx, build.App(namespace, "renamed").Template(template), script.Once(
			script.Running(), script.Log("Exception in thread \"main\" java.lang.IllegalStateException: no customer\n\tat com.example.Daily.main(Daily.java:7)\n"),
			script.Exit(1), script.Hold("end"), script.EndContainer("mesh-proxy", 0)))
		Eventually(exitCode(app)).WithContext(ctx).Should(HaveValue(BeEquivalentTo(1)))
		Expect(app.Driver(ctx).Status.Phase).To(Equal(corev1.PodRunning))
		diagnostics := app.Get(ctx).Status.Diagnostics
		Expect(diagnostics.Driver.Container).To(Equal("main"))
		Expect(diagnostics.Source).To(Equal(failure.SourceDriverLog))
		Expect(diagnostics.Reason).To(Equal(failure.ReasonUserCodeError))
		app.Open("end")
	})
})

// claiming makes a pod that looks like the driver of the same application and attempt.
func claiming(driver *corev1.Pod, name string, owners []metav1.OwnerReference) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: driver.Namespace, Labels: driver.Labels, OwnerReferences: owners,
			Annotations: map[string]string{script.Annotation: "impostor"},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "spark-kubernetes-driver", Image: "example"}}},
	}
}

// exitCode gives the exit code of the current diagnosis, nil while there is none.
func exitCode(app e2etest.App) func(context.Context) *int32 {
	return func(ctx context.Context) *int32 {
		if d := app.Get(ctx).Status.Diagnostics; d != nil {
			return d.ExitCode
		}
		return nil
	}
}
