package enricher

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// emit creates an event. One that is there already is as good.
func (r *Reconciler) emit(ctx context.Context, event *eventsv1.Event) error {
	_, err := r.Clientset.EventsV1().Events(event.Namespace).Create(ctx, event, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	r.Metrics.wrote("event", err)
	if err != nil {
		return fmt.Errorf("creating event for %s/%s: %w", event.Namespace, event.Regarding.Name, err)
	}
	return nil
}
