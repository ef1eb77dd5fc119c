package status

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

var (
	createdAt   = metav1.NewTime(time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC))
	submittedAt = metav1.NewTime(time.Date(2026, 11, 30, 8, 0, 10, 999, time.UTC))
	endedAt     = metav1.NewTime(time.Date(2026, 11, 30, 8, 5, 0, 999, time.UTC))
)

func TestEveryStateHasItsOwnRow(t *testing.T) {
	reasons := map[string]bool{}
	var got []v1beta2.State
	for _, row := range States {
		got = append(got, row.State)
		if reasons[row.Reason] {
			t.Errorf("reason %s names two states", row.Reason)
		}
		reasons[row.Reason] = true
	}
	want := slices.Clone(v1beta2.States)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states of the table (-want +got):\n%s", diff)
	}
}

func TestStatusesOfEachState(t *testing.T) {
	cases := map[v1beta2.State]string{
		v1beta2.StateNew:              "Unknown False False False False",
		v1beta2.StateSubmitted:        "Unknown True False False False",
		v1beta2.StateRunning:          "True False False False False",
		v1beta2.StateSucceeding:       "True False False False False",
		v1beta2.StateCompleted:        "True False False True False",
		v1beta2.StateFailing:          "Unknown True False False False",
		v1beta2.StateFailed:           "False False True False True",
		v1beta2.StateSubmissionFailed: "Unknown True False False False",
		v1beta2.StatePendingRerun:     "Unknown True False False False",
		v1beta2.StateInvalidating:     "Unknown True False False False",
		v1beta2.StateSuspending:       "Unknown True False False False",
		v1beta2.StateSuspended:        "Unknown False False False False",
		v1beta2.StateResuming:         "Unknown True False False False",
		v1beta2.StateUnknown:          "Unknown False False False False",
		"A_LATER_STATE":               "Unknown False False False False",
	}
	for state, want := range cases {
		t.Run("state "+string(state), func(t *testing.T) {
			got := ""
			for i, c := range StateConditions(&v1beta2.Status{ApplicationState: v1beta2.ApplicationState{State: state}}, 1, createdAt) {
				if c.Type != StateTypes[i] {
					t.Errorf("condition %d is %s, want %s", i, c.Type, StateTypes[i])
				}
				got += string(c.Status) + " "
			}
			if got != want+" " {
				t.Errorf("statuses are %q, want %q", got, want)
			}
		})
	}
}

func TestChangesOfConditions(t *testing.T) {
	diagnosis := &failure.Diagnostics{SubmissionID: "s-1", Reason: "DriverOOMKilled", Message: "passed 1Gi"}
	cases := map[string]struct {
		status v1beta2.Status
		of     string
		want   metav1.Condition
	}{
		"a failure without a diagnosis carries the state and dates from the end": {
			status: statusIn(v1beta2.StateFailed, nil), of: v1beta2.ConditionFailed,
			want: condition(v1beta2.ConditionFailed, yes, "Failed", "The application has failed", endedAt),
		},
		"a failure with a diagnosis carries it": {
			status: statusIn(v1beta2.StateFailed, diagnosis), of: v1beta2.ConditionReady,
			want: condition(v1beta2.ConditionReady, no, "DriverOOMKilled", "passed 1Gi", endedAt),
		},
		"what is not about the failure keeps the state's reason": {
			status: statusIn(v1beta2.StateFailed, diagnosis), of: v1beta2.ConditionComplete,
			want: condition(v1beta2.ConditionComplete, no, "Failed", "The application has failed", endedAt),
		},
		"a diagnosis of another submission is not shown": {
			status: statusIn(v1beta2.StateFailed, &failure.Diagnostics{SubmissionID: "s-0", Reason: "UserExit"}),
			of:     v1beta2.ConditionStalled,
			want:   condition(v1beta2.ConditionStalled, yes, "Failed", "The application has failed", endedAt),
		},
		"a diagnosis that says the attempt is well is not shown": {
			status: statusIn(v1beta2.StateFailed, &failure.Diagnostics{SubmissionID: "s-1"}),
			of:     v1beta2.ConditionStalled,
			want:   condition(v1beta2.ConditionStalled, yes, "Failed", "The application has failed", endedAt),
		},
		"a driver that waits with a named cause explains why the operator still reconciles": {
			status: statusIn(v1beta2.StateSubmitted, diagnosis), of: v1beta2.ConditionReconciling,
			want: condition(v1beta2.ConditionReconciling, yes, "DriverOOMKilled", "passed 1Gi", submittedAt),
		},
		"a run that has not ended dates from its submission": {
			status: statusIn(v1beta2.StateRunning, nil), of: v1beta2.ConditionReady,
			want: condition(v1beta2.ConditionReady, yes, "Running", "The driver runs", submittedAt),
		},
		"without a submission everything dates from the creation": {
			status: v1beta2.Status{}, of: v1beta2.ConditionReady,
			want: condition(v1beta2.ConditionReady, unknown, "New", "The operator has not submitted the application yet", createdAt),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := conditionOf(StateConditions(&tc.status, 3, createdAt), tc.of)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.of, diff)
			}
		})
	}
}

func TestTimesOfConditionsFollowTheStatus(t *testing.T) {
	status := statusIn(v1beta2.StateSubmitted, nil)
	status.Conditions = StateConditions(&status, 3, createdAt)
	earlier := metav1.NewTime(createdAt.Add(time.Second))
	for i := range status.Conditions {
		status.Conditions[i].LastTransitionTime = earlier
	}
	status.ApplicationState.State = v1beta2.StateFailed
	got := StateConditions(&status, 4, createdAt)
	want := []metav1.Time{endedAt, endedAt, endedAt, earlier, endedAt}
	for i, c := range got {
		if !c.LastTransitionTime.Equal(ptrTo(want[i].Rfc3339Copy())) {
			t.Errorf("%s changed at %s, want %s", c.Type, c.LastTransitionTime, want[i])
		}
		if c.ObservedGeneration != 4 {
			t.Errorf("%s observed generation %d, want 4", c.Type, c.ObservedGeneration)
		}
	}
}

func TestAnEqualConditionAndForeignOnesAreKeptVerbatim(t *testing.T) {
	status := statusIn(v1beta2.StateFailed, nil)
	foreign := condition("ExitExceptionAnnotated", yes, "WrittenByDriver", "", endedAt)
	status.Conditions = append([]metav1.Condition{foreign}, StateConditions(&status, 3, createdAt)...)
	want := append(slices.Clone(status.Conditions[1:]), foreign)
	got := StateConditions(&status, 9, createdAt)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	status.Conditions = got
	if diff := cmp.Diff(got, StateConditions(&status, 10, createdAt)); diff != "" {
		t.Errorf("a second time (-want +got):\n%s", diff)
	}
}

func statusIn(state v1beta2.State, diagnosis *failure.Diagnostics) v1beta2.Status {
	return v1beta2.Status{
		SubmissionID: "s-1", ApplicationState: v1beta2.ApplicationState{State: state}, Diagnostics: diagnosis,
		LastSubmissionAttemptTime: &submittedAt, TerminationTime: &endedAt,
	}
}

func condition(conditionType string, status metav1.ConditionStatus, reason, message string, at metav1.Time) metav1.Condition {
	return metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: message,
		ObservedGeneration: 3, LastTransitionTime: at.Rfc3339Copy(),
	}
}

func conditionOf(conditions []metav1.Condition, conditionType string) metav1.Condition {
	i := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == conditionType })
	return conditions[i]
}

func ptrTo[T any](v T) *T { return &v }
