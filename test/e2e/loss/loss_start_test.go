package loss

import (
	"context"
	"fmt"
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

const (
	oldFailures   = 2000
	oldWithPods   = 50
	youngFailures = 20
	writers       = 8
)

var _ = Describe("The first start on a cluster with a past", Label("loss"), func() {
	It("leaves 2,000 old failures alone, reads none of their logs, and diagnoses the 20 of the last hour", func(ctx context.Context) {
		past := e2etest.Start(ctx, e2etest.Options{NoOperator: true})
		namespace := past.Namespace(ctx)
		inParallel(ctx, oldFailures, func(ctx context.Context, i int) error {
			return failedBefore(ctx, past, namespace, fmt.Sprintf("old-%04d", i), 2*time.Hour, i < oldWithPods, "")
		})
		inParallel(ctx, youngFailures, func(ctx context.Context, i int) error {
			return failedBefore(ctx, past, namespace, fmt.Sprintf("young-%02d", i), 10*time.Minute, true, trace)
		})
		_, err := past.StartEnricher(ctx, cluster.EnricherOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(diagnosedIn).WithArguments(ctx, past, namespace).Should(HaveLen(youngFailures))
		Consistently(diagnosedIn, "10s", "1s").WithArguments(ctx, past, namespace).Should(HaveLen(youngFailures))
		Expect(diagnosedIn(ctx, past, namespace)).To(HaveEach(HavePrefix("young-")))

		requests, err := past.Audit()
		Expect(err).NotTo(HaveOccurred())
		ours := requests.Where(audit.By(cluster.EnricherUser), audit.In(namespace))
		Expect(ours.Where(audit.On("pods/log"))).To(BeEmpty(), "logs that were read")
		Expect(ours.Where(audit.Writes, audit.On("sparkapplications/status"))).To(HaveLen(youngFailures))
		Expect(ours.Where(audit.Writes, audit.On("events"))).To(HaveLen(youngFailures))
		Expect(ours.Where(audit.Writes)).To(HaveLen(2 * youngFailures))
	})
})

const trace = "java.lang.IllegalStateException: order 4711 has no customer\n\tat com.example.jobs.Daily$.main(Daily.scala:23)\n"

// inParallel does something count times.
func inParallel(ctx context.Context, count int, do func(context.Context, int) error) {
	GinkgoHelper()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for i := range count {
		group.Go(func() error { return do(ctx, i) })
	}
	Expect(group.Wait()).To(Succeed())
}

// failedBefore makes an application that the operator left FAILED a while ago, with or without its driver pod.
func failedBefore(ctx context.Context, bed *e2etest.Bed, namespace, name string, ago time.Duration, withPod bool, annotation string) error {
	at := metav1.NewTime(time.Now().Add(-ago).Truncate(time.Second))
	app := build.App(namespace, name).Object()
	if err := bed.Client.Create(ctx, app); err != nil {
		return err
	}
	if withPod {
		if err := endedDriver(ctx, bed, app, at, annotation); err != nil {
			return err
		}
	}
	app.Status = operatorv1beta2.SparkApplicationStatus{
		SubmissionID: "submission-of-" + name, ExecutionAttempts: 1, SubmissionAttempts: 1,
		LastSubmissionAttemptTime: metav1.NewTime(at.Add(-time.Minute)), TerminationTime: at,
		DriverInfo: operatorv1beta2.DriverInfo{PodName: name + "-driver"},
		AppState: operatorv1beta2.ApplicationState{
			State: operatorv1beta2.ApplicationStateFailed, ErrorMessage: "driver container failed with ExitCode: 1, Reason: Error",
		},
	}
	// An API server that has only just learnt of the CRD and a mutating policy answers 503 for a moment.
	patience := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 1.5, Steps: 15}
	return retry.OnError(patience, apierrors.IsServiceUnavailable, func() error { return bed.Client.Status().Update(ctx, app) })
}

// endedDriver makes a driver pod on a node that nobody plays.
func endedDriver(ctx context.Context, bed *e2etest.Bed, app *operatorv1beta2.SparkApplication, at metav1.Time, annotation string) error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: app.Namespace, Name: app.Name + "-driver", Annotations: map[string]string{},
			Labels: map[string]string{
				spark.LabelRole: spark.RoleDriver, v1beta2.LabelLaunchedBy: "true",
				v1beta2.LabelAppName: app.Name, v1beta2.LabelSubmissionID: "submission-of-" + app.Name,
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "sparkoperator.k8s.io/v1beta2", Kind: "SparkApplication", Name: app.Name, UID: app.UID, Controller: new(true),
			}},
		},
		Spec: corev1.PodSpec{NodeName: "elsewhere", Containers: []corev1.Container{{Name: "spark-kubernetes-driver", Image: "example"}}},
	}
	if annotation != "" {
		pod.Annotations[script.ExitException] = annotation
	}
	if err := bed.Client.Create(ctx, pod); err != nil {
		return err
	}
	pod.Status.Phase = corev1.PodFailed
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "spark-kubernetes-driver", Image: "example",
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, Reason: "Error", StartedAt: metav1.NewTime(at.Add(-time.Minute)), FinishedAt: at,
		}},
	}}
	return bed.Client.Status().Update(ctx, pod)
}

// diagnosedIn names the applications of a namespace that carry a diagnosis.
func diagnosedIn(ctx context.Context, bed *e2etest.Bed, namespace string) ([]string, error) {
	list := &v1beta2.SparkApplicationList{}
	if err := bed.Enriched.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	var names []string
	for _, app := range list.Items {
		if d := app.Status.Diagnostics; d != nil && d.Reason != "" {
			names = append(names, app.Name)
		}
	}
	return names, nil
}
