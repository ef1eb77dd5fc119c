package enricher

import (
	"time"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

const (
	// quietAfterSpecChange is how long an application is left alone after its specification changed: the operator
	// writes INVALIDATING straight from the watch event, and gives up on a conflict.
	quietAfterSpecChange = 10 * time.Second
	// retryMargin is how far away the operator's next submission must be for a write in FAILING: a write while it
	// runs spark-submit makes it lose the submission ID.
	retryMargin = 2 * time.Second
	// restTime is how long an application is left alone after its end was seen: the operator writes that end a second
	// time, from what it has read before, and reports an error if somebody wrote in between.
	restTime = 2 * time.Second
	// verdictWait is how long after the driver's end a final diagnosis waits for the operator to call the application
	// failed: what its message and the conditions gain by that would else take a second write.
	verdictWait = 3 * time.Second
	// wellWait is how long after its submission an attempt must have been well for that alone to be worth a write.
	wellWait = 10 * time.Second
)

// moment says whether an application may be written now. If not, after says when to ask again; 0 means after the next
// event, since only the operator can change that.
type moment struct {
	now   bool
	after time.Duration
}

// momentFor is the one place that knows when a write cannot hurt. In NEW, PENDING_RERUN, SUBMISSION_FAILED and RESUMING
// the operator may be between its read and its write, with spark-submit running; in the other states left out it
// moves on at once. Since is when the state was seen first. Held is true while a finalizer of ours holds the old driver
// pod: then the operator cannot submit.
func momentFor(app *v1beta2.SparkApplication, quietUntil, since, now time.Time, held bool) moment {
	if !app.DeletionTimestamp.IsZero() {
		return moment{}
	}
	if wait := quietUntil.Sub(now); wait > 0 {
		return moment{after: wait}
	}
	switch app.Status.ApplicationState.State {
	case v1beta2.StateSubmitted, v1beta2.StateRunning, v1beta2.StateSuspended:
		return moment{now: true}
	case v1beta2.StateFailed, v1beta2.StateCompleted:
		return atRest(since, now)
	case v1beta2.StateFailing:
		due, retries := nextRetry(app)
		return moment{now: retries && due.Sub(now) > retryMargin}
	case v1beta2.StatePendingRerun:
		return moment{now: held}
	default:
		return moment{}
	}
}

// atRest is the moment in which an application that has ended may be written.
func atRest(since, now time.Time) moment {
	if wait := since.Add(restTime).Sub(now); wait > 0 {
		return moment{after: wait}
	}
	return moment{now: true}
}

// untilVerdict is how long the diagnosis of an attempt that ends the application still waits for the operator's verdict.
func untilVerdict(app *v1beta2.SparkApplication, records []status.Record, now time.Time) time.Duration {
	state := app.Status.ApplicationState.State
	if _, retries := nextRetry(app); retries || state != v1beta2.StateRunning && state != v1beta2.StateSubmitted {
		return 0
	}
	for _, r := range records {
		if r.SubmissionID == app.Status.SubmissionID && r.Failed && r.Diagnostics.Driver != nil && !r.Diagnostics.Driver.FinishedAt.IsZero() {
			return max(0, r.Diagnostics.Driver.FinishedAt.Add(verdictWait).Sub(now))
		}
	}
	return 0
}

// untilWell is how long the news still waits that a new attempt is well so far, where all failures before it are written
// already, or were before the operator named the new one: an application that fails time after time is thus written once
// an attempt. After an outage it waits until the operator has caught up, whose next write would meet it.
func untilWell(app *v1beta2.SparkApplication, wanted *v1beta2.Status, outage, now time.Time) time.Duration {
	state, d := app.Status.ApplicationState.State, wanted.Diagnostics
	if state != v1beta2.StateSubmitted && state != v1beta2.StateRunning ||
		d == nil || d.Reason != "" || app.Status.LastSubmissionAttemptTime == nil {
		return 0
	}
	for _, a := range d.Attempts {
		if !inStatus(app, a.SubmissionID) {
			return 0
		}
	}
	return max(0, app.Status.LastSubmissionAttemptTime.Add(wellWait).Sub(now), outage.Add(catchUpTime).Sub(now))
}

// isShortLived is true of a status that tells of earlier attempts only, where the operator is about to name the next one
// and so to erase it.
func isShortLived(app *v1beta2.SparkApplication, wanted *v1beta2.Status) bool {
	return app.Status.ApplicationState.State == v1beta2.StatePendingRerun &&
		(wanted.Diagnostics == nil || wanted.Diagnostics.Reason == "")
}

// nextRetry returns when the operator submits a failing application again, by its own rule: attempts x interval after
// the last submission.
func nextRetry(app *v1beta2.SparkApplication) (time.Time, bool) {
	policy, is := app.Spec.RestartPolicy, app.Status
	switch policy.Type {
	case "Always":
	case "OnFailure":
		if policy.OnFailureRetries == nil || is.ExecutionAttempts > *policy.OnFailureRetries {
			return time.Time{}, false
		}
	default:
		return time.Time{}, false
	}
	if policy.OnFailureRetryInterval == nil || is.LastSubmissionAttemptTime == nil {
		return time.Time{}, true
	}
	interval := time.Duration(*policy.OnFailureRetryInterval) * time.Second * time.Duration(is.SubmissionAttempts)
	return is.LastSubmissionAttemptTime.Add(interval), true
}
