package enricher

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/tools/pager"
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
	if errors.Is(err, errListing) {
		return listingPause
	}
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
	// listingPause is when to ask again for events that are being listed for another application.
	listingPause = time.Second
	// journalPage is how many events are asked for at once.
	journalPage = 500
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
	namespaces map[string]*entries
}

// entries are those of one namespace, or why there are none.
type entries struct {
	// done is true once the events were listed; until then they are being listed.
	done     bool
	attempts map[types.UID][]failure.Attempt
	err      error
}

// errListing means that the events of the namespace are being listed for another application.
var errListing = errors.New("the events are being listed")

func newJournal() *journal { return &journal{namespaces: map[string]*entries{}} }

// read returns app's failed attempts, newest first; none where events may not be listed, which is told at the start.
// It does not wait for another one's list, so that a slow one holds one worker only.
func (j *journal) read(ctx context.Context, events eventsclient.EventInterface, app *v1beta2.SparkApplication) ([]failure.Attempt, error) {
	known, mine := j.claim(app.Namespace)
	if mine {
		known = j.fill(ctx, events, app.Namespace)
	}
	if !known.done {
		return nil, errListing
	}
	return known.attempts[app.UID], known.err
}

// claim returns what is known of a namespace, or leaves it to the caller to list its events.
func (j *journal) claim(namespace string) (known entries, mine bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if known := j.namespaces[namespace]; known != nil {
		return *known, false
	}
	j.namespaces[namespace] = &entries{}
	return entries{}, true
}

func (j *journal) fill(ctx context.Context, events eventsclient.EventInterface, namespace string) entries {
	found, age := list(ctx, events), journalAge
	if found.err != nil {
		age = recallPause
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.namespaces[namespace] = &found
	time.AfterFunc(age, func() { j.forget(namespace) })
	return found
}

// list reads the events page by page and keeps of each what a status may hold.
func list(ctx context.Context, events eventsclient.EventInterface) entries {
	ctx, cancel := context.WithTimeout(ctx, journalTimeout)
	defer cancel()
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return events.List(ctx, options)
	})
	pages.PageSize, pages.PageBufferSize, pages.FullListIfExpired = journalPage, 1, false
	var told []toldAttempt
	err := pages.EachListItem(ctx, metav1.ListOptions{LabelSelector: v1beta2.LabelApplicationUID}, func(item runtime.Object) error {
		if t, ok := attemptIn(item.(*eventsv1.Event)); ok {
			told = append(told, t)
		}
		return nil
	})
	switch {
	case apierrors.IsForbidden(err):
		return entries{done: true}
	case err != nil:
		return entries{done: true, err: err}
	default:
		return entries{done: true, attempts: byApplication(told)}
	}
}

func (j *journal) forget(namespace string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.namespaces, namespace)
}

// toldAttempt is an attempt that an event tells of.
type toldAttempt struct {
	failure.Attempt
	application types.UID
	when        time.Time
	// renamed is true of an event whose own name was taken by another one.
	renamed bool
}

// byApplication sorts attempts by their application, newest first, as many as a status holds. Of two events about the
// same attempt the one of its own name counts: anybody can make a renamed one at any time.
func byApplication(told []toldAttempt) map[types.UID][]failure.Attempt {
	slices.SortStableFunc(told, func(a, b toldAttempt) int { return b.when.Compare(a.when) })
	attempts := map[types.UID][]failure.Attempt{}
	for _, t := range told {
		id := t.application
		if t.renamed && hasOwnName(told, t) || len(attempts[id]) >= failure.MaxAttempts {
			continue
		}
		attempts[id] = append(attempts[id], t.Attempt)
	}
	return attempts
}

// hasOwnName is true if an event of its own name tells of the same attempt.
func hasOwnName(told []toldAttempt, t toldAttempt) bool {
	return slices.ContainsFunc(told, func(other toldAttempt) bool {
		return !other.renamed && other.application == t.application && other.SubmissionID == t.SubmissionID
	})
}

// attemptIn is false for an event that the enricher cannot have made, or a status not hold: others create events too.
func attemptIn(event *eventsv1.Event) (toldAttempt, bool) {
	t := toldAttempt{application: event.Regarding.UID, when: event.EventTime.Time}
	if json.Unmarshal([]byte(event.Annotations[v1beta2.AnnotationAttempt]), &t.Attempt) != nil {
		return t, false
	}
	t.renamed = event.Name == nameByContent(event)
	named := t.renamed || event.Name == eventName(event.Regarding.Name, event.Regarding.UID, t.SubmissionID)
	return t, event.ReportingController == reportingController && t.SubmissionID != "" && named && isStorable(&t.Attempt)
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
