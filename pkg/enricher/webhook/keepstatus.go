package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	jsonpatch "gomodules.xyz/jsonpatch/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

// keepStatus is the keep-status policy: the patch that puts diagnostics and conditions back where object lacks what
// oldObject has, that makes the conditions of a new state, and that lets a write that says nothing new change nothing.
// What is kept is kept byte for byte. Both are the JSON of a SparkApplication. What an error tells of is left as it is;
// the operations beside it hold.
func keepStatus(object, oldObject []byte) ([]jsonpatch.Operation, error) {
	now, err := parseApplication(object)
	if err != nil {
		return nil, fmt.Errorf("decoding the application: %w", err)
	}
	if now.fields == nil {
		return nil, nil
	}
	before, err := parseApplication(oldObject)
	if err != nil {
		return nil, fmt.Errorf("decoding the application before the write: %w", err)
	}
	if isMadeOnce(now, before) {
		return nil, nil
	}
	var operations []jsonpatch.Operation
	add := func(path string, value json.RawMessage) {
		operations = append(operations, jsonpatch.NewOperation("add", path, value))
	}
	if kept := before.fields["diagnostics"]; kept != nil && !now.has("diagnostics") {
		now.fields["diagnostics"], now.status.Diagnostics = kept, before.status.Diagnostics
		add("/status/diagnostics", kept)
	}
	conditions, err := wantedConditions(now, before)
	if conditions != nil {
		now.fields["conditions"] = conditions
		add("/status/conditions", conditions)
	}
	if owners := before.Metadata.ManagedFields; owners != nil && !same(owners, now.Metadata.ManagedFields) && saysNothingNew(now, before) {
		add("/metadata/managedFields", owners)
	}
	return operations, err
}

// isMadeOnce is true of the writes that the policy has no part in.
func isMadeOnce(now, before *application) bool {
	named := now.status.SubmissionID != before.status.SubmissionID
	switch state := now.status.ApplicationState; state.State {
	case v1beta2.StateSubmitted:
		return named
	case v1beta2.StateSubmissionFailed:
		return named && strings.Contains(state.ErrorMessage, v1beta2.DriverExists)
	case v1beta2.StateInvalidating:
		return before.status.ApplicationState.State != v1beta2.StateInvalidating
	default:
		return false
	}
}

// saysNothingNew is true of a write that, with what was kept, brings the old status. It is to change nothing at all: its
// loss of the enricher's entry in managedFields would make a new resourceVersion, and the operator lose a change of the
// specification that it is about to carry out.
func saysNothingNew(now, before *application) bool {
	return before.fields != nil && maps.EqualFunc(now.fields, before.fields, same)
}

// same compares two JSON values by what they say.
func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var left, right any
	return json.Unmarshal(a, &left) == nil && json.Unmarshal(b, &right) == nil && reflect.DeepEqual(left, right)
}

// wantedConditions is nil where conditions come along with an unchanged state, since whoever wrote them knew it, and
// where a write that says nothing new finds none: if the CRD lacks the field, each such write would be stored as a new
// version, and the operator would write for ever.
func wantedConditions(now, before *application) (json.RawMessage, error) {
	if !before.has("conditions") && saysNothingNew(now, before) {
		return nil, nil
	}
	unchanged := now.status.ApplicationState.State == before.status.ApplicationState.State &&
		now.status.SubmissionID == before.status.SubmissionID
	if unchanged && now.hasStateConditions() {
		return nil, nil
	}
	if unchanged && !now.has("conditions") && before.hasStateConditions() {
		return before.fields["conditions"], nil
	}
	have := now
	if !now.has("conditions") {
		have = before
	}
	return stateConditions(now, have)
}

// stateConditions makes the conditions of now out of those that have holds.
func stateConditions(now, have *application) (json.RawMessage, error) {
	if now.Metadata.Generation == 0 || now.Metadata.CreationTimestamp.IsZero() {
		return nil, errors.New("the application has no generation or creationTimestamp")
	}
	input := now.status
	input.Conditions = have.status.Conditions
	made := status.StateConditions(&input, now.Metadata.Generation, now.Metadata.CreationTimestamp)
	conditions := make([]json.RawMessage, 0, len(made))
	for _, condition := range made {
		encoded, err := have.encode(condition)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, encoded)
	}
	data, err := json.Marshal(conditions)
	if err != nil {
		return nil, fmt.Errorf("encoding the conditions: %w", err)
	}
	return data, nil
}

// application is what the mutation looks at, decoded and as it was written.
type application struct {
	Metadata struct {
		Generation        int64           `json:"generation"`
		CreationTimestamp metav1.Time     `json:"creationTimestamp"`
		ManagedFields     json.RawMessage `json:"managedFields"`
	} `json:"metadata"`
	Status json.RawMessage `json:"status"`

	status     v1beta2.Status
	fields     map[string]json.RawMessage
	conditions []json.RawMessage
}

func parseApplication(data []byte) (*application, error) {
	app := &application{}
	if err := json.Unmarshal(data, app); err != nil {
		return nil, err
	}
	if app.Status == nil {
		return app, nil
	}
	if err := json.Unmarshal(app.Status, &app.fields); err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	if err := json.Unmarshal(app.Status, &app.status); err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	if app.has("conditions") {
		if err := json.Unmarshal(app.fields["conditions"], &app.conditions); err != nil {
			return nil, fmt.Errorf("status.conditions: %w", err)
		}
	}
	return app, nil
}

func (a *application) has(field string) bool {
	_, there := a.fields[field]
	return there
}

func (a *application) hasStateConditions() bool {
	for _, conditionType := range status.StateTypes {
		if a.indexOf(conditionType) < 0 {
			return false
		}
	}
	return true
}

func (a *application) indexOf(conditionType string) int {
	return slices.IndexFunc(a.status.Conditions, func(c metav1.Condition) bool { return c.Type == conditionType })
}

// encode writes a condition, or the part of it that was there before, as it was written.
func (a *application) encode(condition metav1.Condition) (json.RawMessage, error) {
	at := a.indexOf(condition.Type)
	if at >= 0 && condition == a.status.Conditions[at] {
		return a.conditions[at], nil
	}
	encoded := struct {
		metav1.Condition
		LastTransitionTime any `json:"lastTransitionTime"`
	}{Condition: condition, LastTransitionTime: condition.LastTransitionTime}
	if at >= 0 && condition.Status == a.status.Conditions[at].Status {
		var written struct {
			LastTransitionTime json.RawMessage `json:"lastTransitionTime"`
		}
		if err := json.Unmarshal(a.conditions[at], &written); err != nil {
			return nil, fmt.Errorf("status.conditions[%d]: %w", at, err)
		}
		encoded.LastTransitionTime = written.LastTransitionTime
	}
	data, err := json.Marshal(encoded)
	if err != nil {
		return nil, fmt.Errorf("encoding condition %s: %w", condition.Type, err)
	}
	return data, nil
}
