package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
)

// captureManager is the field manager of the finalizer's release.
const captureManager = "spark-status-enricher-capture"

// figures are what a run is judged by. Writes are those that tell of an attempt: annotation, status and event; the
// releases of the finalizer are counted apart.
type figures struct {
	attempts, diagnosed, lost, wrong     int
	duplicateEvents                      int
	writes, releases                     int
	stuckFinalizers, stuckApps           int
	lostSpecUpdates                      int
	operatorErrors, baseline             int
	lostEntries, wrongEntries, deadLocks []string
	// hung are applications that the operator itself lost sight of, without anybody's write in between.
	hung []string
	// crashes are lines in which an enricher tells of a panic or a data race.
	crashes []string
}

// figures counts.
func (o *outcome) figures() figures {
	f := figures{attempts: len(o.known)}
	for _, w := range o.writes {
		if w.Manager == captureManager {
			f.releases++
		} else {
			f.writes++
		}
	}
	for _, e := range o.known {
		got, ok := diagnosisOf(o.statuses[e.app], e.submissionID)
		switch {
		case !ok:
			f.lost++
			f.lostEntries = append(f.lostEntries, o.lostLine(e))
		case !right(e, got):
			f.wrong++
			f.wrongEntries = append(f.wrongEntries, wrongLine(e, got))
		default:
			f.diagnosed++
		}
	}
	for _, e := range o.well {
		if got, ok := diagnosisOf(o.statuses[e.app], e.submissionID); ok {
			f.wrong++
			f.wrongEntries = append(f.wrongEntries, wrongLine(e, got))
		}
	}
	f.crashes = o.crashes
	f.duplicateEvents = duplicates(o)
	f.hung = o.hung()
	f.deadLocks = slices.DeleteFunc(o.stuckApps(), func(stuck string) bool {
		return slices.ContainsFunc(f.hung, func(app string) bool { return strings.HasPrefix(stuck, app+":") })
	})
	f.stuckFinalizers, f.stuckApps = o.stuckFinalizers(), len(f.deadLocks)
	for _, app := range o.apps {
		// An application that hangs in the submission after the change has not lost the change.
		if app.respecified && o.rounds[app.key()] < len(app.attempts) && !slices.Contains(f.hung, app.key()) {
			f.lostSpecUpdates++
		}
	}
	for _, times := range o.operatorErrors {
		f.operatorErrors += times
	}
	return f
}

// duplicates counts the events beyond the first about one driver pod of one application.
func duplicates(o *outcome) int {
	seen := map[string]int{}
	for _, event := range o.events {
		if event.Related != nil {
			seen[string(event.Regarding.UID)+"/"+string(event.Related.UID)]++
		}
	}
	extra := 0
	for _, times := range seen {
		extra += times - 1
	}
	return extra
}

// stuckFinalizers counts drivers that have ended and still carry the finalizer.
func (o *outcome) stuckFinalizers() int {
	return len(slices.DeleteFunc(slices.Clone(o.pods), func(pod corev1.Pod) bool {
		over := pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
		return !over || !slices.Contains(pod.Finalizers, v1beta2.FinalizerCapture)
	}))
}

// stuckApps lists applications that have not come to an end, and those with a live driver that their status does not
// know.
func (o *outcome) stuckApps() []string {
	var stuck []string
	for _, p := range o.apps {
		app := o.statuses[p.key()]
		if app == nil {
			stuck = append(stuck, p.key()+": not there")
			continue
		}
		switch state := app.Status.ApplicationState.State; state {
		case v1beta2.StateFailed, v1beta2.StateCompleted:
		default:
			stuck = append(stuck, fmt.Sprintf("%s: %s", p.key(), state))
		}
	}
	for _, pod := range o.pods {
		app := o.statuses[applicationOf(pod)]
		live := pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodPending
		if live && app != nil && pod.Labels[labelSubmissionID] != app.Status.SubmissionID {
			stuck = append(stuck, applicationOf(pod)+": a live driver that the status does not know")
		}
	}
	return stuck
}

