package install

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/spark-status-enricher/enricher/config"
)

// Feature is a policy that is not installed by default.
type Feature string

// The features.
const (
	// FeatureFinalizer holds driver pods until their failure is recorded.
	FeatureFinalizer Feature = "finalizer"
	// FeatureTerminationMessage has the kubelet keep the end of a failed driver's log.
	FeatureTerminationMessage Feature = "termination-message"
)

// Features lists every feature.
var Features = []Feature{FeatureFinalizer, FeatureTerminationMessage}

const (
	// fenceKind is the kind of the policies of fenceFile, and of no others.
	fenceKind      = "ValidatingAdmissionPolicy"
	fenceFile      = "admission/fence.yaml"
	keepStatusFile = "admission/keep-status.yaml"
	// The webhooks stand in for keep-status and for the policies of all features.
	keepStatusWebhookFile = "webhook/common/keep-status.yaml"
	driverPodsWebhookFile = "webhook/driver-pods/driver-pods.yaml"
)

var featureFiles = map[Feature]string{
	FeatureFinalizer:          "admission/driver-finalizer.yaml",
	FeatureTerminationMessage: "admission/driver-termination-message.yaml",
}

// basePolicies are what every cluster gets: keep-status, and the fence around the enricher's service account.
func (o Options) basePolicies() ([]*unstructured.Unstructured, error) {
	if o.Webhook {
		return o.objects(keepStatusWebhookFile, fenceFile)
	}
	return o.objects(keepStatusFile, fenceFile)
}

// featurePolicies are the policies of the features asked for, bound to the watched namespaces.
func (o Options) featurePolicies(features ...Feature) ([]*unstructured.Unstructured, error) {
	var files []string
	for _, feature := range features {
		file, known := featureFiles[feature]
		if !known {
			return nil, fmt.Errorf("unknown feature %q, want one of %v", feature, Features)
		}
		files = append(files, file)
	}
	if o.Webhook && len(files) > 0 {
		files = []string{driverPodsWebhookFile}
	}
	objects, err := o.objects(files...)
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		if err := o.bindToNamespaces(object); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

func (o Options) objects(files ...string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, file := range files {
		data, err := config.Files.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the manifest %s: %w", file, err)
		}
		of, err := decode(string(data))
		if err != nil {
			return nil, fmt.Errorf("decoding the manifest %s: %w", file, err)
		}
		for _, object := range of {
			if err := o.pointAtAccount(object); err != nil {
				return nil, fmt.Errorf("completing the manifest %s: %w", file, err)
			}
		}
		objects = append(objects, of...)
	}
	return objects, nil
}

// pointAtAccount has a fence surround the enricher's account, and a webhook call the namespace that it runs in.
func (o Options) pointAtAccount(object *unstructured.Unstructured) error {
	if object.GetKind() == fenceKind {
		return surround(object, o.ServiceAccount)
	}
	return o.callService(object)
}

func decode(text string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// bindToNamespaces narrows a binding or a webhook to the watched namespaces.
func (o Options) bindToNamespaces(object *unstructured.Unstructured) error {
	if len(o.Namespaces) == 0 {
		return nil
	}
	values := make([]any, 0, len(o.Namespaces))
	for _, namespace := range o.Namespaces {
		values = append(values, namespace)
	}
	selector := []any{map[string]any{"key": "kubernetes.io/metadata.name", "operator": "In", "values": values}}
	switch object.GetKind() {
	case "MutatingAdmissionPolicyBinding":
		return unstructured.SetNestedSlice(object.Object, selector,
			"spec", "matchResources", "namespaceSelector", "matchExpressions")
	case webhookKind:
		return eachWebhook(object, func(webhook map[string]any) error {
			return unstructured.SetNestedSlice(webhook, selector, "namespaceSelector", "matchExpressions")
		})
	}
	return nil
}

// covers is true if everything that wanted says is so in present, which may say more, as by the server's defaults.
func covers(wanted, present any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		present, ok := present.(map[string]any)
		for key, value := range wanted {
			ok = ok && covers(value, present[key])
		}
		return ok
	case []any:
		present, ok := present.([]any)
		if !ok || len(present) != len(wanted) {
			return false
		}
		for i := range wanted {
			ok = ok && covers(wanted[i], present[i])
		}
		return ok
	default:
		return wanted == present
	}
}

// ParseFeature returns the feature of that name.
func ParseFeature(name string) (Feature, error) {
	if feature := Feature(name); slices.Contains(Features, feature) {
		return feature, nil
	}
	return "", fmt.Errorf("unknown feature %q, want one of %v", name, Features)
}
