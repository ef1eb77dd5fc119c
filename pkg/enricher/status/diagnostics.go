// Package status turns an application and the records of its attempts into what its status should say, and holds the
// one write of it. All but the write is pure.
package status

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// Record is what is known of one failed or stuck attempt.
type Record struct {
	SubmissionID string
	// Attempt is status.executionAttempts of that time.
	Attempt int32
	// Failed is false for an attempt whose driver merely does not start: it leaves no trace once it does.
	Failed bool
	// Diagnostics without submissionID, attempt and attempts, as far as the application's conf lets them be shown.
	Diagnostics failure.Diagnostics
	// Annotated is the condition ExitExceptionAnnotated of the attempt; its type may be empty while it is not known.
	Annotated metav1.Condition
}

// Diagnostics returns what status.diagnostics should be, given what it is and the records, in the order in which their
// attempts were made. It is nil while there is nothing to say.
func Diagnostics(status *v1beta2.Status, records []Record) *failure.Diagnostics {
	wanted := current(status, records)
	wanted.SubmissionID = status.SubmissionID
	if wanted.Attempt == 0 {
		wanted.Attempt = status.ExecutionAttempts
	}
	wanted.Attempts = history(status, records)
	if status.Diagnostics == nil && wanted.Reason == "" && len(wanted.Attempts) == 0 {
		return nil
	}
	return &wanted
}

// current returns the diagnosis of the attempt that the status is about, empty while it is well.
func current(status *v1beta2.Status, records []Record) failure.Diagnostics {
	old := status.Diagnostics
	ofThis := old != nil && old.SubmissionID == status.SubmissionID
	i := slices.IndexFunc(records, func(r Record) bool { return r.SubmissionID == status.SubmissionID })
	switch {
	case i >= 0 && ofThis && sameWait(old, records[i]):
		return *old.DeepCopy()
	case i >= 0:
		wanted := *records[i].Diagnostics.DeepCopy()
		wanted.Attempt = records[i].Attempt
		return wanted
	case ofThis && !isWell(status, old):
		return *old.DeepCopy()
	default:
		return failure.Diagnostics{}
	}
}

// sameWait is true for a driver that still waits for the same cause: the kubelet words it differently in turns
// (ErrImagePull, ImagePullBackOff), which is not worth a write each.
func sameWait(old *failure.Diagnostics, r Record) bool {
	return !r.Failed && old.Reason == r.Diagnostics.Reason
}

// isWell is true if the state shows that whatever kept the driver from starting is over. A diagnosis of an end is a
// failure, which the operator may not have noticed yet.
func isWell(status *v1beta2.Status, old *failure.Diagnostics) bool {
	switch status.ApplicationState.State {
	case v1beta2.StateCompleted, v1beta2.StateSucceeding:
		return true
	case v1beta2.StateRunning:
		return old.ExitCode == nil && !AnnotationDecided(status)
	default:
		return false
	}
}

// history returns the earlier failed attempts, newest first.
func history(status *v1beta2.Status, records []Record) []failure.Attempt {
	var attempts []failure.Attempt
	add := func(a failure.Attempt) {
		known := slices.ContainsFunc(attempts, func(b failure.Attempt) bool { return b.SubmissionID == a.SubmissionID })
		if !known && a.SubmissionID != status.SubmissionID && len(attempts) < failure.MaxAttempts {
			attempts = append(attempts, a)
		}
	}
	for _, r := range slices.Backward(records) {
		if r.Failed {
			add(r.Summary())
		}
	}
	if old := status.Diagnostics; old != nil {
		if old.Reason != "" {
			add(summary(old.SubmissionID, old.Attempt, old))
		}
		for _, a := range old.Attempts {
			add(a)
		}
	}
	return attempts
}

// Summary returns the short record of the attempt.
func (r *Record) Summary() failure.Attempt { return summary(r.SubmissionID, r.Attempt, &r.Diagnostics) }

func summary(submissionID string, attempt int32, d *failure.Diagnostics) failure.Attempt {
	a := failure.Attempt{
		SubmissionID: submissionID, Attempt: attempt,
		Reason: d.Reason, Category: d.Category, Message: d.Message, Source: d.Source, ExitCode: d.ExitCode,
	}
	if d.Driver != nil {
		a.PodUID, a.FinishedAt = d.Driver.PodUID, d.Driver.FinishedAt
	}
	return a
}
