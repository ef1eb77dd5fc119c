package envtest

import (
	"context"
	"maps"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

var _ = Describe("the fence", func() {
	DescribeTable("lets the enricher change its own part of a driver pod",
		func(ctx SpecContext, patch string) {
			pod := newPod(ctx, driverPod("fenced-"))
			Expect(patchPod(ctx, enricher, pod, patch)).To(Succeed())
		},
		Entry("its annotations", `{"metadata": {"annotations": {"spark.exit-exception": "a.B: c", "spark-status-enricher.io/exit-exception-source": "DriverLog"}}}`),
		Entry("its finalizer, on", `{"metadata": {"finalizers": ["example.com/other", "spark-status-enricher.io/capture"]}}`),
		Entry("its finalizer, off", `{"metadata": {"$deleteFromPrimitiveList/finalizers": ["spark-status-enricher.io/capture"]}}`),
	)

	DescribeTable("refuses the enricher every other change of a pod",
		func(ctx SpecContext, patch, reason string) {
			pod := newPod(ctx, driverPod("fenced-"))
			err := patchPod(ctx, enricher, pod, patch)
			Expect(apierrors.IsInvalid(err) || apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
			Expect(err).To(MatchError(ContainSubstring(reason)))
			Expect(patchPod(ctx, kube, pod, patch)).To(Succeed(), "somebody else")
		},
		Entry("the image", `{"spec": {"containers": [{"name": "spark-kubernetes-driver", "image": "evil"}]}}`, "specification"),
		Entry("a label", `{"metadata": {"labels": {"a": "b"}}}`, "labels"),
		Entry("the submission ID of a pod that stays", `{"metadata": {"labels": {"sparkoperator.k8s.io/submission-id": null}}}`, "labels"),
		Entry("a removed label", `{"metadata": {"labels": {"spark-role": null}}}`, "labels"),
		Entry("another annotation", `{"metadata": {"annotations": {"a": "b"}}}`, "annotations"),
		Entry("another annotation's value", `{"metadata": {"annotations": {"kept": "other"}}}`, "annotations"),
		Entry("a removed annotation", `{"metadata": {"annotations": {"kept": null}}}`, "annotations"),
		Entry("another's finalizer", `{"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/other"]}}`, "finalizer"),
	)

	It("lets the enricher take the submission ID off a pod that is being deleted, and change no other label", func(ctx SpecContext) {
		pod := driverPod("fenced-")
		pod.Finalizers = []string{v1beta2.FinalizerCapture}
		pod = newPod(ctx, pod)
		Expect(kube.Delete(ctx, pod)).To(Succeed())
		Expect(patchPod(ctx, enricher, pod, `{"metadata": {"labels": {"spark-role": null}}}`)).To(MatchError(ContainSubstring("labels")))
		other := `{"metadata": {"labels": {"sparkoperator.k8s.io/submission-id": "other"}}}`
		Expect(patchPod(ctx, enricher, pod, other)).To(MatchError(ContainSubstring("labels")))
		Expect(patchPod(ctx, enricher, pod, `{"metadata": {"labels": {"sparkoperator.k8s.io/submission-id": null}}}`)).To(Succeed())
	})

	It("refuses the enricher to create and to delete pods", func(ctx SpecContext) {
		Expect(enricher.Create(ctx, driverPod("fenced-"))).To(MatchError(ContainSubstring("may only patch pods")))
		pod := newPod(ctx, driverPod("fenced-"))
		Expect(enricher.Delete(ctx, pod)).To(MatchError(ContainSubstring("may only patch pods")))
	})

	It("refuses the enricher the status of a pod", func(ctx SpecContext) {
		pod := newPod(ctx, driverPod("fenced-"))
		patch := client.RawPatch(types.MergePatchType, []byte(`{"status": {"message": "x"}}`))
		Expect(enricher.Status().Patch(ctx, pod, patch)).To(MatchError(ContainSubstring("may only patch pods")))
	})

	It("keeps an annotation of the driver's own from the enricher", func(ctx SpecContext) {
		pod := driverPod("fenced-")
		pod.Annotations[spark.AnnotationExitException] = "written by the driver"
		pod = newPod(ctx, pod)
		patch := `{"metadata": {"annotations": {"spark.exit-exception": "mine", "spark-status-enricher.io/exit-exception-source": "DriverLog"}}}`
		Expect(patchPod(ctx, enricher, pod, patch)).To(MatchError(ContainSubstring("may change neither")))
	})

	DescribeTable("keeps an exception that is there from the enricher, whatever it claims of it",
		func(ctx SpecContext, present map[string]string, patch string) {
			pod := driverPod("fenced-")
			maps.Copy(pod.Annotations, present)
			pod = newPod(ctx, pod)
			Expect(patchPod(ctx, enricher, pod, patch)).To(MatchError(ContainSubstring("may change neither")))
			Expect(patchPod(ctx, kube, pod, patch)).To(Succeed(), "somebody else")
		},
		Entry("the source beside the driver's", map[string]string{spark.AnnotationExitException: "the driver's"},
			`{"metadata": {"annotations": {"spark-status-enricher.io/exit-exception-source": "DriverLog"}}}`),
		Entry("the source alone", nil, `{"metadata": {"annotations": {"spark-status-enricher.io/exit-exception-source": "DriverLog"}}}`),
		Entry("an exception without its source", nil, `{"metadata": {"annotations": {"spark.exit-exception": "a.B: c"}}}`),
		Entry("a late one of the driver over its own",
			map[string]string{spark.AnnotationExitException: "the driver's", v1beta2.AnnotationExitExceptionSource: "DriverLog"},
			`{"metadata": {"annotations": {"spark.exit-exception": "mine"}}}`),
		Entry("its own, taken away",
			map[string]string{spark.AnnotationExitException: "a.B: c", v1beta2.AnnotationExitExceptionSource: "DriverLog"},
			`{"metadata": {"annotations": {"spark.exit-exception": null}}}`),
	)

	DescribeTable("lets the enricher hold and annotate no pod but a driver's",
		func(ctx SpecContext, label string) {
			pod := driverPod("fenced-")
			delete(pod.Labels, label)
			pod = newPod(ctx, pod)
			for _, patch := range []string{
				`{"metadata": {"finalizers": ["spark-status-enricher.io/capture"]}}`,
				`{"metadata": {"annotations": {"spark.exit-exception": "a.B: c", "spark-status-enricher.io/exit-exception-source": "DriverLog"}}}`,
			} {
				Expect(patchPod(ctx, enricher, pod, patch)).To(MatchError(ContainSubstring("driver pods")), patch)
			}
			Expect(patchPod(ctx, kube, pod, `{"metadata": {"finalizers": ["spark-status-enricher.io/capture"]}}`)).To(Succeed())
			Expect(patchPod(ctx, enricher, pod, `{"metadata": {"$deleteFromPrimitiveList/finalizers": ["spark-status-enricher.io/capture"]}}`)).
				To(Succeed(), "a pod that has lost its label is freed")
		},
		Entry(nil, spark.LabelRole), Entry(nil, v1beta2.LabelLaunchedBy), Entry(nil, v1beta2.LabelAppName),
	)

	It("lets the enricher write its part of a status and nothing else", func(ctx SpecContext) {
		app := newApplication(ctx)
		operatorWrites(ctx, app, v1beta2.StateFailed, "s-1")
		enricherDiagnoses(ctx, app, "s-1")
		errorMessage := `{"status": {"applicationState": {"errorMessage": "driver failed; DriverOOMKilled"}}}`
		Expect(patchApplicationStatus(ctx, enricher, app, errorMessage)).To(Succeed())
		for _, patch := range []string{
			`{"status": {"applicationState": {"state": "COMPLETED"}}}`, `{"status": {"submissionID": "other"}}`,
			`{"status": {"driverInfo": {"podName": "other"}}}`, `{"status": {"executionAttempts": 7}}`,
			`{"status": {"terminationTime": null}}`,
		} {
			Expect(patchApplicationStatus(ctx, enricher, app, patch)).To(MatchError(ContainSubstring("may")), patch)
		}
	})

	It("refuses the enricher to create a status and to change an application", func(ctx SpecContext) {
		app := newApplication(ctx)
		Expect(patchApplicationStatus(ctx, enricher, app, `{"status": {"driverInfo": {}, "diagnostics": {"attempt": 1}}}`)).
			To(MatchError(ContainSubstring("existing status")))
		object := emptyApplication(app)
		Expect(enricher.Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(`{"spec": {"mode": "client"}}`)))).
			To(MatchError(ContainSubstring("existing status")))
	})
})

