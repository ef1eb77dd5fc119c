package install

import (
	"encoding/json"
	"fmt"
	"slices"

	jsonpatch "gomodules.xyz/jsonpatch/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// CRDPatch returns the JSON patch that brings the enricher's fields and columns into crd; nil where it has them.
// The patch tests the version's place in the list, for a list cannot be shared otherwise. It fails for a CRD that
// is not that of SparkApplication v1beta2.
func CRDPatch(crd *apiextensionsv1.CustomResourceDefinition) ([]jsonpatch.Operation, error) {
	i, err := versionIndex(crd)
	if err != nil {
		return nil, err
	}
	operations := shipped().operations(crd.Spec.Versions[i], i)
	if len(operations) == 0 {
		return nil, nil
	}
	return append(testOfVersion(i), operations...), nil
}

// CRDRemovalPatch returns the JSON patch that takes the enricher's fields and columns out of crd; nil where it has
// none of them.
func CRDRemovalPatch(crd *apiextensionsv1.CustomResourceDefinition) ([]jsonpatch.Operation, error) {
	i, err := versionIndex(crd)
	if err != nil {
		return nil, err
	}
	var operations []jsonpatch.Operation
	for _, name := range extendedFields {
		if _, found := statusSchema(crd.Spec.Versions[i]).Properties[name]; found {
			operations = append(operations, jsonpatch.NewOperation("remove", propertyPath(i, name), nil))
		}
	}
	columns := crd.Spec.Versions[i].AdditionalPrinterColumns
	for at := len(columns) - 1; at >= 0; at-- {
		if slices.ContainsFunc(shipped().AdditionalPrinterColumns, sameColumn(columns[at])) {
			operations = append(operations, jsonpatch.NewOperation("remove", columnPath(i, fmt.Sprint(at)), nil))
		}
	}
	if len(operations) == 0 {
		return nil, nil
	}
	return append(testOfVersion(i), operations...), nil
}

// CompletePatch returns the whole JSON patch for a CRD that has none of the fields and whose first version is
// v1beta2: what kustomize users apply.
func (e Extension) CompletePatch() []jsonpatch.Operation {
	bare := apiextensionsv1.CustomResourceDefinitionVersion{
		AdditionalPrinterColumns: []apiextensionsv1.CustomResourceColumnDefinition{{}},
	}
	return append(testOfVersion(0), e.operations(bare, 0)...)
}

func (e Extension) operations(version apiextensionsv1.CustomResourceDefinitionVersion, i int) []jsonpatch.Operation {
	var operations []jsonpatch.Operation
	for _, name := range extendedFields {
		present, found := statusSchema(version).Properties[name]
		if !found || !equality.Semantic.DeepEqual(present, e.Properties[name]) {
			operations = append(operations, jsonpatch.NewOperation("add", propertyPath(i, name), e.Properties[name]))
		}
	}
	columns := version.AdditionalPrinterColumns
	if len(columns) == 0 {
		return append(operations, jsonpatch.NewOperation("add", columnPath(i, ""), e.AdditionalPrinterColumns))
	}
	for _, column := range e.AdditionalPrinterColumns {
		at := slices.IndexFunc(columns, sameColumn(column))
		switch {
		case at < 0:
			operations = append(operations, jsonpatch.NewOperation("add", columnPath(i, "-"), column))
		case columns[at] != column:
			operations = append(operations, jsonpatch.NewOperation("replace", columnPath(i, fmt.Sprint(at)), column))
		}
	}
	return operations
}

// sameColumn recognises a column by what it shows, so that a column of another owner that happens to have the same
// name is left alone.
func sameColumn(column apiextensionsv1.CustomResourceColumnDefinition) func(apiextensionsv1.CustomResourceColumnDefinition) bool {
	return func(other apiextensionsv1.CustomResourceColumnDefinition) bool {
		return other.JSONPath == column.JSONPath
	}
}

func testOfVersion(i int) []jsonpatch.Operation {
	path := fmt.Sprintf("/spec/versions/%d/name", i)
	return []jsonpatch.Operation{jsonpatch.NewOperation("test", path, v1beta2.GroupVersion.Version)}
}

func propertyPath(i int, name string) string {
	return fmt.Sprintf("/spec/versions/%d/schema/openAPIV3Schema/properties/status/properties/%s", i, name)
}

func columnPath(i int, place string) string {
	path := fmt.Sprintf("/spec/versions/%d/additionalPrinterColumns", i)
	if place == "" {
		return path
	}
	return path + "/" + place
}

// MissingFields names the status fields of this version of the enricher that crd would drop, or whose values it would
// refuse, by their paths, for example status.diagnostics. It is empty if all can be stored.
func MissingFields(crd *apiextensionsv1.CustomResourceDefinition) []string {
	i, err := versionIndex(crd)
	if err != nil {
		return []string{"status of " + v1beta2.GroupVersion.String()}
	}
	present := statusSchema(crd.Spec.Versions[i])
	wanted := apiextensionsv1.JSONSchemaProps{Properties: shipped().Properties}
	missing := missingProperties("status", wanted, present)
	slices.Sort(missing)
	return missing
}

func missingProperties(path string, wanted, present apiextensionsv1.JSONSchemaProps) []string {
	if present.XPreserveUnknownFields != nil && *present.XPreserveUnknownFields {
		return nil
	}
	var missing []string
	for name, property := range wanted.Properties {
		if have, found := present.Properties[name]; found && !isStricter(have, property) {
			missing = append(missing, missingProperties(path+"."+name, property, have)...)
		} else {
			missing = append(missing, path+"."+name)
		}
	}
	if wanted.Items != nil && wanted.Items.Schema != nil && present.Items != nil && present.Items.Schema != nil {
		if isStricter(*present.Items.Schema, *wanted.Items.Schema) {
			return append(missing, path+"[]")
		}
		missing = append(missing, missingProperties(path+"[]", *wanted.Items.Schema, *present.Items.Schema)...)
	}
	return missing
}

// isStricter is true of a schema that refuses values which the wanted one allows: a type, an enum or a limit of another
// version.
func isStricter(present, wanted apiextensionsv1.JSONSchemaProps) bool {
	return present.Type != wanted.Type || present.Format != wanted.Format ||
		present.Pattern != "" && present.Pattern != wanted.Pattern ||
		lacksValue(present.Enum, wanted.Enum) || requiresMore(present.Required, wanted.Required) ||
		isLower(present.MaxLength, wanted.MaxLength) || isLower(present.MaxItems, wanted.MaxItems) ||
		isLower(present.Maximum, wanted.Maximum) || isLower(present.MaxProperties, wanted.MaxProperties) ||
		isHigher(present.MinLength, wanted.MinLength) || isHigher(present.MinItems, wanted.MinItems) ||
		isHigher(present.Minimum, wanted.Minimum)
}

// lacksValue is true if present allows some values only, and not all that are wanted.
func lacksValue(present, wanted []apiextensionsv1.JSON) bool {
	if len(present) == 0 {
		return false
	}
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(value apiextensionsv1.JSON) bool {
		return !slices.ContainsFunc(present, func(other apiextensionsv1.JSON) bool { return string(other.Raw) == string(value.Raw) })
	})
}

func requiresMore(present, wanted []string) bool {
	return slices.ContainsFunc(present, func(name string) bool { return !slices.Contains(wanted, name) })
}

// isLower is true if a limit is below another one, where none is the highest.
func isLower[T int64 | float64](limit, other *T) bool {
	return limit != nil && (other == nil || *limit < *other)
}

// isHigher is true if a limit is above another one, where none is the lowest.
func isHigher[T int64 | float64](limit, other *T) bool {
	return limit != nil && (other == nil || *limit > *other)
}

func encodePatch(operations []jsonpatch.Operation) ([]byte, error) {
	data, err := json.Marshal(operations)
	if err != nil {
		return nil, fmt.Errorf("encoding a patch: %w", err)
	}
	return data, nil
}
