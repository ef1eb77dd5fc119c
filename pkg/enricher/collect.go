package enricher

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
)

const (
	// readTries is how often evidence that could not be read is asked for: long enough for an API server to restart.
	readTries = 5
	// slowReadTries is how often a log is asked for of which nothing comes within the time that a reading has.
	slowReadTries = 2
	// readRetryPause lies between the first two tries, and twice as long between each following pair.
	readRetryPause = time.Second
	// placePause is when to ask again for a place to read a log.
	placePause = time.Second
	// askingTime is what a collection has beside the reading of the log, to ask the API server for pods.
	askingTime = 10 * time.Second
)

// collection is what was found out about an attempt by reading a log or asking for executors.
type collection struct {
	found diagnosis.Diagnosis
	// err is what could not be read; usable is true if the part of the log that had come says what there is to say.
	err    error
	usable bool
}

// diagnose returns the diagnosis of an attempt, or nil and when to ask again (0: after the event of its collection).
// Logs are read apart from reconciles, since a kubelet may let them wait.
func (r *Reconciler) diagnose(ctx context.Context, app *v1beta2.SparkApplication, t attempt, ev diagnosis.Evidence) (*diagnosis.Diagnosis, time.Duration) {
	switch {
	case t.collection != nil:
		return r.judge(ctx, app, t)
	case t.collecting:
		return nil, 0
	}
	if !r.needsLog(ev) {
		if found := r.Engine.Diagnose(ev); !blamesExecutors(found) {
			return &found, 0
		}
	}
	return nil, r.collectApart(ctx, app, t.submissionID, ev)
}

func (r *Reconciler) needsLog(ev diagnosis.Evidence) bool {
	return evidence.HasLog(ev) && r.Engine.NeedsLog(ev)
}

// judge uses what was collected, or has it collected again where that is worth it.
func (r *Reconciler) judge(ctx context.Context, app *v1beta2.SparkApplication, t attempt) (*diagnosis.Diagnosis, time.Duration) {
	c := t.collection
	if c.err == nil {
		return &c.found, 0
	}
	if worthAnotherTry(c, t.tries+1) {
		r.memory.update(app, t.submissionID, func(t *attempt) { t.tries, t.collection = t.tries+1, nil })
		return nil, readRetryPause << t.tries
	}
	log.FromContext(ctx).Info("Cannot read all evidence, going on without it", "cause", c.err.Error())
	r.memory.update(app, t.submissionID, func(t *attempt) { t.collection = &collection{found: c.found} })
	return &c.found, 0
}

// worthAnotherTry is false where the log is gone or forbidden, since another try would get the same answer, and where it
// came too slowly.
func worthAnotherTry(c *collection, tries int) bool {
	switch {
	case c.usable, apierrors.IsNotFound(c.err), apierrors.IsForbidden(c.err), apierrors.IsBadRequest(c.err):
		return false
	case errors.Is(c.err, context.DeadlineExceeded):
		return tries < slowReadTries
	default:
		return tries < readTries
	}
}

// collectApart has the evidence read in the background, and returns when to come again where there is no place for it.
func (r *Reconciler) collectApart(ctx context.Context, app *v1beta2.SparkApplication, submissionID string, ev diagnosis.Evidence) time.Duration {
	share := r.places.join(app.Namespace)
	if share == nil {
		return placePause
	}
	r.memory.update(app, submissionID, func(t *attempt) { t.collecting = true })
	go func() { // ctx is the controller's: it ends with the process
		defer r.places.leave(app.Namespace)
		var c collection
		if err := r.places.with(ctx, share, func() { c = r.collect(ctx, app, submissionID, ev) }); err != nil {
			return
		}
		r.memory.update(app, submissionID, func(t *attempt) { t.collecting, t.collection = false, &c })
		select {
		case r.collected <- event.GenericEvent{Object: app}:
		case <-ctx.Done():
		}
	}()
	return 0
}

// collect reads the log where it is needed, and asks for the executors where they are to blame.
func (r *Reconciler) collect(ctx context.Context, app *v1beta2.SparkApplication, submissionID string, ev diagnosis.Evidence) collection {
	ctx, cancel := context.WithTimeout(ctx, r.Config.Log.Timeout.Duration+askingTime)
	defer cancel()
	var c collection
	if r.needsLog(ev) {
		if ev.Log, c.err = r.Gatherer.ReadLog(ctx, ev); c.err != nil {
			r.Metrics.logFailed(c.err)
			c.usable = len(ev.Log) > 0 && errors.Is(c.err, context.DeadlineExceeded)
		}
	}
	c.found = r.Engine.Diagnose(ev)
	if !blamesExecutors(c.found) {
		return c
	}
	executors, err := r.Gatherer.Executors(ctx, app, submissionID)
	if err != nil {
		c.err, c.usable = fmt.Errorf("looking for lost executors: %w", errors.Join(err, c.err)), false
		return c
	}
	ev.Executors = executors
	c.found = r.Engine.Diagnose(ev)
	return c
}

func blamesExecutors(d diagnosis.Diagnosis) bool {
	return d.Diagnostics.Reason == failure.ReasonExecutorOutOfMemory || d.Diagnostics.Reason == failure.ReasonExecutorLost
}

// Collected tells of applications about which something was read in the background: they are to be reconciled.
func (r *Reconciler) Collected() <-chan event.GenericEvent { return r.collected }

// isCollecting is true while evidence on the attempt that the status names is being read: its status is written once.
func (a *application) isCollecting(submissionID string) bool {
	return a.remembered(submissionID).collecting
}