// hungAfter is how long a submission may be on its way to the status.
const hungAfter = time.Minute

// hung lists applications whose driver the operator made and never learned of, because the API server was away when it
// wrote the status: it waits for that pod to go for ever, with or without an enricher. A conflict of that write with
// another one, which may have been the enricher's, is no such excuse, nor is a refusal by an API server whose policies
// were not ready.
func (o *outcome) hung() []string {
	var hung []string
	for _, pod := range o.pods {
		app := o.statuses[applicationOf(pod)]
		if app == nil || app.Status.ApplicationState.State != v1beta2.StatePendingRerun ||
			pod.Labels[labelSubmissionID] == app.Status.SubmissionID || pod.DeletionTimestamp != nil ||
			o.at.Sub(pod.CreationTimestamp.Time) < hungAfter {
			continue
		}
		if !o.unready[applicationOf(pod)] && !o.conflicted(app, o.made(pod)) {
			hung = append(hung, applicationOf(pod))
		}
	}
	return hung
}

// conflicted is true if the operator's first write after it had made a driver met another write.
func (o *outcome) conflicted(app *v1beta2.SparkApplication, made time.Time) bool {
	notes := o.notes.Where(audit.In(app.Namespace), func(r audit.Request) bool {
		return r.Name == app.Name && !r.At.Before(made) && r.At.Before(made.Add(hungAfter))
	})
	return len(notes) > 0 && notes[0].Code == http.StatusConflict
}

// made is when a pod was made: to the second by its own word, and exactly by the audit log.
func (o *outcome) made(pod corev1.Pod) time.Time {
	second := pod.CreationTimestamp.Time
	for _, r := range o.submissions.Where(audit.In(pod.Namespace)) {
		if r.Name == pod.Name && !r.At.Before(second) {
			return r.At
		}
	}
	return second
}

// applicationOf is the application that a driver pod claims.
func applicationOf(pod corev1.Pod) string {
	return pod.Namespace + "/" + pod.Labels[v1beta2.LabelAppName]
}

// String is the one line.
func (f figures) String() string {
	perAttempt := 0.0
	if f.attempts > 0 {
		perAttempt = float64(f.writes) / float64(f.attempts)
	}
	return fmt.Sprintf("attempts %d diagnosed %d lost %d wrong %d duplicate_events %d writes_per_attempt %.2f "+
		"stuck_finalizers %d stuck_apps %d lost_spec_updates %d operator_errors %d baseline %d",
		f.attempts, f.diagnosed, f.lost, f.wrong, f.duplicateEvents, perAttempt, f.stuckFinalizers, f.stuckApps,
		f.lostSpecUpdates, f.operatorErrors, f.baseline)
}

// Limits that the run with the finalizer keeps.
const (
	maxWrites     = 3.0
	maxErrorRatio = 1.1
)

// broken names the promises that the run with the finalizer did not keep.
func (f figures) broken() []string {
	var broken []string
	check := func(kept bool, what string) {
		if !kept {
			broken = append(broken, what)
		}
	}
	check(f.attempts > 0, "no attempt was made")
	check(f.diagnosed == f.attempts, "not every attempt is diagnosed right")
	check(f.wrong == 0, "a diagnosis is wrong")
	check(len(f.crashes) == 0, "an enricher crashed")
	check(f.duplicateEvents == 0, "an event was sent twice")
	check(float64(f.writes) <= maxWrites*float64(f.attempts), "too many writes")
	check(f.stuckFinalizers == 0, "a finalizer is stuck")
	check(f.stuckApps == 0, "an application is stuck")
	check(f.lostSpecUpdates == 0, "a change of a specification was lost")
	check(float64(f.operatorErrors) <= maxErrorRatio*float64(f.baseline), "the operator had more errors than without the enricher")
	return broken
}
