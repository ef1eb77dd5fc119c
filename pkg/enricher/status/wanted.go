package status

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// Separator stands between the operator's own error message and the diagnosis appended to it. What follows it belongs
// to the enricher.
const Separator = " | diagnosis: "

// Options of what a status should say.
type Options struct {
	// ErrorMessage appends the diagnosis to applicationState.errorMessage of failed applications.
	ErrorMessage bool
	// FactsOnly leaves message text out of the error message: only the reason is appended.
	FactsOnly bool
	// SummaryOnly wants nothing but the error message: for objects whose status fields do not survive.
	SummaryOnly bool
}

// Wanted returns what the status of app should be. It equals app.Status in all fields that are not the enricher's.
func Wanted(app *v1beta2.SparkApplication, records []Record, opts Options) *v1beta2.Status {
	wanted := app.Status.DeepCopy()
	diagnostics := Diagnostics(&app.Status, records)
	if !opts.SummaryOnly {
		wanted.Diagnostics = diagnostics
		wanted.Conditions = conditions(app, wanted, records)
	}
	if opts.ErrorMessage {
		wanted.ApplicationState.ErrorMessage = ErrorMessage(&app.Status, diagnostics, opts.FactsOnly)
	}
	return wanted
}

// conditions leaves an application alone that never had anything wrong: its conditions are the policy's business.
func conditions(app *v1beta2.SparkApplication, wanted *v1beta2.Status, records []Record) []metav1.Condition {
	if wanted.Diagnostics == nil {
		return wanted.Conditions
	}
	withState := StateConditions(wanted, app.Generation, app.CreationTimestamp)
	if annotated := annotatedCondition(wanted, records); annotated.Type != "" {
		annotated.ObservedGeneration = app.Generation
		return setCondition(withState, annotated)
	}
	return withState
}

// annotatedCondition speaks of the driver pod of the current attempt where that has failed or succeeded, and is
// Unknown, if it was there before, while a later attempt has neither.
func annotatedCondition(wanted *v1beta2.Status, records []Record) metav1.Condition {
	for _, r := range records {
		if r.SubmissionID == wanted.SubmissionID && r.Failed {
			return r.Annotated
		}
	}
	waits := slices.ContainsFunc(records, func(r Record) bool { return r.SubmissionID == wanted.SubmissionID })
	c := metav1.Condition{Type: v1beta2.ConditionExitExceptionAnnotated, LastTransitionTime: lastChange(wanted)}
	switch state := wanted.ApplicationState.State; {
	case state == v1beta2.StateCompleted || state == v1beta2.StateSucceeding:
		c.Status, c.Reason = metav1.ConditionFalse, v1beta2.NotAnnotatedDriverSucceeded
		c.Message = "The driver succeeded, there is no exception"
		return c
	case (wanted.Diagnostics.Reason == "" || waits) && hasCondition(wanted.Conditions, c.Type):
		c.Status, c.Reason = metav1.ConditionUnknown, "AttemptNotEnded"
		c.Message = "The current attempt has not ended"
		return c
	default:
		return metav1.Condition{}
	}
}

// AnnotationDecided is true if the status tells whether the current attempt's driver pod carries the annotation: its end
// was looked at. A driver that merely waits leaves that unknown.
func AnnotationDecided(s *v1beta2.Status) bool {
	c := meta.FindStatusCondition(s.Conditions, v1beta2.ConditionExitExceptionAnnotated)
	return c != nil && c.Status != metav1.ConditionUnknown && speaksOfSubmission(s)
}

func lastChange(s *v1beta2.Status) metav1.Time {
	if !s.TerminationTime.IsZero() {
		return s.TerminationTime.Rfc3339Copy()
	}
	if s.LastSubmissionAttemptTime != nil {
		return s.LastSubmissionAttemptTime.Rfc3339Copy()
	}
	return metav1.Time{}
}

func hasCondition(conditions []metav1.Condition, conditionType string) bool {
	return slices.ContainsFunc(conditions, func(c metav1.Condition) bool { return c.Type == conditionType })
}

// setCondition replaces the condition of the same type, or appends it. The transition time stays where the status did.
func setCondition(conditions []metav1.Condition, wanted metav1.Condition) []metav1.Condition {
	i := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == wanted.Type })
	if i < 0 {
		return append(conditions, wanted)
	}
	old := conditions[i]
	if old.Status == wanted.Status {
		wanted.LastTransitionTime = old.LastTransitionTime
	}
	if old.Status == wanted.Status && old.Reason == wanted.Reason && old.Message == wanted.Message {
		wanted.ObservedGeneration = old.ObservedGeneration
	}
	conditions[i] = wanted
	return conditions
}

// ErrorMessage returns applicationState.errorMessage with the diagnosis of this submission appended to the operator's
// own text. It is only changed in FAILED, and not where the diagnosis was made from that very text.
func ErrorMessage(s *v1beta2.Status, d *failure.Diagnostics, factsOnly bool) string {
	text := s.ApplicationState.ErrorMessage
	if s.ApplicationState.State != v1beta2.StateFailed || d == nil || d.Reason == "" ||
		d.SubmissionID != s.SubmissionID || d.Source == failure.SourceSubmissionError {
		return text
	}
	if i := strings.Index(text, Separator); i >= 0 {
		text = text[:i]
	}
	if factsOnly || d.Message == "" {
		return text + Separator + string(d.Reason)
	}
	return text + Separator + string(d.Reason) + ": " + d.Message
}

// Differ reports whether a write is needed to get from one status to the other.
func Differ(is, wanted *v1beta2.Status) bool {
	return !equality.Semantic.DeepEqual(is.Diagnostics, wanted.Diagnostics) ||
		!equality.Semantic.DeepEqual(is.Conditions, wanted.Conditions) ||
		is.ApplicationState.ErrorMessage != wanted.ApplicationState.ErrorMessage
}
