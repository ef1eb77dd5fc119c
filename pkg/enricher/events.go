package enricher

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
	"github.com/spark-status-enricher/enricher/pkg/enricher/text"
)

const (
	reportingController = "spark-status-enricher.io/enricher"
	maxNote             = 1024 // bytes; the API server refuses more
	reasonStatusErased  = "DiagnosisErased"
	reasonRejected      = "DiagnosisRejected"
)

// failureEvent tells of one failed attempt. Its name is made from the application's UID and the submission ID, so that
// the API server refuses a second one. It carries the attempt's short record, for the case that the status loses it.
func failureEvent(app *v1beta2.SparkApplication, record *status.Record, now metav1.MicroTime) (*eventsv1.Event, error) {
	d := &record.Diagnostics
	note := fmt.Sprintf("Attempt %d failed: %s", record.Attempt, d.Message)
	if d.Hint != "" {
		note += " Hint: " + d.Hint
	}
	event := newEvent(app, record.SubmissionID, string(d.Reason), "DiagnoseFailure", note, now)
	if d.Driver != nil && d.Driver.PodName != "" {
		event.Related = &corev1.ObjectReference{
			APIVersion: "v1", Kind: "Pod", Namespace: app.Namespace, Name: d.Driver.PodName, UID: uid(d.Driver.PodUID),
		}
	}
	summary, err := json.Marshal(record.Summary())
	if err != nil {
		return nil, fmt.Errorf("encoding the record of submission %s: %w", record.SubmissionID, err)
	}
	event.Annotations = map[string]string{v1beta2.AnnotationAttempt: string(summary)}
	event.Labels = map[string]string{v1beta2.LabelApplicationUID: string(app.UID)}
	return event, nil
}

// erasedEvent tells, once an application, that its diagnosis does not survive the operator's writes.
func erasedEvent(app *v1beta2.SparkApplication, now metav1.MicroTime) *eventsv1.Event {
	note := "The operator erases status.diagnostics and nothing protects them; only the summary in " +
		"applicationState.errorMessage is kept. Run 'enricher install' on Kubernetes 1.36 or later, or switch on the webhook."
	return newEvent(app, reasonStatusErased, reasonStatusErased, "ProtectStatus", note, now)
}

// rejectedEvent tells, once an application, that the API server does not store its status.
func rejectedEvent(app *v1beta2.SparkApplication, fields string, now metav1.MicroTime) *eventsv1.Event {
	note := "The API server refuses to store the diagnosis in the status, because of " + fields + ". Run 'enricher install' to " +
		"bring the CRD up to date; if the fields are not the enricher's, mend the application."
	return newEvent(app, reasonRejected, reasonRejected, "WriteStatus", note, now)
}

func newEvent(app *v1beta2.SparkApplication, identity, reason, action, note string, now metav1.MicroTime) *eventsv1.Event {
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: eventName(app.Name, app.UID, identity)},
		EventTime:  now, Type: corev1.EventTypeWarning, Reason: reason, Action: action, Note: text.Cut(note, maxNote),
		ReportingController: reportingController, ReportingInstance: instance(),
		Regarding: corev1.ObjectReference{
			APIVersion: v1beta2.GroupVersion.String(), Kind: "SparkApplication",
			Namespace: app.Namespace, Name: app.Name, UID: app.UID, ResourceVersion: app.ResourceVersion,
		},
	}
}

// eventName is that of the one event about something of an application.
func eventName(app string, id types.UID, identity string) string {
	hash := sha256.Sum256([]byte(string(id) + "/" + identity))
	return strings.Trim(fmt.Sprintf("%.220s.%x", app, hash[:8]), "-.")
}

// emit makes sure of an event. Anybody who may create events can take its name beforehand: one there that says something
// else is not ours, and ours then gets a name made from what it says.
func (r *Reconciler) emit(ctx context.Context, event *eventsv1.Event) error {
	taken, err := r.create(ctx, event)
	if err != nil || !taken {
		return err
	}
	if genuine, err := r.isThere(ctx, event); err != nil || genuine {
		return err
	}
	renamed := event.DeepCopy()
	renamed.Name = nameByContent(event)
	_, err = r.create(ctx, renamed)
	return err
}

// create reports whether the name is taken already.
func (r *Reconciler) create(ctx context.Context, event *eventsv1.Event) (taken bool, err error) {
	_, err = r.Clientset.EventsV1().Events(event.Namespace).Create(ctx, event, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return true, nil
	}
	r.Metrics.wrote("event", err)
	if err != nil {
		return false, fmt.Errorf("creating event for %s/%s: %w", event.Namespace, event.Regarding.Name, err)
	}
	return false, nil
}

// isThere reports whether the event of that name says the same. It lists, since the right to list events is one the
// enricher has; without it, the event there is taken for ours.
func (r *Reconciler) isThere(ctx context.Context, event *eventsv1.Event) (bool, error) {
	found, err := r.Clientset.EventsV1().Events(event.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", event.Name).String(),
	})
	switch {
	case apierrors.IsForbidden(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("reading event %s/%s: %w", event.Namespace, event.Name, err)
	default:
		return slices.ContainsFunc(found.Items, func(there eventsv1.Event) bool { return saysTheSame(&there, event) }), nil
	}
}

func saysTheSame(a, b *eventsv1.Event) bool {
	return a.ReportingController == b.ReportingController && a.Regarding.UID == b.Regarding.UID &&
		a.Type == b.Type && a.Reason == b.Reason && a.Action == b.Action && a.Note == b.Note &&
		a.Annotations[v1beta2.AnnotationAttempt] == b.Annotations[v1beta2.AnnotationAttempt]
}

// nameByContent is the name of an event whose own name was taken. Who does not know what it says cannot take this one.
func nameByContent(event *eventsv1.Event) string {
	return eventName(event.Regarding.Name, event.Regarding.UID,
		strings.Join([]string{event.Reason, event.Note, event.Annotations[v1beta2.AnnotationAttempt]}, "/"))
}
