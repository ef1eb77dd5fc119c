package webhook

import (
	"bytes"
	"encoding/json"
	"testing"

	jsonpatchapply "gopkg.in/evanphx/json-patch.v4"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/utils/ptr"

	"github.com/spark-status-enricher/enricher/config"
)

// evaluator is a policy as the API server's own code evaluates it.
type evaluator struct {
	compiler *plugincel.CompositedCompiler
	matcher  matchconditions.Matcher
	patchers []patch.Patcher
}

func compile(t *testing.T, policy *admissionregistrationv1.MutatingAdmissionPolicy) *evaluator {
	t.Helper()
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		t.Fatal(err)
	}
	options := plugincel.OptionalVariableDeclarations{HasAuthorizer: true}
	var variables []plugincel.NamedExpressionAccessor
	for _, v := range policy.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	compiler.CompileAndStoreVariables(variables, options, environment.StoredExpressions)
	var conditions []plugincel.ExpressionAccessor
	for i := range policy.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[i]))
	}
	e := &evaluator{compiler: compiler, matcher: matchconditions.NewMatcher(
		compiler.CompileCondition(conditions, options, environment.StoredExpressions),
		ptr.To(admissionregistrationv1.Ignore), "policy", "validate", policy.Name)}
	options.HasPatchTypes = true
	for _, m := range policy.Spec.Mutations {
		e.patchers = append(e.patchers, patch.NewJSONPatcher(compiler.CompileMutatingEvaluator(
			&patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}, options, environment.StoredExpressions)))
	}
	return e
}

// mutate gives the object as the API server would go on with it; old is nil on a creation.
func (e *evaluator) mutate(t *testing.T, object, old map[string]any) map[string]any {
	t.Helper()
	current := &unstructured.Unstructured{Object: object}
	operation, options := admission.Create, runtime.Object(&metav1.CreateOptions{})
	var oldObject runtime.Object
	if old != nil {
		oldObject, operation, options = &unstructured.Unstructured{Object: old}, admission.Update, &metav1.UpdateOptions{}
	}
	attributes := &admission.VersionedAttributes{
		Attributes: admission.NewAttributesRecord(current, oldObject, current.GroupVersionKind(), current.GetNamespace(),
			current.GetName(), current.GroupVersionKind().GroupVersion().WithResource("any"), "", operation, options, false, nil),
		VersionedKind: current.GroupVersionKind(), VersionedObject: admission.NewLazyObject(current),
		VersionedOldObject: admission.NewLazyObject(oldObject),
	}
	ctx := e.compiler.CreateContext(t.Context())
	if match := e.matcher.Match(ctx, attributes, nil, nil); match.Error != nil || !match.Matches {
		return object
	}
	for _, patcher := range e.patchers {
		mutated, err := patcher.Patch(ctx, patch.Request{
			VersionedAttributes: attributes, ObjectInterfaces: admission.NewObjectInterfacesFromScheme(runtime.NewScheme()),
		}, celconfig.RuntimeCELCostBudget)
		if err == nil {
			attributes.VersionedObject.Set(mutated)
		}
	}
	return attributes.VersionedObject.Object().(*unstructured.Unstructured).Object
}

// policyFile reads the one policy of a manifest.
func policyFile(t *testing.T, name string) *admissionregistrationv1.MutatingAdmissionPolicy {
	t.Helper()
	data, err := config.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{}
	if err := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096).Decode(policy); err != nil {
		t.Fatal(err)
	}
	return policy
}

// apply is the API server's part: it applies the operations to the object.
func apply(t *testing.T, object map[string]any, operations any) map[string]any {
	t.Helper()
	data, err := jsonpatchapply.DecodePatch(encode(t, operations))
	if err != nil {
		t.Fatal(err)
	}
	patched, err := data.Apply(encode(t, object))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, patched)
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, data []byte) map[string]any {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return object.Object
}
