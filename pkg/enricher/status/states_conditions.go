package status

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// StateConditions returns the conditions that status should have: the five of StateTypes, then every other one that
// it has, untouched. A condition that says the same as before is kept as it is. Generation and created are the
// application's metadata.generation and creationTimestamp.
//
// The function is idempotent and takes no clock, so that the keep-status policy, which has none, gives the same
// result: a changed status dates from terminationTime where the run has ended, else from the last submission, else
// from the creation of the application.
func StateConditions(status *v1beta2.Status, generation int64, created metav1.Time) []metav1.Condition {
	row := rowOf(status.ApplicationState.State)
	changed := changeTime(status, row, created)
	conditions := make([]metav1.Condition, 0, len(status.Conditions)+len(StateTypes))
	for i, conditionType := range StateTypes {
		wanted := metav1.Condition{
			Type: conditionType, Status: row.Statuses[i], Reason: row.Reason, Message: row.Message,
			ObservedGeneration: generation, LastTransitionTime: changed,
		}
		if speaksOfSubmission(status) && slices.Contains(row.Diagnosed, conditionType) {
			wanted.Reason, wanted.Message = string(status.Diagnostics.Reason), status.Diagnostics.Message
		}
		conditions = append(conditions, keepOrReplace(status.Conditions, wanted))
	}
	for _, other := range status.Conditions {
		if !slices.Contains(StateTypes, other.Type) {
			conditions = append(conditions, other)
		}
	}
	return conditions
}

func keepOrReplace(old []metav1.Condition, wanted metav1.Condition) metav1.Condition {
	i := slices.IndexFunc(old, func(c metav1.Condition) bool { return c.Type == wanted.Type })
	if i < 0 || old[i].Status != wanted.Status {
		return wanted
	}
	if old[i].Reason == wanted.Reason && old[i].Message == wanted.Message {
		return old[i]
	}
	wanted.LastTransitionTime = old[i].LastTransitionTime
	return wanted
}

// speaksOfSubmission is true if the diagnosis names a failure of the attempt that the status is about.
func speaksOfSubmission(status *v1beta2.Status) bool {
	d := status.Diagnostics
	return d != nil && d.Reason != "" && d.SubmissionID == status.SubmissionID
}

func changeTime(status *v1beta2.Status, row StateRow, created metav1.Time) metav1.Time {
	switch {
	case row.Ended && !status.TerminationTime.IsZero():
		return status.TerminationTime.Rfc3339Copy()
	case !status.LastSubmissionAttemptTime.IsZero():
		return status.LastSubmissionAttemptTime.Rfc3339Copy()
	default:
		return created.Rfc3339Copy()
	}
}
