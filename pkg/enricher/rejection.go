package enricher

import (
	"context"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/patch"
)

const (
	// rejectionPause is when a status that the API server would not store is tried again, twice as long after each
	// further time, up to rejectionPause << maxRejectionShift: somebody has to mend the CRD or the object first.
	rejectionPause    = time.Minute
	maxRejectionShift = 4
)

// rejection holds back the writes of one attempt's status after the API server would not store it.
type rejection struct {
	submissionID string
	times        int
	until        time.Time
	reported     bool
}

// wait is how long the status of an attempt is still held back.
func (r *rejection) wait(submissionID string, now time.Time) time.Duration {
	if r.submissionID != submissionID {
		return 0
	}
	return max(0, r.until.Sub(now))
}

// note counts a rejection; a new attempt, whose status is another one, starts afresh.
func (r *rejection) note(submissionID string, now time.Time) {
	if r.submissionID != submissionID {
		r.submissionID, r.times = submissionID, 0
	}
	r.until = now.Add(rejectionPause << min(r.times, maxRejectionShift))
	r.times++
}

// holdBack notes that the API server would not store the status, reports it once an application, and returns when to
// try again.
func (r *Reconciler) holdBack(ctx context.Context, app *v1beta2.SparkApplication, cause error) (time.Duration, error) {
	id, now := app.Status.SubmissionID, r.Clock.Now()
	r.memory.change(app, func(a *application) { a.rejection.note(id, now) })
	known := r.memory.snapshot(app)
	if known.rejection.reported {
		return known.rejection.wait(id, now), nil
	}
	fields := strings.Join(patch.Fields(cause), ", ")
	log.FromContext(ctx).Info("The API server refuses to store the status. Run 'enricher install' to bring the CRD up to date; "+
		"if the fields are not the enricher's, mend the application", "fields", fields)
	if err := r.emit(ctx, rejectedEvent(app, fields, metav1.NewMicroTime(now))); err != nil {
		return known.rejection.wait(id, now), err
	}
	r.memory.change(app, func(a *application) { a.rejection.reported = true })
	return known.rejection.wait(id, now), nil
}
