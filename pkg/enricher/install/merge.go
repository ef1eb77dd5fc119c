package install

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	evanphx "github.com/evanphx/json-patch/v5"
	jsonpatch "gomodules.xyz/jsonpatch/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// MergeCRD returns the SparkApplication CRD found in source, a YAML or JSON text of one or more documents, with the
// enricher's fields and columns, as YAML. Everything else in the CRD stays as it is.
func MergeCRD(source []byte) ([]byte, error) {
	document, err := findCRD(source)
	if err != nil {
		return nil, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(document, &crd); err != nil {
		return nil, fmt.Errorf("decoding the CRD: %w", err)
	}
	operations, err := CRDPatch(&crd)
	if err != nil {
		return nil, err
	}
	if len(operations) > 0 {
		if document, err = applyPatch(document, operations); err != nil {
			return nil, err
		}
	}
	return yaml.JSONToYAML(document)
}

// Manifest returns a live CRD as one would write it: without what the API server adds.
func Manifest(crd *apiextensionsv1.CustomResourceDefinition) ([]byte, error) {
	manifest := struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        struct {
			Name        string            `json:"name"`
			Labels      map[string]string `json:"labels,omitempty"`
			Annotations map[string]string `json:"annotations,omitempty"`
		} `json:"metadata"`
		Spec apiextensionsv1.CustomResourceDefinitionSpec `json:"spec"`
	}{Spec: crd.Spec}
	manifest.APIVersion, manifest.Kind = apiextensionsv1.SchemeGroupVersion.String(), "CustomResourceDefinition"
	manifest.Metadata.Name, manifest.Metadata.Labels, manifest.Metadata.Annotations = crd.Name, crd.Labels, crd.Annotations
	data, err := json.Marshal(manifest)
	if err != nil {
		return nil, fmt.Errorf("encoding the CRD: %w", err)
	}
	return data, nil
}

// findCRD returns the SparkApplication CRD among the documents of source as JSON.
func findCRD(source []byte) ([]byte, error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(source)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("no CRD %s in the input", v1beta2.CRDName)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the CRD: %w", err)
		}
		data, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, fmt.Errorf("decoding the CRD: %w", err)
		}
		var head metav1.PartialObjectMetadata
		if json.Unmarshal(data, &head) == nil && head.Kind == "CustomResourceDefinition" && head.Name == v1beta2.CRDName {
			return data, nil
		}
	}
}

func applyPatch(document []byte, operations []jsonpatch.Operation) ([]byte, error) {
	encoded, err := encodePatch(operations)
	if err != nil {
		return nil, err
	}
	patch, err := evanphx.DecodePatch(encoded)
	if err != nil {
		return nil, fmt.Errorf("decoding the patch of the CRD: %w", err)
	}
	patched, err := patch.Apply(document)
	if err != nil {
		return nil, fmt.Errorf("patching the CRD: %w", err)
	}
	return patched, nil
}
