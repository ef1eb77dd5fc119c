package policy

import (
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

// repeated is false of the writes that the operator never makes again if they are refused: the one that names a new
// submission, without which the application hangs beside an unknown driver, the one that notes that such a driver was in
// the way of a submission, and the one that notes a changed specification. For some seconds after its start an API
// server refuses every write to a CRD's objects that a mutating policy matches, whatever its failurePolicy, since it does
// not know their schema yet. What these writes erase comes back: conditions with the operator's next write, diagnostics
// from the enricher.
const repeated = `!(
  object.status.?submissionID.orValue("") != oldObject.?status.?submissionID.orValue("") && (
    object.status.?applicationState.?state.orValue("") == %q ||
    object.status.?applicationState.?state.orValue("") == %q &&
    object.status.?applicationState.?errorMessage.orValue("").contains(%q)
  ) ||
  object.status.?applicationState.?state.orValue("") == %q &&
  oldObject.?status.?applicationState.?state.orValue("") != %[4]q
)`

// keepDiagnostics puts the diagnostics back where the write has none.
const keepDiagnostics = `has(object.status.diagnostics) || !has(variables.old.diagnostics) ? [] : [
  JSONPatch{op: "add", path: "/status/diagnostics", value: variables.old.diagnostics}
]`

// makeConditions leaves conditions alone that come along with an unchanged state: whoever wrote them knew it. A write
// that says nothing new gets none where there were none: if the CRD lacks the field, each such write would be stored as
// a new version, and the operator would write for ever.
const makeConditions = `variables.nothingNew && !has(variables.old.conditions) ||
variables.sameAttempt && variables.types.all(t, object.status.?conditions.orValue([]).exists(c, c.type == t)) ? [] : [
  JSONPatch{op: "add", path: "/status/conditions", value: variables.conditions}
]`

// keepOwnership makes a write that says nothing new change nothing at all. Without it the first write of the operator
// after one of the enricher's would take the enricher's entry out of managedFields, and the new resourceVersion would
// make the operator lose a change of the specification that it is about to carry out.
const keepOwnership = `!variables.nothingNew || !has(oldObject.metadata.managedFields) ||
object.metadata.?managedFields.orValue([]) == oldObject.metadata.managedFields ? [] : [
  JSONPatch{op: "add", path: "/metadata/managedFields", value: oldObject.metadata.managedFields}
]`

// nothingNew is true of a write that brings the old status, with or without the enricher's part of it.
const nothingNew = `has(oldObject.status) &&
variables.old.all(k, k in object.status ? object.status[k] == variables.old[k] : k in ["diagnostics", "conditions"]) &&
object.status.all(k, k in variables.old)`

// conditions keeps the old list verbatim where the state did not change; else it keeps every condition that says
// the same, and the time of one whose status is the same. It is status.StateConditions in CEL.
const conditions = `variables.sameAttempt && !has(object.status.conditions) && variables.types.all(t, variables.have.exists(c, c.type == t)) ?
variables.have :
variables.wanted.map(w,
  (variables.have.filter(h, h.type == w.type && h.status == w.status).map(h,
    h.reason == w.reason && h.message == w.message ? h : dyn({
      "type": dyn(w.type), "status": dyn(w.status), "reason": dyn(w.reason), "message": dyn(w.message),
      "observedGeneration": dyn(w.observedGeneration), "lastTransitionTime": dyn(h.lastTransitionTime)
    })
  ) + [dyn(w)])[0]
) + variables.have.filter(h, !(h.type in variables.types))`

const wanted = `variables.types.map(t, {
  "type": dyn(t),
  "status": dyn(variables.row[t]),
  "reason": dyn(t in variables.diagnosed ? variables.diagnosis.reason : variables.row.reason),
  "message": dyn(t in variables.diagnosed ? variables.diagnosis.?message.orValue("") : variables.row.message),
  "observedGeneration": dyn(object.metadata.generation),
  "lastTransitionTime": dyn(variables.changed)
})`

// diagnosed are the types that carry the diagnosis: none unless it names a failure of this submission.
const diagnosed = `variables.diagnosis.?reason.orValue("") == "" ||
variables.diagnosis.?submissionID.orValue("") != object.status.?submissionID.orValue("") ?
[] : %s[?variables.state].orValue([])`

// changed is the time of a change, in whole seconds. An absent time is null: the operator writes that.
const changed = `string(timestamp(int(timestamp(
  variables.state in %s && object.status.?terminationTime.orValue(null) != null ? object.status.terminationTime :
  object.status.?lastSubmissionAttemptTime.orValue(null) != null ? object.status.lastSubmissionAttemptTime :
  object.metadata.creationTimestamp
))))`

const stateOf = `%s.?applicationState.?state.orValue("")`

func matchConditions() []admissionv1.MatchCondition {
	return []admissionv1.MatchCondition{
		{Name: "has-status", Expression: "has(object.status)"},
		{Name: "is-repeated", Expression: fmt.Sprintf(repeated,
			v1beta2.StateSubmitted, v1beta2.StateSubmissionFailed, v1beta2.DriverExists, v1beta2.StateInvalidating)},
	}
}

func variables() []admissionv1.Variable {
	return []admissionv1.Variable{
		{Name: "old", Expression: `has(oldObject.status) ? oldObject.status : dyn({})`},
		{Name: "state", Expression: fmt.Sprintf(stateOf, "object.status")},
		{Name: "sameAttempt", Expression: `variables.state == ` + fmt.Sprintf(stateOf, "variables.old") + ` &&
object.status.?submissionID.orValue("") == variables.old.?submissionID.orValue("")`},
		{Name: "types", Expression: list(status.StateTypes)},
		{Name: "rows", Expression: rows()},
		{Name: "row", Expression: fmt.Sprintf(`variables.rows[?variables.state].orValue(variables.rows[%q])`,
			status.UnlistedState.State)},
		{Name: "diagnosis", Expression: `object.status.?diagnostics.orValue(variables.old.?diagnostics.orValue(dyn({})))`},
		{Name: "diagnosed", Expression: fmt.Sprintf(diagnosed, diagnosedTypes())},
		{Name: "changed", Expression: fmt.Sprintf(changed, list(endedStates()))},
		{Name: "have", Expression: `object.status.?conditions.orValue(variables.old.?conditions.orValue(dyn([])))`},
		{Name: "wanted", Expression: wanted},
		{Name: "conditions", Expression: conditions},
		{Name: "nothingNew", Expression: nothingNew},
	}
}

// rows is the table as a map from the state to the status of each type, reason and message.
func rows() string {
	lines := make([]string, 0, len(status.States))
	for _, row := range status.States {
		cells := make([]string, 0, len(status.StateTypes)+2)
		for i, conditionType := range status.StateTypes {
			cells = append(cells, fmt.Sprintf("%q: %q", conditionType, row.Statuses[i]))
		}
		cells = append(cells, fmt.Sprintf("%q: %q", "reason", row.Reason), fmt.Sprintf("%q: %q", "message", row.Message))
		lines = append(lines, fmt.Sprintf("  %q: {%s}", row.State, strings.Join(cells, ", ")))
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n}"
}

func diagnosedTypes() string {
	var entries []string
	for _, row := range status.States {
		if len(row.Diagnosed) > 0 {
			entries = append(entries, fmt.Sprintf("%q: %s", row.State, list(row.Diagnosed)))
		}
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

func endedStates() []v1beta2.State {
	var ended []v1beta2.State
	for _, row := range status.States {
		if row.Ended {
			ended = append(ended, row.State)
		}
	}
	return ended
}

func list[T ~string](items []T) string {
	quoted := make([]string, 0, len(items))
	for _, item := range items {
		quoted = append(quoted, fmt.Sprintf("%q", item))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
