package envtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

var (
	submittedAt = metav1.NewTime(time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC))
	endedAt     = metav1.NewTime(time.Date(2026, 11, 30, 8, 5, 0, 0, time.UTC))
)

var _ = Describe("keep-status", keepStatusSpecs)

func keepStatusSpecs() {
	It("gives what the Go table gives, for every state and every transition", func(ctx SpecContext) {
		app := newApplication(ctx)
		for _, from := range v1beta2.States {
			for _, to := range v1beta2.States {
				operatorWrites(ctx, app, from, "s-1")
				before := read(ctx, app)
				operatorWrites(ctx, app, to, "s-1")
				if to == v1beta2.StateInvalidating {
					continue // made once, see below
				}
				expectTable(ctx, app, before, fmt.Sprintf("%q -> %q", from, to))
			}
		}
	}, NodeTimeout(2*patience))

	It("gives what the Go table gives for a diagnosed failure, and drops it with the next submission", func(ctx SpecContext) {
		for _, state := range v1beta2.States {
			app := newApplication(ctx)
			operatorWrites(ctx, app, v1beta2.StateFailing, "s-1")
			enricherDiagnoses(ctx, app, "s-1")
			for _, step := range []struct {
				state      v1beta2.State
				submission string
			}{{state, "s-1"}, {v1beta2.StatePendingRerun, "s-1"}, {state, "s-2"}, {v1beta2.StateFailed, "s-2"}} {
				before := read(ctx, app)
				operatorWrites(ctx, app, step.state, step.submission)
				if madeOnce(step.state, before.Status.SubmissionID != step.submission) {
					break // see below
				}
				expectTable(ctx, app, before, fmt.Sprintf("%q of %s", step.state, step.submission))
				Expect(read(ctx, app).Status.Diagnostics).NotTo(BeNil())
			}
		}
	}, NodeTimeout(2*patience))

	DescribeTable("has no part in a write that the operator makes only once, and makes the conditions with the next", func(ctx SpecContext,
		state v1beta2.State, submission, message string, next v1beta2.State,
	) {
		app := newApplication(ctx)
		operatorWrites(ctx, app, v1beta2.StateFailing, "s-1")
		enricherDiagnoses(ctx, app, "s-1")
		Expect(tryOperatorWrite(ctx, app, state, submission, message)).To(Succeed())
		once := read(ctx, app)
		Expect(once.Status.ApplicationState.State).To(Equal(state))
		Expect(once.Status.Conditions).To(BeEmpty())
		Expect(once.Status.Diagnostics).To(BeNil())
		operatorWrites(ctx, app, next, submission)
		expectTable(ctx, app, once, string(next))
	},
		Entry("naming a new submission", v1beta2.StateSubmitted, "s-2", "", v1beta2.StateRunning),
		Entry("noting an unknown driver", v1beta2.StateSubmissionFailed, "s-2",
			"failed to submit spark application: failed to run spark-submit: driver pod already exist", v1beta2.StateFailed),
		Entry("noting a changed specification", v1beta2.StateInvalidating, "s-1", "", v1beta2.StatePendingRerun),
	)

	It("makes the operator's repeated write change nothing", func(ctx SpecContext) {
		for _, state := range v1beta2.States {
			app := newApplication(ctx)
			operatorWrites(ctx, app, state, "s-1")
			enricherDiagnoses(ctx, app, "s-1")
			version := read(ctx, app).ResourceVersion
			for range 3 {
				operatorWrites(ctx, app, state, "s-1")
			}
			Expect(read(ctx, app).ResourceVersion).To(Equal(version), "in state %q", state)
		}
	}, NodeTimeout(2*patience))

	It("changes nothing in the enricher's own write", func(ctx SpecContext) {
		app := newApplication(ctx)
		for _, state := range []v1beta2.State{v1beta2.StateSubmitted, v1beta2.StateRunning, v1beta2.StateFailing, v1beta2.StateFailed} {
			operatorWrites(ctx, app, state, "s-1")
			wanted := enricherDiagnoses(ctx, app, "s-1")
			got := read(ctx, app).Status
			Expect(cmp.Diff(wanted.Conditions, got.Conditions)).To(BeEmpty())
			Expect(cmp.Diff(wanted.Diagnostics, got.Diagnostics)).To(BeEmpty())
		}
	})

	It("keeps diagnostics and conditions of the largest size", func(ctx SpecContext) {
		app := newApplication(ctx)
		operatorWrites(ctx, app, v1beta2.StateFailed, "s-1")
		large := largestDiagnostics("s-1")
		wanted := enricherWrites(ctx, app, large, foreignConditions(27))
		operatorWrites(ctx, app, v1beta2.StateFailed, "s-1")
		Expect(cmp.Diff(wanted.Diagnostics, read(ctx, app).Status.Diagnostics)).To(BeEmpty())
		before := read(ctx, app)
		operatorWrites(ctx, app, v1beta2.StatePendingRerun, "s-1")
		expectTable(ctx, app, before, "largest")
		Expect(cmp.Diff(wanted.Diagnostics, read(ctx, app).Status.Diagnostics)).To(BeEmpty())
		Expect(read(ctx, app).Status.Conditions).To(HaveLen(32))
	})

	It("keeps conditions where there are no diagnostics, and the reverse", func(ctx SpecContext) {
		app := newApplication(ctx)
		operatorWrites(ctx, app, v1beta2.StateRunning, "s-1")
		Expect(read(ctx, app).Status.Conditions).To(HaveLen(5))
		Expect(read(ctx, app).Status.Diagnostics).To(BeNil())
		patchStatus(ctx, kube, app, `[{"op": "add", "path": "/status/diagnostics", "value": {"submissionID": "s-1"}},
			{"op": "remove", "path": "/status/conditions"}]`)
		operatorWrites(ctx, app, v1beta2.StateRunning, "s-1")
		Expect(read(ctx, app).Status.Diagnostics.SubmissionID).To(Equal("s-1"))
		Expect(read(ctx, app).Status.Conditions).To(HaveLen(5))
	})

	It("copes with a state it has never heard of", func(ctx SpecContext) {
		app := newApplication(ctx)
		operatorWrites(ctx, app, v1beta2.StateRunning, "s-1")
		before := read(ctx, app)
		operatorWrites(ctx, app, "A_LATER_STATE", "s-1")
		expectTable(ctx, app, before, "a later state")
	})
}

