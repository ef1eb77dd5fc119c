package enricher

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// keep notes diagnostics that a later attempt's status has to show: the operator erases them when it names a new
// submission or notes a changed specification, where no policy may stand in its way.
func (a *application) keep(app *v1beta2.SparkApplication) {
	if d := app.Status.Diagnostics; d != nil {
		a.kept, a.keptFinal, a.lost = d, alreadyExplained(app), false
	}
}

// hasExplained is true of an attempt whose final diagnosis the status had last.
func (a *application) hasExplained(submissionID string) bool {
	return a.keptFinal && a.kept.SubmissionID == submissionID
}

// withHistory returns app as it would be if the operator had left the diagnostics in its status. While nothing protects
// them there, they are left out.
func (a *application) withHistory(app *v1beta2.SparkApplication, now time.Time) *v1beta2.SparkApplication {
	kept := a.kept
	if app.Status.Diagnostics != nil || a.erasure.pausing(now) || kept == nil || kept.Reason == "" && len(kept.Attempts) == 0 {
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
// looked, and returns when to try again before anything is written. An application that was submitted longer ago than
// a start looks back is left alone.
func (r *Reconciler) recall(ctx context.Context, app *v1beta2.SparkApplication) time.Duration {
	known, submitted := r.memory.snapshot(app), app.Status.LastSubmissionAttemptTime
	if !known.lost || submitted != nil && r.Clock.Since(submitted.Time) > r.Config.Backfill.Duration {
		return 0
	}
	attempts, err := r.journal.read(ctx, r.Clientset.EventsV1().Events(app.Namespace), app)
	if err != nil && r.Clock.Since(known.since) < recallPatience {
		return recallPause
	}
	if err != nil {
		log.FromContext(ctx).Info("Cannot list events, going on without the earlier attempts", "cause", err.Error())
	}
	r.memory.change(app, func(a *application) {
		a.lost = false
		if a.kept == nil {
			a.kept = &failure.Diagnostics{Attempts: attempts}
		}
	})
	return 0
}

const (
	// recallPause is when to ask again for events that could not be listed, and recallPatience for how long.
	recallPause    = 10 * time.Second
	recallPatience = time.Minute
	// journalTimeout is how long a list of events may take.
	journalTimeout = 10 * time.Second
	// journalAge is how old a list of events may be: a start asks for those of many applications at once.
	journalAge = time.Minute
	// maxNameBytes bounds the names and IDs of an attempt.
	maxNameBytes = 253
)

// journal is the failed attempts that events tell of, read for a whole namespace at a time.
type journal struct {
	mu         sync.Mutex
	namespaces map[string]entries
}

// entries are those of one namespace, or why there are none.
type entries struct {
	attempts map[types.UID][]failure.Attempt
	err      error
}

func newJournal() *journal { return &journal{namespaces: map[string]entries{}} }

// read returns app's failed attempts, newest first; none where events may not be listed, which is told at the start.
func (j *journal) read(ctx context.Context, events eventsclient.EventInterface, app *v1beta2.SparkApplication) ([]failure.Attempt, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	known, ok := j.namespaces[app.Namespace]
	if !ok {
		age := journalAge
		if known = list(ctx, events); known.err != nil {
			age = recallPause
		}
		j.namespaces[app.Namespace] = known
		time.AfterFunc(age, func() { j.forget(app.Namespace) })
	}
	return known.attempts[app.UID], known.err
}

func list(ctx context.Context, events eventsclient.EventInterface) entries {
	ctx, cancel := context.WithTimeout(ctx, journalTimeout)
	defer cancel()
	found, err := events.List(ctx, metav1.ListOptions{LabelSelector: v1beta2.LabelApplicationUID})
	switch {
	case apierrors.IsForbidden(err):
		return entries{}
	case err != nil:
		return entries{err: err}
	default:
		return entries{attempts: attemptsIn(found.Items)}
	}
}

func (j *journal) forget(namespace string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.namespaces, namespace)
}

// attemptsIn returns the failed attempts that events tell of, newest first, by the UID of their application.
func attemptsIn(events []eventsv1.Event) map[types.UID][]failure.Attempt {
	slices.SortStableFunc(events, func(a, b eventsv1.Event) int { return b.EventTime.Compare(a.EventTime.Time) })
	attempts := map[types.UID][]failure.Attempt{}
	for i := range events {
		if attempt, ok := attemptIn(&events[i]); ok {
			id := events[i].Regarding.UID
			attempts[id] = append(attempts[id], attempt)
		}
	}
	return attempts
}

// attemptIn is false for an event that the enricher cannot have made, or a status not hold: others create events too.
func attemptIn(event *eventsv1.Event) (failure.Attempt, bool) {
	var a failure.Attempt
	if json.Unmarshal([]byte(event.Annotations[v1beta2.AnnotationAttempt]), &a) != nil {
		return a, false
	}
	ours := event.ReportingController == reportingController && a.SubmissionID != "" &&
		event.Name == eventName(event.Regarding.Name, event.Regarding.UID, a.SubmissionID)
	return a, ours && isStorable(&a)
}

func isStorable(a *failure.Attempt) bool {
	for _, text := range []string{a.SubmissionID, string(a.Reason), a.PodUID, a.Message} {
		if strings.ContainsFunc(text, unicode.IsControl) || len(text) > maxNameBytes && text != a.Message {
			return false
		}
	}
	return len(a.Message) <= failure.MaxMessageBytes && (a.FinishedAt == nil || isDate(a.FinishedAt.UTC())) &&
		slices.Contains(failure.Categories, a.Category) && slices.Contains(failure.Sources, a.Source)
}

// isDate is false of a time that the API server's format cannot hold.
func isDate(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }
