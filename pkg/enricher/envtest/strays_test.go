package envtest

import (
	"context"
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher"
)

var _ = Describe("A driver pod that the enricher holds", Ordered, ContinueOnFailure, func() {
	const space = "strays"

	BeforeAll(func(ctx SpecContext) {
		Expect(lean.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}})).To(Succeed())
		app := &operatorv1beta2.SparkApplication{
			ObjectMeta: metav1.ObjectMeta{Name: "etl", Namespace: space},
			Spec: operatorv1beta2.SparkApplicationSpec{
				Type: operatorv1beta2.SparkApplicationTypeScala, Mode: operatorv1beta2.DeployModeCluster, SparkVersion: "4.1.0",
				MainApplicationFile: ptr.To("local:///opt/app.jar"),
			},
		}
		Expect(operator.Create(ctx, app)).To(Succeed())
		app.Status.SubmissionID, app.Status.AppState.State = "s-1", operatorv1beta2.ApplicationStateRunning
		Expect(operator.Status().Update(ctx, app)).To(Succeed())
		runEnricher(space)
	})

	DescribeTable("is released when it loses a label by which it is known",
		func(ctx SpecContext, label string, value *string) {
			kept, stray := held(ctx, space, "kept-"), held(ctx, space, "stray-")
			relabel(ctx, stray, label, value)
			Eventually(finalizersOf).WithContext(ctx).WithArguments(stray).WithTimeout(eventually).Should(BeEmpty())
			Expect(finalizersOf(ctx, kept)).To(ConsistOf(v1beta2.FinalizerCapture), "one that keeps its labels")
		},
		Entry("its role", spark.LabelRole, nil),
		Entry("another role in place of its own", spark.LabelRole, ptr.To("executor")),
		Entry("who launched it", v1beta2.LabelLaunchedBy, nil),
		Entry("its application", v1beta2.LabelAppName, nil),
		Entry("its application, for another one", v1beta2.LabelAppName, ptr.To("other")),
		Entry("its application, for an empty name", v1beta2.LabelAppName, ptr.To("")),
		Entry("its submission", v1beta2.LabelSubmissionID, nil),
	)

	It("goes when it is deleted after it lost its label", func(ctx SpecContext) {
		stray := held(ctx, space, "stray-")
		Expect(clientset.CoreV1().Pods(space).Delete(ctx, stray.Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})).To(Succeed())
		relabel(ctx, stray, v1beta2.LabelAppName, nil)
		Eventually(func() error { return lean.Get(ctx, client.ObjectKeyFromObject(stray), stray) }).
			WithTimeout(eventually).Should(Satisfy(apierrors.IsNotFound))
	})

	It("is not held where it never named an application", func(ctx SpecContext) {
		pod := driver(space, "nameless-")
		delete(pod.Labels, v1beta2.LabelAppName)
		pod.Finalizers = []string{v1beta2.FinalizerCapture} // as an older policy put it on
		Expect(lean.Create(ctx, pod)).To(Succeed())
		Eventually(finalizersOf).WithContext(ctx).WithArguments(pod).WithTimeout(eventually).Should(BeEmpty())
	})
})

// runEnricher runs the enricher for one namespace until the container ends.
func runEnricher(space string) {
	GinkgoHelper()
	cfg := &configv1alpha1.EnricherConfiguration{
		Namespaces: []string{space}, CaptureFinalizer: ptr.To(true), MetricsBindAddress: "0", HealthProbeBindAddress: "0",
		LeaderElection: configv1alpha1.LeaderElection{Enabled: ptr.To(false)},
	}
	configv1alpha1.SetDefaults(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- enricher.Run(ctx, environment.Config, cfg, GinkgoLogr) }()
	DeferCleanup(func() {
		cancel()
		Eventually(ended).WithTimeout(time.Minute).Should(Receive(BeNil()))
	})
}

func driver(space, prefix string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: prefix, Namespace: space, Labels: map[string]string{
				spark.LabelRole: spark.RoleDriver, v1beta2.LabelLaunchedBy: "true",
				v1beta2.LabelAppName: "etl", v1beta2.LabelSubmissionID: "s-1",
			},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: spark.DriverContainer, Image: "spark"}}},
	}
}

// held is a running driver pod onto which the enricher has put the finalizer.
func held(ctx context.Context, space, prefix string) *corev1.Pod {
	GinkgoHelper()
	pod := driver(space, prefix)
	Expect(lean.Create(ctx, pod)).To(Succeed())
	Eventually(finalizersOf).WithContext(ctx).WithArguments(pod).WithTimeout(eventually).
		Should(ConsistOf(v1beta2.FinalizerCapture))
	return pod
}

func relabel(ctx context.Context, pod *corev1.Pod, label string, value *string) {
	GinkgoHelper()
	set := "null"
	if value != nil {
		set = `"` + *value + `"`
	}
	patch := `{"metadata": {"labels": {"` + label + `": ` + set + `}}}`
	Expect(lean.Patch(ctx, pod.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)))).To(Succeed())
}

func finalizersOf(ctx context.Context, pod *corev1.Pod) ([]string, error) {
	now, err := clientset.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return now.Finalizers, nil
}
