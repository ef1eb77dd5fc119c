// Package v1alpha1 is the enricher's configuration file.
//
// +kubebuilder:object:generate=true
// +groupName=config.spark-status-enricher.io
package v1alpha1
