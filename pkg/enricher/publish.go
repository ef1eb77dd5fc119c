package enricher

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/annotation"
	"github.com/spark-status-enricher/enricher/pkg/enricher/patch"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

const (
	// refusedPause is when to look again after the API server found the application other than expected, twice as long
	// after each further time, up to half a minute.
	refusedPause    = 250 * time.Millisecond
	maxRefusedShift = 7
	// extensionPause is when to look again while the CRD lacks our fields.
	extensionPause = 15 * time.Second
	// eventWindow is how long after a failure a restarted enricher makes sure of its event.
	eventWindow = 2 * time.Minute
)

// publish writes what differs, if the moment allows it, and tells of it by an event afterwards.
func (r *Reconciler) publish(ctx context.Context, app *v1beta2.SparkApplication, pods []corev1.Pod) (time.Duration, error) {
	known := r.memory.snapshot(app)
	now := r.Clock.Now()
	if known.stale(app) {
		return refusedPause, nil
	}
	if known.refusals > 0 {
		var err error
		if app, err = r.readAgain(ctx, app); app == nil || err != nil {
			return 0, err
		}
		// What was read may be of a new generation, which is to be left alone.
		r.memory.observeApp(app)
		known = r.memory.snapshot(app)
	}
	if err := r.guardErasure(ctx, app, &known, now); err != nil {
		return 0, err
	}
	records := known.records(app.Status.ApplicationState.State)
	had := known.withHistory(app, now)
	wanted := status.Wanted(had, records, r.optionsFor(app, known, now))
	if !status.Differ(&app.Status, wanted) {
		r.memory.change(app, func(a *application) { a.refusals = 0 })
		return r.afterPause(known, now), r.tell(ctx, app, records)
	}
	if isShortLived(app, wanted) {
		return 0, nil
	}
	allowed := momentFor(app, known.quietUntil, known.stateSince, now, r.holdsOld(app, known, pods))
	if !allowed.now {
		return allowed.after, nil
	}
	if wait := max(untilVerdict(app, records, now), untilWell(had, wanted, r.outages.latest(), now)); wait > 0 {
		return wait, nil
	}
	if !r.Extension.Present() {
		return extensionPause, nil
	}
	if wait := known.rejection.wait(app.Status.SubmissionID, now); wait > 0 {
		return wait, nil
	}
	return r.write(ctx, app, wanted, records)
}

func (r *Reconciler) optionsFor(app *v1beta2.SparkApplication, known application, now time.Time) status.Options {
	return status.Options{
		ErrorMessage: *r.Config.EnrichErrorMessage,
		FactsOnly:    annotation.ConsentOf(app, r.Config).FactsOnly,
		SummaryOnly:  known.erasure.pausing(now),
	}
}

// write makes the one status write and, once it is done, the event.
func (r *Reconciler) write(ctx context.Context, app *v1beta2.SparkApplication, wanted *v1beta2.Status, records []status.Record) (time.Duration, error) {
	version, err := status.Write(ctx, r.Client, app, wanted)
	r.Metrics.wrote("status", err)
	switch {
	case patch.IsUnknownField(err):
		r.Extension.Lost(ctx)
		return extensionPause, nil
	case patch.IsRejected(err):
		return r.holdBack(ctx, app, err)
	case patch.IsUnexpected(err):
		r.memory.change(app, func(a *application) { a.refusals++ })
		return refusedPause << min(r.memory.snapshot(app).refusals, maxRefusedShift), nil
	case isGone(err):
		return 0, nil
	case err != nil:
		return 0, err
	}
	r.memory.change(app, func(a *application) {
		a.written, a.writtenAt, a.refusals, a.rejection = version, r.Clock.Now(), 0, rejection{}
		if wanted.Diagnostics != nil {
			a.storedID, a.storedGeneration, a.storedAt = wanted.Diagnostics.SubmissionID, app.Generation, r.Clock.Now()
		}
	})
	return 0, r.tell(ctx, app, records)
}

// readAgain asks the API server for the application. The cache may stay behind for ever: when the CRD gets its fields
// back, objects have conditions again of which no event tells. It returns nil if the application is gone.
func (r *Reconciler) readAgain(ctx context.Context, app *v1beta2.SparkApplication) (*v1beta2.SparkApplication, error) {
	now := &v1beta2.SparkApplication{}
	err := r.Live.Get(ctx, keyOf(app), now)
	if isGone(err) || err == nil && now.UID != app.UID {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading application again: %w", err)
	}
	return now, nil
}

// tell makes sure of the event of every failed attempt that is written.
func (r *Reconciler) tell(ctx context.Context, app *v1beta2.SparkApplication, records []status.Record) error {
	now := metav1.NewMicroTime(r.Clock.Now())
	for _, record := range append(records, r.justStored(app, records)...) {
		if !record.Failed || r.memory.evented(app, record.SubmissionID) {
			continue
		}
		event, err := failureEvent(app, &record, now)
		if err != nil {
			return err
		}
		if err := r.emit(ctx, event); err != nil {
			return err
		}
		r.memory.update(app, record.SubmissionID, func(t *attempt) { t.evented = true })
	}
	return nil
}

// justStored returns the record of a diagnosis that is in the status but not in memory, if it is young: the enricher
// may have been restarted between the write and the event.
func (r *Reconciler) justStored(app *v1beta2.SparkApplication, records []status.Record) []status.Record {
	d := app.Status.Diagnostics
	if d == nil || d.Reason == "" || d.Driver == nil || d.Driver.FinishedAt == nil || d.SubmissionID != app.Status.SubmissionID {
		return nil
	}
	for _, r := range records {
		if r.SubmissionID == d.SubmissionID {
			return nil
		}
	}
	if r.Clock.Since(d.Driver.FinishedAt.Time) > eventWindow {
		return nil
	}
	return []status.Record{{SubmissionID: d.SubmissionID, Attempt: d.Attempt, Failed: true, Diagnostics: *d}}
}

// guardErasure counts the rounds in which somebody erased what was stored, and tells of it once.
func (r *Reconciler) guardErasure(ctx context.Context, app *v1beta2.SparkApplication, known *application, now time.Time) error {
	if !known.erased(app) {
		return nil
	}
	if known.erasure.last != app.ResourceVersion {
		r.Metrics.erased.Inc()
	}
	r.memory.change(app, func(a *application) {
		if a.outlasted(now) {
			a.erasure = erasure{}
		}
		a.erasure.note(app.ResourceVersion, now)
		a.storedAt = time.Time{}
		known.erasure = a.erasure
	})
	if known.erasure.told || !known.erasure.pausing(now) {
		return nil
	}
	log.FromContext(ctx).Info("The operator erases the diagnosis and nothing protects it; keeping only the summary in " +
		"errorMessage. Run 'enricher install' or switch on the webhook")
	if err := r.emit(ctx, erasedEvent(app, metav1.NewMicroTime(now))); err != nil {
		return err
	}
	r.memory.change(app, func(a *application) { a.erasure.told = true })
	return nil
}

// afterPause returns when an application whose status is being erased is to be tried again.
func (r *Reconciler) afterPause(known application, now time.Time) time.Duration {
	if known.erasure.pausing(now) {
		return known.erasure.until.Sub(now)
	}
	return 0
}
