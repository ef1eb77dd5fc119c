package install

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// operatorCRD has what matters here of the operator's CRD, and an older version in front.
const operatorCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: sparkapplications.sparkoperator.k8s.io
  annotations:
    helm.sh/resource-policy: keep
spec:
  group: sparkoperator.k8s.io
  versions:
  - name: v1beta1
    served: false
  - name: v1beta2
    served: true
    additionalPrinterColumns:
    - {name: Status, type: string, jsonPath: .status.applicationState.state}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status:
            type: object
            properties:
              submissionID: {type: string}
`

func TestMergeCRDAddsFieldsAndColumnsAndNothingElse(t *testing.T) {
	merged, err := MergeCRD([]byte(operatorCRD))
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(merged, &crd); err != nil {
		t.Fatal(err)
	}
	version := &crd.Spec.Versions[1]
	wantColumns := []string{"Status", "Age", "Reason", "Exit", "Message"}
	if diff := cmp.Diff(wantColumns, columnNames(version.AdditionalPrinterColumns)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if missing := MissingFields(&crd); len(missing) > 0 {
		t.Errorf("merged CRD lacks %v", missing)
	}

	version.AdditionalPrinterColumns = version.AdditionalPrinterColumns[:2]
	properties := version.Schema.OpenAPIV3Schema.Properties["status"].Properties
	delete(properties, "diagnostics")
	delete(properties, "conditions")
	if diff := cmp.Diff(parseCRD(t, operatorCRD), &crd); diff != "" {
		t.Errorf("the rest (-want +got):\n%s", diff)
	}
}

func TestMergeCRDIsIdempotentAndFindsTheCRDAmongOthers(t *testing.T) {
	once, err := MergeCRD([]byte("# a comment\n---\nkind: ConfigMap\nmetadata: {name: other}\n---\n" + operatorCRD))
	if err != nil {
		t.Fatal(err)
	}
	twice, err := MergeCRD(once)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(once), string(twice)); diff != "" {
		t.Errorf("merged twice (-want +got):\n%s", diff)
	}
}

func TestMergeCRDRefusesWhatIsNotTheCRD(t *testing.T) {
	cases := map[string]struct{ source, want string }{
		"nothing":                    {"", "no CRD sparkapplications.sparkoperator.k8s.io in the input"},
		"another CRD":                {strings.ReplaceAll(operatorCRD, "sparkapplications", "others"), "no CRD"},
		"no YAML":                    {"{", "decoding the CRD"},
		"no version v1beta2":         {strings.ReplaceAll(operatorCRD, "v1beta2", "v2"), "has no version v1beta2"},
		"no schema of status":        {strings.ReplaceAll(operatorCRD, "status:", "other:"), "has no schema of status"},
		"a field of the wrong shape": {strings.ReplaceAll(operatorCRD, "served: true", "served: maybe"), "decoding the CRD"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := MergeCRD([]byte(tc.source))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestCRDPatchMendsWhatDiffers(t *testing.T) {
	complete := mergedCRD(t)
	cases := map[string]struct {
		change func(*apiextensionsv1.CustomResourceDefinitionVersion)
		want   []string
	}{
		"nothing": {func(*apiextensionsv1.CustomResourceDefinitionVersion) {}, nil},
		"a limit of a field": {
			func(v *apiextensionsv1.CustomResourceDefinitionVersion) {
				limit := int64(1)
				diagnostics := v.Schema.OpenAPIV3Schema.Properties["status"].Properties["diagnostics"]
				message := diagnostics.Properties["message"]
				message.MaxLength = &limit
				diagnostics.Properties["message"] = message
			},
			[]string{"test /spec/versions/1/name",
				"add /spec/versions/1/schema/openAPIV3Schema/properties/status/properties/diagnostics"},
		},
		"a column's priority and a lost column": {
			func(v *apiextensionsv1.CustomResourceDefinitionVersion) {
				v.AdditionalPrinterColumns[3].Priority = 0
				v.AdditionalPrinterColumns = v.AdditionalPrinterColumns[:4]
			},
			[]string{"test /spec/versions/1/name", "replace /spec/versions/1/additionalPrinterColumns/3",
				"add /spec/versions/1/additionalPrinterColumns/-"},
		},
		"all columns": {
			func(v *apiextensionsv1.CustomResourceDefinitionVersion) { v.AdditionalPrinterColumns = nil },
			[]string{"test /spec/versions/1/name", "add /spec/versions/1/additionalPrinterColumns"},
		},
		"a foreign column of the same name": {
			func(v *apiextensionsv1.CustomResourceDefinitionVersion) {
				v.AdditionalPrinterColumns[0] = apiextensionsv1.CustomResourceColumnDefinition{
					Name: "Reason", Type: "string", JSONPath: ".status.other",
				}
			},
			nil,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			crd := complete.DeepCopy()
			tc.change(&crd.Spec.Versions[1])
			operations, err := CRDPatch(crd)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, operation := range operations {
				got = append(got, operation.Operation+" "+operation.Path)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("patch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCRDRemovalPatchUndoesTheMerge(t *testing.T) {
	merged, err := MergeCRD([]byte(operatorCRD))
	if err != nil {
		t.Fatal(err)
	}
	operations, err := CRDRemovalPatch(parseCRD(t, string(merged)))
	if err != nil {
		t.Fatal(err)
	}
	document, err := yaml.YAMLToJSON(merged)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := applyPatch(document, operations)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(parseCRD(t, operatorCRD), parseCRD(t, string(bare))); diff != "" {
		t.Errorf("CRD (-want +got):\n%s", diff)
	}
	again, err := CRDRemovalPatch(parseCRD(t, operatorCRD))
	if err != nil || again != nil {
		t.Errorf("removal from a bare CRD is %v, %v", again, err)
	}
}

func changeProperty(of apiextensionsv1.JSONSchemaProps, name string, change func(*apiextensionsv1.JSONSchemaProps)) {
	property := of.Properties[name]
	change(&property)
	of.Properties[name] = property
}

func TestMissingFields(t *testing.T) {
	older := mergedCRD(t)
	diagnostics := older.Spec.Versions[1].Schema.OpenAPIV3Schema.Properties["status"].Properties["diagnostics"]
	delete(diagnostics.Properties, "hint")
	delete(diagnostics.Properties["executors"].Properties, "lost")
	delete(diagnostics.Properties["attempts"].Items.Schema.Properties, "podUID")
	stricter := mergedCRD(t)
	diagnostics = stricter.Spec.Versions[1].Schema.OpenAPIV3Schema.Properties["status"].Properties["diagnostics"]
	changeProperty(diagnostics, "category", func(p *apiextensionsv1.JSONSchemaProps) { p.Enum = p.Enum[1:] })
	changeProperty(diagnostics, "message", func(p *apiextensionsv1.JSONSchemaProps) { p.MaxLength = new(int64(10)) })
	changeProperty(diagnostics, "hint", func(p *apiextensionsv1.JSONSchemaProps) { p.MaxLength = new(int64(1 << 20)) })
	changeProperty(diagnostics, "attempts", func(p *apiextensionsv1.JSONSchemaProps) { p.MaxItems = new(int64(1)) })
	cases := map[string]struct {
		crd  *apiextensionsv1.CustomResourceDefinition
		want []string
	}{
		"of an extension with fewer values and lower limits": {stricter, []string{
			"status.diagnostics.attempts", "status.diagnostics.category", "status.diagnostics.message",
		}},
		"of the operator's own CRD": {parseCRD(t, operatorCRD), []string{"status.conditions", "status.diagnostics"}},
		"of an older extension": {older, []string{
			"status.diagnostics.attempts[].podUID", "status.diagnostics.executors.lost", "status.diagnostics.hint",
		}},
		"of a complete one": {mergedCRD(t), nil},
		"of one without the version": {&apiextensionsv1.CustomResourceDefinition{
			ObjectMeta: metav1.ObjectMeta{Name: v1beta2.CRDName},
		}, []string{"status of sparkoperator.k8s.io/v1beta2"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, MissingFields(tc.crd)); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestManifestLeavesOutWhatTheServerAdds(t *testing.T) {
	crd := mergedCRD(t)
	crd.ResourceVersion, crd.UID, crd.Generation = "7", "u-1", 3
	crd.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "helm"}}
	crd.Status.StoredVersions = []string{"v1beta2"}
	data, err := Manifest(crd)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	keys := []string{}
	for key := range got {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if diff := cmp.Diff([]string{"apiVersion", "kind", "metadata", "spec"}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	wantMetadata := map[string]any{"name": v1beta2.CRDName, "annotations": map[string]any{"helm.sh/resource-policy": "keep"}}
	if diff := cmp.Diff(wantMetadata, got["metadata"]); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

func mergedCRD(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	merged, err := MergeCRD([]byte(operatorCRD))
	if err != nil {
		t.Fatal(err)
	}
	return parseCRD(t, string(merged))
}

func parseCRD(t *testing.T, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(text), crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

func columnNames(columns []apiextensionsv1.CustomResourceColumnDefinition) []string {
	var names []string
	for _, column := range columns {
		names = append(names, column.Name)
	}
	return names
}