var _ = Describe("the drivers' policies", driverSpecs)

func driverSpecs() {
	It("put the finalizer and the termination message policy on the operator's driver pods", func(ctx SpecContext) {
		pod := newPod(ctx, driverPod("driver-"))
		Expect(pod.Finalizers).To(Equal([]string{"example.com/other", v1beta2.FinalizerCapture}))
		Expect(policiesOf(pod)).To(Equal("sidecar=File spark-kubernetes-driver=FallbackToLogsOnError"))

		pod = driverPod("driver-")
		pod.Finalizers = nil
		Expect(newPod(ctx, pod).Finalizers).To(Equal([]string{v1beta2.FinalizerCapture}))
	})

	It("leave pods alone that name no application", func(ctx SpecContext) {
		pod := driverPod("driver-")
		delete(pod.Labels, v1beta2.LabelAppName)
		pod = newPod(ctx, pod)
		Expect(pod.Finalizers).To(Equal([]string{"example.com/other"}))
		Expect(policiesOf(pod)).To(Equal("sidecar=File spark-kubernetes-driver=File"))
	})

	It("leave an exempt driver's termination message alone", func(ctx SpecContext) {
		pod := driverPod("driver-")
		pod.Labels[v1beta2.LabelTerminationMessage] = "off"
		Expect(policiesOf(newPod(ctx, pod))).To(Equal("sidecar=File spark-kubernetes-driver=File"))
	})

	It("leave pods of executors and of others alone", func(ctx SpecContext) {
		for label, value := range map[string]string{
			v1beta2.LabelLaunchedBy: "other", spark.LabelRole: "executor", v1beta2.LabelAppName: "",
		} {
			pod := driverPod("driver-")
			pod.Labels[label] = value
			pod = newPod(ctx, pod)
			Expect(pod.Finalizers).To(Equal([]string{"example.com/other"}))
			Expect(policiesOf(pod)).To(Equal("sidecar=File spark-kubernetes-driver=File"))
		}
	})

	It("leave a driver alone whose container has another name", func(ctx SpecContext) {
		pod := driverPod("driver-")
		pod.Spec.Containers[1].Name = "renamed"
		Expect(policiesOf(newPod(ctx, pod))).To(Equal("sidecar=File renamed=File"))
	})
}

