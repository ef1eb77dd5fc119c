package install

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const webhookKind = "MutatingWebhookConfiguration"

// callService points a webhook at the namespace that the enricher runs in.
func (o Options) callService(object *unstructured.Unstructured) error {
	if object.GetKind() != webhookKind {
		return nil
	}
	return eachWebhook(object, func(webhook map[string]any) error {
		return unstructured.SetNestedField(webhook, o.ServiceAccount.Namespace, "clientConfig", "service", "namespace")
	})
}

func eachWebhook(object *unstructured.Unstructured, change func(webhook map[string]any) error) error {
	webhooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
	if err != nil {
		return err
	}
	for i := range webhooks {
		webhook, ok := webhooks[i].(map[string]any)
		if !ok {
			return fmt.Errorf("webhooks[%d] is no object", i)
		}
		if err := change(webhook); err != nil {
			return fmt.Errorf("webhooks[%d]: %w", i, err)
		}
	}
	return unstructured.SetNestedSlice(object.Object, webhooks, "webhooks")
}

// content is what a policy or webhook says: everything but who it is and what became of it.
func content(object *unstructured.Unstructured) map[string]any {
	said := map[string]any{}
	for key, value := range object.Object {
		switch key {
		case "apiVersion", "kind", "metadata", "status":
		default:
			said[key] = value
		}
	}
	return said
}
