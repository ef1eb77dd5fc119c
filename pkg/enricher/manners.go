package enricher

import (
	"time"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

const (
	// quietAfterSpecChange is how long an application is left alone after its specification changed: the operator
	// writes INVALIDATING straight from the watch event, and gives up on a conflict.
	quietAfterSpecChange = 10 * time.Second
	// retryMargin is how far away the operator's next submission must be for a write in FAILING: a write while it
	// runs spark-submit makes it lose the submission ID.
	retryMargin = 2 * time.Second
)

// moment says whether an application may be written now. If not, after says when to ask again; 0 means after the next
// event, since only the operator can change that.
type moment struct {
	now   bool
	after time.Duration
}

// momentFor is the one place that knows when a write cannot hurt. In NEW, PENDING_RERUN, SUBMISSION_FAILED and RESUMING
// the operator may be between its read and its write, with spark-submit running; in the other states left out it
// moves on at once. Held is true while a finalizer of ours holds the old driver pod: then the operator cannot submit.
func momentFor(app *v1beta2.SparkApplication, quietUntil, now time.Time, held bool) moment {
	if !app.DeletionTimestamp.IsZero() {
		return moment{}
	}
	if wait := quietUntil.Sub(now); wait > 0 {
		return moment{after: wait}
	}
	switch app.Status.ApplicationState.State {
	case v1beta2.StateSubmitted, v1beta2.StateRunning, v1beta2.StateFailed, v1beta2.StateCompleted, v1beta2.StateSuspended:
		return moment{now: true}
	case v1beta2.StateFailing:
		due, retries := nextRetry(app)
		return moment{now: retries && due.Sub(now) > retryMargin}
	case v1beta2.StatePendingRerun:
		return moment{now: held}
	default:
		return moment{}
	}
}

// nextRetry returns when the operator submits a failing application again, by its own rule: attempts x interval after
// the last submission.
func nextRetry(app *v1beta2.SparkApplication) (time.Time, bool) {
	policy, status := app.Spec.RestartPolicy, app.Status
	switch policy.Type {
	case "Always":
	case "OnFailure":
		if policy.OnFailureRetries == nil || status.ExecutionAttempts > *policy.OnFailureRetries {
			return time.Time{}, false
		}
	default:
		return time.Time{}, false
	}
	if policy.OnFailureRetryInterval == nil || status.LastSubmissionAttemptTime == nil {
		return time.Time{}, true
	}
	interval := time.Duration(*policy.OnFailureRetryInterval) * time.Second * time.Duration(status.SubmissionAttempts)
	return status.LastSubmissionAttemptTime.Add(interval), true
}
