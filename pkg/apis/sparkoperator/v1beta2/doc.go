// Package v1beta2 defines what this project adds to the status of a SparkApplication, and a reduced SparkApplication with
// only those fields of the kubeflow/spark-operator type that the enricher uses.
//
// +kubebuilder:object:generate=true
// +groupName=sparkoperator.k8s.io
package v1beta2