func madeOnce(state v1beta2.State, named bool) bool {
	return state == v1beta2.StateInvalidating || state == v1beta2.StateSubmitted && named
}

// expectTable compares the stored conditions with those that the Go function makes of the ones before.
func expectTable(ctx context.Context, app types.NamespacedName, before *v1beta2.SparkApplication, step string) {
	GinkgoHelper()
	got := read(ctx, app)
	input := got.Status.DeepCopy()
	input.Conditions = before.Status.Conditions
	wanted := status.StateConditions(input, got.Generation, got.CreationTimestamp)
	Expect(cmp.Diff(wanted, got.Status.Conditions)).To(BeEmpty(), step)
}

func newApplication(ctx context.Context) types.NamespacedName {
	GinkgoHelper()
	file := "local:///opt/spark/examples/app.jar"
	app := &operatorv1beta2.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "app-", Namespace: namespace},
		Spec: operatorv1beta2.SparkApplicationSpec{
			Type: operatorv1beta2.SparkApplicationTypeScala, Mode: operatorv1beta2.DeployModeCluster, SparkVersion: "4.1.0",
			MainApplicationFile: &file,
		},
	}
	Expect(kube.Create(ctx, app)).To(Succeed())
	return client.ObjectKeyFromObject(app)
}

// operatorWrites is the operator's write: the whole typed object, which has neither diagnostics nor conditions.
func operatorWrites(ctx context.Context, app types.NamespacedName, state v1beta2.State, submission string) {
	GinkgoHelper()
	Expect(tryOperatorWrite(ctx, app, state, submission, "")).To(Succeed())
}

func tryOperatorWrite(ctx context.Context, app types.NamespacedName, state v1beta2.State, submission, message string) error {
	object := &operatorv1beta2.SparkApplication{}
	if err := kube.Get(ctx, app, object); err != nil {
		return err
	}
	object.Status.AppState.State = operatorv1beta2.ApplicationStateType(state)
	object.Status.AppState.ErrorMessage = message
	object.Status.SubmissionID = submission
	object.Status.DriverInfo.PodName = app.Name + "-driver"
	object.Status.LastSubmissionAttemptTime, object.Status.TerminationTime = submittedAt, metav1.Time{}
	switch state {
	case v1beta2.StateNew, v1beta2.StatePendingRerun, v1beta2.StateInvalidating:
		object.Status.LastSubmissionAttemptTime = metav1.Time{}
	case v1beta2.StateFailing, v1beta2.StateFailed, v1beta2.StateSucceeding, v1beta2.StateCompleted:
		object.Status.TerminationTime = endedAt
	}
	return kube.Status().Update(ctx, object)
}

