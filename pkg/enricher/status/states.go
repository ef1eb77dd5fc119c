package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

const (
	yes     = metav1.ConditionTrue
	no      = metav1.ConditionFalse
	unknown = metav1.ConditionUnknown
)

// StateTypes are the condition types that follow from the operator's state alone, in the order they are written.
var StateTypes = []string{
	v1beta2.ConditionReady, v1beta2.ConditionReconciling, v1beta2.ConditionStalled,
	v1beta2.ConditionComplete, v1beta2.ConditionFailed,
}

// StateRow says what one state of the operator means.
type StateRow struct {
	// State is the operator's word.
	State v1beta2.State
	// Statuses of the conditions, in the order of StateTypes.
	Statuses [5]metav1.ConditionStatus
	// Reason and Message of all five conditions. The reason names the state and no other.
	Reason, Message string
	// Diagnosed are the types that carry the diagnosis instead, once there is one of this submission.
	Diagnosed []string
	// Ended is true where a change of status happened at status.terminationTime.
	Ended bool
}

// States is the one table that the controller, the policy and the webhook share.
// The columns of statuses are Ready, Reconciling, Stalled, Complete, Failed.
var States = []StateRow{
	{State: v1beta2.StateNew, Statuses: statuses(unknown, no, no, no, no),
		Reason: "New", Message: "The operator has not submitted the application yet"},
	{State: v1beta2.StateSubmitted, Statuses: statuses(unknown, yes, no, no, no),
		Reason: "Submitted", Message: "The application is submitted and its driver does not run yet",
		Diagnosed: []string{v1beta2.ConditionReconciling}},
	{State: v1beta2.StateRunning, Statuses: statuses(yes, no, no, no, no),
		Reason: "Running", Message: "The driver runs"},
	{State: v1beta2.StateSucceeding, Statuses: statuses(yes, no, no, no, no),
		Reason: "Succeeding", Message: "The driver has succeeded"},
	{State: v1beta2.StateCompleted, Statuses: statuses(yes, no, no, yes, no),
		Reason: "Completed", Message: "The application has completed", Ended: true},
	{State: v1beta2.StateFailing, Statuses: statuses(unknown, yes, no, no, no),
		Reason: "Failing", Message: "The attempt has failed and the operator decides whether to retry",
		Diagnosed: []string{v1beta2.ConditionReady}},
	{State: v1beta2.StateFailed, Statuses: statuses(no, no, yes, no, yes),
		Reason: "Failed", Message: "The application has failed", Ended: true,
		Diagnosed: []string{v1beta2.ConditionReady, v1beta2.ConditionStalled, v1beta2.ConditionFailed}},
	{State: v1beta2.StateSubmissionFailed, Statuses: statuses(unknown, yes, no, no, no),
		Reason: "SubmissionFailed", Message: "The submission has failed and the operator decides whether to retry"},
	{State: v1beta2.StatePendingRerun, Statuses: statuses(unknown, yes, no, no, no),
		Reason: "PendingRerun", Message: "The application waits to be submitted again"},
	{State: v1beta2.StateInvalidating, Statuses: statuses(unknown, yes, no, no, no),
		Reason: "Invalidating", Message: "The specification has changed and the operator ends the current run"},
	{State: v1beta2.StateSuspending, Statuses: statuses(unknown, yes, no, no, no),
		Reason: "Suspending", Message: "The operator stops the current run"},
	{State: v1beta2.StateSuspended, Statuses: statuses(unknown, no, no, no, no),
		Reason: "Suspended", Message: "The application is suspended"},
	{State: v1beta2.StateResuming, Statuses: statuses(unknown, yes, no, no, no),
		Reason: "Resuming", Message: "The operator resumes the application"},
	{State: v1beta2.StateUnknown, Statuses: statuses(unknown, no, no, no, no),
		Reason: "Unknown", Message: "The operator does not know the state of the driver"},
}

// UnlistedState is the row of a state that the table does not have, as of a later operator.
var UnlistedState = States[len(States)-1]

func statuses(ready, reconciling, stalled, complete, failed metav1.ConditionStatus) [5]metav1.ConditionStatus {
	return [5]metav1.ConditionStatus{ready, reconciling, stalled, complete, failed}
}

func rowOf(state v1beta2.State) StateRow {
	for _, row := range States {
		if row.State == state {
			return row
		}
	}
	return UnlistedState
}
