// Package v1beta2 holds what this project adds to the status of a SparkApplication, and the lean SparkApplication
// that it reads: only the fields the enricher uses, beside the whole type of kubeflow/spark-operator.
//
// +kubebuilder:object:generate=true
// +groupName=sparkoperator.k8s.io
package v1beta2