func enricherDiagnoses(ctx context.Context, app types.NamespacedName, submission string) v1beta2.Status {
	GinkgoHelper()
	exitCode := int32(137)
	return enricherWrites(ctx, app, &failure.Diagnostics{
		SubmissionID: submission, Reason: failure.ReasonDriverOOMKilled, Category: failure.CategoryPlatform,
		Message: `The driver passed its memory limit of 1Gi, "quoted" and ünïcode`, Source: failure.SourceContainerStatus,
		ExitCode: &exitCode, Exception: &failure.Exception{StackTrace: []string{"a.B: c", "at a.B.main(B.java:1)"}},
	}, []metav1.Condition{{
		Type: v1beta2.ConditionExitExceptionAnnotated, Status: metav1.ConditionFalse, Reason: v1beta2.NotAnnotatedNotRequested,
		LastTransitionTime: endedAt, ObservedGeneration: 1,
	}})
}

// enricherWrites is the enricher's write: a patch of its own two fields, with the conditions of the Go table.
func enricherWrites(ctx context.Context, app types.NamespacedName, diagnosis *failure.Diagnostics, others []metav1.Condition) v1beta2.Status {
	GinkgoHelper()
	object := read(ctx, app)
	wanted := object.Status.DeepCopy()
	wanted.Diagnostics = diagnosis
	wanted.Conditions = append(wanted.Conditions[:min(len(wanted.Conditions), len(status.StateTypes))], others...)
	wanted.Conditions = status.StateConditions(wanted, object.Generation, object.CreationTimestamp)
	patch, err := json.Marshal([]map[string]any{
		{"op": "test", "path": "/status/submissionID", "value": object.Status.SubmissionID},
		{"op": "add", "path": "/status/diagnostics", "value": wanted.Diagnostics},
		{"op": "add", "path": "/status/conditions", "value": wanted.Conditions},
	})
	Expect(err).NotTo(HaveOccurred())
	patchStatus(ctx, enricher, app, string(patch))
	return *wanted
}

func patchStatus(ctx context.Context, c client.Client, app types.NamespacedName, patch string) {
	GinkgoHelper()
	object := emptyApplication(app)
	Expect(c.Status().Patch(ctx, object, client.RawPatch(types.JSONPatchType, []byte(patch)))).To(Succeed())
}

// read gets the application with the enricher's own eyes.
func read(ctx context.Context, app types.NamespacedName) *v1beta2.SparkApplication {
	GinkgoHelper()
	object := emptyApplication(app)
	Expect(kube.Get(ctx, app, object)).To(Succeed())
	lean := &v1beta2.SparkApplication{}
	Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, lean)).To(Succeed())
	return lean
}

func emptyApplication(app types.NamespacedName) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(v1beta2.GroupVersion.WithKind("SparkApplication"))
	object.SetName(app.Name)
	object.SetNamespace(app.Namespace)
	return object
}

func largestDiagnostics(submission string) *failure.Diagnostics {
	line := strings.Repeat("x", 1000)
	large := &failure.Diagnostics{
		SubmissionID: submission, Reason: failure.ReasonUserCodeError, Message: line, Hint: line[:512],
		Exception: &failure.Exception{Class: line[:512], Message: line},
	}
	for range 64 {
		large.Exception.StackTrace = append(large.Exception.StackTrace, line)
	}
	for i := range failure.MaxAttempts {
		large.Attempts = append(large.Attempts, failure.Attempt{SubmissionID: fmt.Sprint("s-", i), Message: line})
	}
	return large
}

func foreignConditions(n int) []metav1.Condition {
	var conditions []metav1.Condition
	for i := range n {
		conditions = append(conditions, metav1.Condition{
			Type: fmt.Sprintf("Other%d", i), Status: metav1.ConditionTrue, Reason: "Other", Message: strings.Repeat("y", 30000),
			LastTransitionTime: endedAt,
		})
	}
	return conditions
}

// awaitPolicies waits until the API server applies keep-status, the drivers' policies and the fence: it learns of a policy a moment
// after its creation, and for some seconds after the creation of a CRD it answers 503 to every write that a mutating
// policy matches.
func awaitPolicies(ctx context.Context) {
	GinkgoHelper()
	Eventually(ctx, func(g Gomega) {
		app := newApplication(ctx)
		g.Expect(tryOperatorWrite(ctx, app, v1beta2.StateRunning, "s-1", "")).To(Succeed())
		g.Expect(read(ctx, app).Status.Conditions).NotTo(BeEmpty())
		driver := driverPod("awaited-")
		g.Expect(kube.Create(ctx, driver, client.DryRunAll)).To(Succeed())
		g.Expect(driver.Finalizers).To(ContainElement(v1beta2.FinalizerCapture))
		g.Expect(enricher.Create(ctx, driverPod("awaited-"), client.DryRunAll)).To(MatchError(ContainSubstring("may only patch pods")))
	}).WithTimeout(eventual).WithPolling(poll).Should(Succeed())
}
