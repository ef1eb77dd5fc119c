package enricher

import (
	"testing"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func TestApplicationOf(t *testing.T) {
	const id = "s-1"
	failing := in(v1beta2.StateFailing)
	cases := map[string]struct {
		state   v1beta2.State
		attempt attempt
		want    v1beta2.State
	}{
		"it has failed for good":             {state: v1beta2.StateFailed, attempt: attempt{submissionID: id, failed: true, app: failing}, want: v1beta2.StateFailed},
		"it runs, its driver has ended":      {state: v1beta2.StateRunning, attempt: attempt{submissionID: id}, want: v1beta2.StateRunning},
		"it is being retried":                {state: v1beta2.StatePendingRerun, attempt: attempt{submissionID: id, failed: true, app: failing}, want: v1beta2.StateFailing},
		"it failed, and was changed then":    {state: v1beta2.StatePendingRerun, attempt: attempt{submissionID: id, failed: true}, want: v1beta2.StateFailing},
		"the next attempt runs":              {state: v1beta2.StateRunning, attempt: attempt{submissionID: "s-0", ended: true}, want: v1beta2.StateFailing},
		"its submission is about to be made": {state: v1beta2.StatePendingRerun, attempt: attempt{submissionID: id}, want: v1beta2.StatePendingRerun},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := applicationOf(in(tc.state), tc.attempt)
			if got.Status.ApplicationState.State != tc.want || got.Status.SubmissionID != tc.attempt.submissionID {
				t.Errorf("%s of %s, want %s of %s", got.Status.ApplicationState.State, got.Status.SubmissionID, tc.want, tc.attempt.submissionID)
			}
		})
	}
}
