package enricher

import (
	"time"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

const (
	// erasureRounds is how often one application's status is written again after somebody erased it.
	erasureRounds = 3
	// erasurePause is when it is tried once more, in case protection was installed meanwhile.
	erasurePause = 10 * time.Minute
	// erasureSurvival is how long a stored status must have lasted to show that it was protected: rounds from before
	// count no more.
	erasureSurvival = 10 * time.Minute
)

// erasure guards one application against writing and erasing for ever, where neither policy nor webhook keeps the
// status.
type erasure struct {
	rounds int
	last   string // the resource version in which the status was last found erased
	until  time.Time
	told   bool
}

// erased is true if the diagnosis that was stored for this attempt is gone. A new specification erases it rightly.
func (a *application) erased(app *v1beta2.SparkApplication) bool {
	d := app.Status.Diagnostics
	return a.storedID != "" && a.storedID == app.Status.SubmissionID && a.storedGeneration == app.Generation && !a.stale(app) &&
		(d == nil || d.SubmissionID != a.storedID)
}

// outlasted is true if what was stored last, and was not found erased before now, had lasted.
func (a *application) outlasted(now time.Time) bool {
	return !a.storedAt.IsZero() && now.Sub(a.storedAt) >= erasureSurvival
}

// note counts a round, once per version of the object, and starts a pause after the last.
func (e *erasure) note(resourceVersion string, now time.Time) {
	if e.last == resourceVersion {
		return
	}
	e.last = resourceVersion
	e.rounds++
	if e.rounds >= erasureRounds {
		e.until = now.Add(erasurePause)
	}
}

// pausing is true while only the summary in errorMessage is kept.
func (e *erasure) pausing(now time.Time) bool { return e.until.After(now) }
