// Package patch builds JSON patches that say what they expect, and tells their refusals apart.
package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Operation is one step of a JSON patch (RFC 6902).
type Operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Test expects a value; null expects that the key is absent from a map that is there.
func Test(path string, value any) Operation { return Operation{Op: "test", Path: path, Value: value} }

// Add sets a value, whether or not there was one.
func Add(path string, value any) Operation { return Operation{Op: "add", Path: path, Value: value} }

// Remove takes a value away that must be there.
func Remove(path string) Operation { return Operation{Op: "remove", Path: path} }

// Marshal returns the patch as JSON.
func Marshal(operations []Operation) ([]byte, error) {
	data, err := json.Marshal(operations)
	if err != nil {
		return nil, fmt.Errorf("encoding patch: %w", err)
	}
	return data, nil
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// Key escapes a map key for use in a path.
func Key(key string) string { return escaper.Replace(key) }

// IsUnknownField reports whether the API server refused a patch because its schema lacks a field of ours.
func IsUnknownField(err error) bool {
	return (apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)) && strings.Contains(err.Error(), "unknown field")
}

// IsUnexpected reports whether the object was not as the patch expected: read again and decide anew.
func IsUnexpected(err error) bool {
	return apierrors.IsInvalid(err) && !namesFault(err) || apierrors.IsConflict(err)
}

// IsRejected reports whether the API server would not store what the patch made, for a field that does not pass
// validation or a policy that refuses it: the same patch again meets the same answer.
func IsRejected(err error) bool {
	return apierrors.IsInvalid(err) && namesFault(err) && !IsUnknownField(err)
}

// namesFault is true of an answer that says which object or field is at fault. Validation does; a failed test, which has
// the same code and reason, does not.
func namesFault(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && (details.Name != "" || len(details.Causes) > 0)
}

// Fields returns the paths of the fields that an answer calls at fault.
func Fields(err error) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		if cause.Field != "" {
			fields = append(fields, cause.Field)
		}
	}
	return fields
}
