// Package failure is the vocabulary of a diagnosis: what happened, who has to act, and the fields in which a status says
// so. It belongs to no operator's API, so that any of them can carry it.
//
// +kubebuilder:object:generate=true
package failure