// driverPod has a finalizer of somebody else and a sidecar in front of the driver's container.
func driverPod(prefix string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: prefix, Namespace: namespace, Finalizers: []string{"example.com/other"},
			Labels: map[string]string{
				spark.LabelRole: spark.RoleDriver, v1beta2.LabelLaunchedBy: "true", v1beta2.LabelSubmissionID: "s-1",
				v1beta2.LabelAppName: "etl",
			},
			Annotations: map[string]string{"kept": "as it is"},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{
			{Name: "sidecar", Image: "sidecar"}, {Name: spark.DriverContainer, Image: "spark"},
		}},
	}
}

// newPod creates the pod and takes it away after the test.
func newPod(ctx context.Context, pod *corev1.Pod) *corev1.Pod {
	GinkgoHelper()
	Expect(kube.Create(ctx, pod)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		free := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
		Expect(client.IgnoreNotFound(kube.Patch(ctx, pod, free))).To(Succeed())
		Expect(client.IgnoreNotFound(kube.Delete(ctx, pod, client.GracePeriodSeconds(0)))).To(Succeed())
	}, NodeTimeout(time.Minute))
	return pod
}

func patchPod(ctx context.Context, c client.Client, pod *corev1.Pod, patch string) error {
	return c.Patch(ctx, pod.DeepCopy(), client.RawPatch(types.StrategicMergePatchType, []byte(patch)))
}

func patchApplicationStatus(ctx context.Context, c client.Client, app types.NamespacedName, patch string) error {
	return c.Status().Patch(ctx, emptyApplication(app), client.RawPatch(types.MergePatchType, []byte(patch)))
}

func policiesOf(pod *corev1.Pod) string {
	var policies []string
	for _, container := range pod.Spec.Containers {
		policies = append(policies, container.Name+"="+string(container.TerminationMessagePolicy))
	}
	return strings.Join(policies, " ")
}
