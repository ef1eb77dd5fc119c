// Package patch builds JSON patches that say what they expect, and tells their refusals apart.
package patch

import (
	"encoding/json"
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
	return (apierrors.IsInvalid(err) && !IsUnknownField(err)) || apierrors.IsConflict(err)
}
