package enricher

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/annotation"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job/sparkapplication"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

// investigate finds out about every attempt that is due, and returns when the next one will be (0: unknown).
func (r *Reconciler) investigate(ctx context.Context, app *v1beta2.SparkApplication, known application, pods []corev1.Pod) (time.Duration, error) {
	var soonest time.Duration
	var failures []error
	for _, t := range known.attempts {
		pod := podOf(app, t, pods)
		what, after := nextStep(app, known, t, pod, r.Clock.Now(), r.Config.Backfill.Duration)
		var err error
		switch what {
		case explain:
			after, err = r.explain(ctx, app, t, pod)
		case explainWait:
			after = r.explainWait(app, t, pod)
		case dismiss:
			r.memory.update(app, t.submissionID, func(t *attempt) { t.settle(nil) })
		}
		failures = append(failures, err)
		soonest = sooner(soonest, after)
	}
	return soonest, errors.Join(failures...)
}

// podOf returns the driver pod of an attempt: as it is now, else as it was last seen. A pod that is not the
// application's own does not count.
func podOf(app *v1beta2.SparkApplication, t attempt, pods []corev1.Pod) *corev1.Pod {
	for i := range pods {
		if evidence.SubmissionID(&pods[i]) == t.submissionID && evidence.BelongsTo(&pods[i], app, t.podName) {
			return &pods[i]
		}
	}
	return t.pod
}

// explain gathers, diagnoses and annotates one attempt that has ended.
func (r *Reconciler) explain(ctx context.Context, app *v1beta2.SparkApplication, t attempt, pod *corev1.Pod) (time.Duration, error) {
	pod, err := r.endedPod(ctx, app, t, pod)
	if err != nil {
		return 0, err
	}
	found, again := r.diagnose(ctx, app, t, evidence.Of(applicationOf(app, t), pod))
	if found == nil {
		return again, nil
	}
	if !found.Failed {
		r.memory.update(app, t.submissionID, func(t *attempt) { t.settle(nil) })
		return 0, nil
	}
	record, err := r.recordOf(ctx, app, t, pod, *found)
	if err != nil {
		return 0, err
	}
	r.told(ctx, app, record)
	r.memory.update(app, t.submissionID, func(t *attempt) { t.settle(record) })
	return 0, nil
}

// endedPod asks the API server for the pod where the cache has not seen it end: the two watches run apart, and without
// its end a failed driver would pass for one that is well.
func (r *Reconciler) endedPod(ctx context.Context, app *v1beta2.SparkApplication, t attempt, pod *corev1.Pod) (*corev1.Pod, error) {
	if t.submission || t.gone || pod != nil && hasEnded(pod, app) {
		return pod, nil
	}
	found, err := r.Gatherer.FindPod(ctx, app, t.submissionID, t.podName)
	if err != nil || found == nil {
		return pod, err
	}
	return found, nil
}

// applicationOf returns the application as it was at the time of the attempt: its error message and its executors are
// gone with the next one.
func applicationOf(app *v1beta2.SparkApplication, t attempt) *v1beta2.SparkApplication {
	switch {
	case t.submissionID == app.Status.SubmissionID && app.Status.ApplicationState.State == v1beta2.StateFailed:
		return app
	case t.app != nil:
		return t.app
	case t.submissionID == app.Status.SubmissionID && !t.failed:
		return app
	}
	then := app.DeepCopy()
	then.Status = v1beta2.Status{
		SubmissionID: t.submissionID, ExecutionAttempts: t.number,
		ApplicationState: v1beta2.ApplicationState{State: v1beta2.StateFailing},
	}
	return then
}

// recordOf annotates the driver pod where the application consents, and keeps what the status may show.
func (r *Reconciler) recordOf(
	ctx context.Context, app *v1beta2.SparkApplication, t attempt, pod *corev1.Pod, found diagnosis.Diagnosis,
) (*status.Record, error) {
	consent := annotation.ConsentOf(app, r.Config)
	annotated, err := r.annotate(ctx, pod, t, found, consent)
	if err != nil {
		return nil, err
	}
	annotated.LastTransitionTime = metav1.NewTime(r.Clock.Now()).Rfc3339Copy()
	record := &status.Record{
		SubmissionID: t.submissionID, Attempt: t.number, Failed: true,
		Diagnostics: found.Diagnostics, Annotated: annotated,
	}
	if consent.FactsOnly {
		record.Diagnostics = found.FactsOnly()
	}
	return record, nil
}

func (r *Reconciler) annotate(
	ctx context.Context, pod *corev1.Pod, t attempt, found diagnosis.Diagnosis, consent annotation.Consent,
) (metav1.Condition, error) {
	if pod != nil {
		if present, ok := annotation.Present(pod); ok {
			return present, nil
		}
	}
	switch {
	case !consent.Annotate:
		return annotation.Absent(consent.Refusal), nil
	case pod == nil || t.gone || found.Trace == "":
		return annotation.Absent(v1beta2.NotAnnotatedNoEvidence), nil
	default:
		written, err := annotation.Write(ctx, r.Clientset, pod, found.Trace, found.Diagnostics.Source)
		r.Metrics.wrote("pod", err)
		return written, err
	}
}

// explainWait explains a driver that has been waiting for longer than the grace period, and forgets the explanation
// when the wait is over.
func (r *Reconciler) explainWait(app *v1beta2.SparkApplication, t attempt, pod *corev1.Pod) time.Duration {
	found := r.Engine.Diagnose(diagnosis.Evidence{Job: sparkapplication.Job(app), Pod: pod, Container: app.DriverContainerName(pod)})
	if !found.Failed {
		r.memory.update(app, t.submissionID, func(t *attempt) { t.record = nil })
		return 0
	}
	if wait := waitingSince(pod).Add(r.Config.PendingGracePeriod.Duration).Sub(r.Clock.Now()); wait > 0 {
		return wait
	}
	record := &status.Record{SubmissionID: t.submissionID, Attempt: t.number, Diagnostics: found.Diagnostics}
	if annotation.ConsentOf(app, r.Config).FactsOnly {
		record.Diagnostics = found.FactsOnly()
	}
	r.memory.update(app, t.submissionID, func(t *attempt) { t.record = record })
	return 0
}

// told logs one line a diagnosis: it outlives the object. It holds facts, never text.
func (r *Reconciler) told(ctx context.Context, app *v1beta2.SparkApplication, record *status.Record) {
	d := &record.Diagnostics
	r.Metrics.diagnosed(d.Reason, d.Category)
	values := []any{
		"uid", app.UID, "submissionID", record.SubmissionID, "attempt", record.Attempt,
		"reason", d.Reason, "category", d.Category, "source", d.Source, "rule", d.Rule, "annotated", record.Annotated.Reason,
	}
	if schedule := app.Labels[v1beta2.LabelScheduledName]; schedule != "" {
		values = append(values, "schedule", schedule)
	}
	if d.ExitCode != nil {
		values = append(values, "exitCode", *d.ExitCode)
	}
	log.FromContext(ctx).Info("Diagnosed a failed attempt", values...)
}

// driverPods returns the driver pods that claim to be the application's.
func (r *Reconciler) driverPods(ctx context.Context, key client.ObjectKey) ([]corev1.Pod, error) {
	list := &corev1.PodList{}
	err := r.Client.List(ctx, list, client.InNamespace(key.Namespace), client.MatchingFields{appNameIndex: key.Name})
	return list.Items, err
}

func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
