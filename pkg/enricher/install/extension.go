// Package install puts the enricher's status fields into the SparkApplication CRD and its policies into a cluster.
package install

import (
	"fmt"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/config"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// extensionFile is where the generated extension lies below config/.
const extensionFile = "crd/sparkapplication-status.yaml"

// extendedFields are the properties of status that the enricher adds.
var extendedFields = []string{"diagnostics", "conditions"}

// Extension is what the enricher adds to version v1beta2 of the SparkApplication CRD.
type Extension struct {
	// Properties of status, by name.
	Properties map[string]apiextensionsv1.JSONSchemaProps `json:"properties"`
	// AdditionalPrinterColumns of kubectl get.
	AdditionalPrinterColumns []apiextensionsv1.CustomResourceColumnDefinition `json:"additionalPrinterColumns"`
}

// shipped is the extension of this binary's version.
var shipped = sync.OnceValue(func() Extension {
	data, err := config.Files.ReadFile(extensionFile)
	if err != nil {
		panic(err)
	}
	var extension Extension
	if err := yaml.UnmarshalStrict(data, &extension); err != nil {
		panic(fmt.Errorf("decoding %s: %w", extensionFile, err))
	}
	return extension
})

// ExtensionOf cuts the extension out of a CRD generated from the Go types.
func ExtensionOf(crd *apiextensionsv1.CustomResourceDefinition) (Extension, error) {
	i, err := versionIndex(crd)
	if err != nil {
		return Extension{}, err
	}
	version := crd.Spec.Versions[i]
	extension := Extension{
		Properties:               map[string]apiextensionsv1.JSONSchemaProps{},
		AdditionalPrinterColumns: version.AdditionalPrinterColumns,
	}
	for _, name := range extendedFields {
		property, found := statusSchema(version).Properties[name]
		if !found {
			return Extension{}, fmt.Errorf("the CRD %s has no status.%s", crd.Name, name)
		}
		extension.Properties[name] = property
	}
	return extension, nil
}

// versionIndex finds v1beta2 with a status in a SparkApplication CRD.
func versionIndex(crd *apiextensionsv1.CustomResourceDefinition) (int, error) {
	if crd.Name != v1beta2.CRDName {
		return 0, fmt.Errorf("the CRD is %q, not %s", crd.Name, v1beta2.CRDName)
	}
	i := slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Name == v1beta2.GroupVersion.Version
	})
	if i < 0 {
		return 0, fmt.Errorf("the CRD %s has no version %s", crd.Name, v1beta2.GroupVersion.Version)
	}
	if len(statusSchema(crd.Spec.Versions[i]).Properties) == 0 {
		return 0, fmt.Errorf("version %s of the CRD %s has no schema of status", v1beta2.GroupVersion.Version, crd.Name)
	}
	return i, nil
}

func statusSchema(version apiextensionsv1.CustomResourceDefinitionVersion) apiextensionsv1.JSONSchemaProps {
	if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return apiextensionsv1.JSONSchemaProps{}
	}
	return version.Schema.OpenAPIV3Schema.Properties["status"]
}
