package v1beta2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the operator's API group and version.
var GroupVersion = schema.GroupVersion{Group: "sparkoperator.k8s.io", Version: "v1beta2"}

// CRDName is the name of the operator's CustomResourceDefinition.
const CRDName = "sparkapplications.sparkoperator.k8s.io"

// AddToScheme adds the reduced SparkApplication to a scheme. The operator's own types cannot be in the same scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &SparkApplication{}, &SparkApplicationList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
