// Package evidence does all reads of a diagnosis and hands over one plain struct.
package evidence

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job/sparkapplication"
)

const (
	// executorLimit bounds the one list of executor pods.
	executorLimit = 500
	// claimantPage is how many pods that claim to be the driver of an attempt are asked for at once, and findTimeout how
	// long looking through all of them may take.
	claimantPage = 100
	findTimeout  = 10 * time.Second
)

// Gatherer reads what a diagnosis may rest on.
type Gatherer struct {
	Client kubernetes.Interface
	Limits configv1alpha1.LogLimits
}

// Of returns the evidence on the attempt of app that ran in pod, which may be nil, as far as it is at hand.
func Of(app *v1beta2.SparkApplication, pod *corev1.Pod) diagnosis.Evidence {
	ev := diagnosis.Evidence{Job: sparkapplication.Job(app), Pod: pod}
	if pod != nil {
		ev.Container = app.DriverContainerName(pod)
	}
	return ev
}

// HasLog reports whether the driver's container has ever run: without that there is no log.
func HasLog(ev diagnosis.Evidence) bool {
	return ev.Pod != nil && ev.Container != "" && hasRun(ev.Pod, ev.Container)
}

// Gather returns the evidence on the attempt of app that ran in pod, which may be nil. The log is read only if needsLog
// says so. An error means that a log which should be there could not be read; the evidence is complete otherwise.
func (g *Gatherer) Gather(
	ctx context.Context, app *v1beta2.SparkApplication, pod *corev1.Pod, needsLog func(diagnosis.Evidence) bool,
) (diagnosis.Evidence, error) {
	ev := Of(app, pod)
	if !HasLog(ev) || !needsLog(ev) {
		return ev, nil
	}
	var err error
	ev.Log, err = g.ReadLog(ctx, ev)
	return ev, err
}

// ReadLog returns the end of the driver's log, and none where another pod has the name by now. What had come before an
// error is returned with it.
func (g *Gatherer) ReadLog(ctx context.Context, ev diagnosis.Evidence) ([]byte, error) {
	log, err := readTail(ctx, g.Client, ev.Pod, ev.Container, g.Limits)
	if len(log) > 0 && g.replaced(ctx, ev.Pod) {
		return nil, nil
	}
	return log, err
}

// replaced reports whether another pod answers to the name by now: logs are asked for by name, the operator reuses it,
// and the log of a later attempt must not explain this one. Asked after the log was read, since only then does a "no"
// hold for the reading.
func (g *Gatherer) replaced(ctx context.Context, pod *corev1.Pod) bool {
	now, err := g.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil {
		return !apierrors.IsNotFound(err)
	}
	return now.UID != pod.UID
}

// hasRun reports whether the container ever started: without a start there is no log.
func hasRun(pod *corev1.Pod, container string) bool {
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == container {
			return c.State.Waiting == nil || c.LastTerminationState.Terminated != nil
		}
	}
	return pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodFailed
}

// FindPod asks the API server for the driver pod of a submission of app. Named is the name that the operator's status had
// for it, where that is known: the operator forgets it when a retry is due. It returns nil where there is none.
func (g *Gatherer) FindPod(ctx context.Context, app *v1beta2.SparkApplication, submissionID, named string) (*corev1.Pod, error) {
	selector := labels.Set{
		spark.LabelRole:           spark.RoleDriver,
		v1beta2.LabelAppName:      app.Name,
		v1beta2.LabelSubmissionID: submissionID,
	}
	options := metav1.ListOptions{LabelSelector: selector.String()}
	if named == "" && submissionID == app.Status.SubmissionID {
		named = app.Status.DriverInfo.PodName
	}
	if named != "" {
		options.FieldSelector = fields.OneTermEqualSelector("metadata.name", named).String()
	}
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	var found *corev1.Pod
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return g.Client.CoreV1().Pods(app.Namespace).List(ctx, options)
	})
	pages.PageSize, pages.PageBufferSize, pages.FullListIfExpired = claimantPage, 1, false
	err := pages.EachListItem(ctx, options, func(item runtime.Object) error {
		if pod := item.(*corev1.Pod); found == nil && BelongsTo(pod, app, named) {
			found = pod
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing driver pods of %s/%s: %w", app.Namespace, app.Name, err)
	}
	return found, nil
}

// Executors lists the executor pods of an attempt that still exist, at most 500.
func (g *Gatherer) Executors(ctx context.Context, app *v1beta2.SparkApplication, submissionID string) ([]corev1.Pod, error) {
	selector := labels.Set{
		spark.LabelRole:           spark.RoleExecutor,
		v1beta2.LabelAppName:      app.Name,
		v1beta2.LabelSubmissionID: submissionID,
	}
	list, err := g.Client.CoreV1().Pods(app.Namespace).List(ctx, metav1.ListOptions{
		LabelSelector: selector.String(), Limit: executorLimit,
	})
	if err != nil {
		return nil, fmt.Errorf("listing executors of %s/%s: %w", app.Namespace, app.Name, err)
	}
	return list.Items, nil
}
