// Package policy generates the admission policy that keeps the enricher's part of a SparkApplication's status.
package policy

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// KeepStatusName names the policy and its binding.
const KeepStatusName = "spark-status-enricher-keep-status"

// KeepStatus returns the policy that puts diagnostics and conditions back when the operator writes a status without
// them, makes the conditions of a new state on that same write, and lets a write that says nothing new change nothing. It
// has no part in the writes that the operator makes only once.
func KeepStatus() *admissionv1.MutatingAdmissionPolicy {
	ignore := admissionv1.Ignore
	return &admissionv1.MutatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "MutatingAdmissionPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: KeepStatusName},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			FailurePolicy:      &ignore,
			ReinvocationPolicy: admissionv1.IfNeededReinvocationPolicy,
			MatchConstraints:   statusWrites(),
			MatchConditions:    matchConditions(),
			Variables:          variables(),
			Mutations:          []admissionv1.Mutation{jsonPatch(keepDiagnostics), jsonPatch(makeConditions), jsonPatch(keepOwnership)},
		},
	}
}

// KeepStatusBinding applies KeepStatus to every namespace.
func KeepStatusBinding() *admissionv1.MutatingAdmissionPolicyBinding {
	return &admissionv1.MutatingAdmissionPolicyBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "MutatingAdmissionPolicyBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: KeepStatusName},
		Spec:       admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: KeepStatusName},
	}
}

func statusWrites() *admissionv1.MatchResources {
	return &admissionv1.MatchResources{
		ResourceRules: []admissionv1.NamedRuleWithOperations{{
			RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Update},
				Rule: admissionv1.Rule{
					APIGroups:   []string{v1beta2.GroupVersion.Group},
					APIVersions: []string{v1beta2.GroupVersion.Version},
					Resources:   []string{"sparkapplications/status"},
				},
			},
		}},
	}
}

func jsonPatch(expression string) admissionv1.Mutation {
	return admissionv1.Mutation{
		PatchType: admissionv1.PatchTypeJSONPatch,
		JSONPatch: &admissionv1.JSONPatch{Expression: expression},
	}
}
