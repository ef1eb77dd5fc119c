// Package failure is the vocabulary of a diagnosis: what happened, who has to act, and the fields that report it in a
// status. It is not part of any operator's API, so that any of them can embed it.
//
// +kubebuilder:object:generate=true
package failure
