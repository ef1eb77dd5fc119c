package enricher

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// keep notes diagnostics that a later attempt's status has to show: the operator erases them when it names a new
// submission or notes a changed specification, where no policy may stand in its way.
func (a *application) keep(d *v1beta2.Diagnostics) {
	if d != nil && (d.Reason != "" || len(d.Attempts) > 0) {
		a.kept, a.lost = d, false
	}
}

// withHistory returns app as it would be if the operator had left the diagnostics of earlier attempts in its status.
func (a *application) withHistory(app *v1beta2.SparkApplication) *v1beta2.SparkApplication {
	if app.Status.Diagnostics != nil || a.kept == nil {
		return app
	}
	kept := a.kept
	if kept.SubmissionID == app.Status.SubmissionID {
		kept = &v1beta2.Diagnostics{SubmissionID: kept.SubmissionID, Attempts: kept.Attempts}
	}
	if kept.Reason == "" && len(kept.Attempts) == 0 {
		return app
	}
	with := *app
	with.Status.Diagnostics = kept
	return &with
}

// mayHaveLost is true of an application whose status could have had diagnostics before: it is not at its first attempt.
func mayHaveLost(app *v1beta2.SparkApplication) bool {
	is := &app.Status
	return is.Diagnostics == nil && is.SubmissionID != "" &&
		(is.ExecutionAttempts > 1 || is.SubmissionAttempts > 1 || app.Generation > 1)
}

// recall finds the failed attempts of an application in their events, where its status lost them while no enricher
// looked. An application that was submitted longer ago than a start looks back is left alone.
func (r *Reconciler) recall(ctx context.Context, app *v1beta2.SparkApplication) error {
	submitted := app.Status.LastSubmissionAttemptTime
	if !r.memory.snapshot(app).lost || submitted == nil || r.Clock.Since(submitted.Time) > r.Config.Backfill.Duration {
		return nil
	}
	events, err := r.journal.read(ctx, r.Clientset.EventsV1().Events(app.Namespace), app)
	if err != nil {
		return fmt.Errorf("listing the events of failed attempts in %s: %w", app.Namespace, err)
	}
	r.memory.change(app, func(a *application) {
		a.lost = false
		if a.kept == nil {
			a.keep(&v1beta2.Diagnostics{Attempts: attemptsIn(app, events)})
		}
	})
	return nil
}

// journalAge is how old a list of events may be: a start asks for those of many applications at once.
const journalAge = time.Minute

// journal is the events of failed attempts, read for a whole namespace at a time.
type journal struct {
	mu         sync.Mutex
	namespaces *cache.Expiring // namespace to events by the UID of their application
}

func newJournal() *journal { return &journal{namespaces: cache.NewExpiring()} }

// read returns the events of app's failed attempts, none where they may not be listed: that is told at the start.
func (j *journal) read(ctx context.Context, from eventsclient.EventInterface, app *v1beta2.SparkApplication) ([]eventsv1.Event, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if known, ok := j.namespaces.Get(app.Namespace); ok {
		return known.(map[string][]eventsv1.Event)[string(app.UID)], nil
	}
	list, err := from.List(ctx, metav1.ListOptions{LabelSelector: v1beta2.LabelApplicationUID})
	if apierrors.IsForbidden(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	byApplication := map[string][]eventsv1.Event{}
	for _, event := range list.Items {
		id := event.Labels[v1beta2.LabelApplicationUID]
		byApplication[id] = append(byApplication[id], event)
	}
	j.namespaces.Set(app.Namespace, byApplication, journalAge)
	return byApplication[string(app.UID)], nil
}

// attemptsIn returns the failed attempts of app that events tell of, newest first.
func attemptsIn(app *v1beta2.SparkApplication, events []eventsv1.Event) []v1beta2.Attempt {
	slices.SortStableFunc(events, func(a, b eventsv1.Event) int { return b.EventTime.Compare(a.EventTime.Time) })
	var attempts []v1beta2.Attempt
	for i := range events {
		if attempt, ok := attemptIn(app, &events[i]); ok {
			attempts = append(attempts, attempt)
		}
	}
	return attempts
}

// attemptIn is false for an event that the enricher cannot have made: others may create events too.
func attemptIn(app *v1beta2.SparkApplication, event *eventsv1.Event) (v1beta2.Attempt, bool) {
	var a v1beta2.Attempt
	if json.Unmarshal([]byte(event.Annotations[v1beta2.AnnotationAttempt]), &a) != nil {
		return a, false
	}
	ours := a.SubmissionID != "" && event.Name == eventName(app, a.SubmissionID) &&
		event.Regarding.UID == app.UID && event.ReportingController == reportingController
	storable := slices.Contains(v1beta2.Categories, a.Category) && slices.Contains(v1beta2.Sources, a.Source) &&
		len(a.Message) <= v1beta2.MaxMessageBytes && !strings.ContainsFunc(a.Message+string(a.Reason), unicode.IsControl)
	return a, ours && storable
}
