// Package webhook serves the mutations of the admission policies on clusters that have no such policies: Kubernetes
// before 1.36.
package webhook

import (
	"context"

	jsonpatch "gomodules.xyz/jsonpatch/v2"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
)

// Paths that the API server calls.
const (
	PathKeepStatus = "/keep-status"
	PathDriverPods = "/driver-pods"
)

// handlers are the webhooks by their paths.
func handlers(cfg *configv1alpha1.EnricherConfiguration) map[string]*admission.Webhook {
	drivers := driverPods{
		captureFinalizer: *cfg.CaptureFinalizer, terminationMessage: *cfg.TerminationMessage, namespaces: cfg.Namespaces,
	}
	return map[string]*admission.Webhook{
		PathKeepStatus: mutating(func(req admission.Request) ([]jsonpatch.Operation, error) {
			return keepStatus(req.Object.Raw, req.OldObject.Raw)
		}),
		PathDriverPods: mutating(func(req admission.Request) ([]jsonpatch.Operation, error) {
			return drivers.mutate(req.Namespace, req.Object.Raw)
		}),
	}
}

// mutating makes a webhook that never refuses a write. It does not recover from a panic either: that would be an
// answer, and a refusal, where a broken connection is a failure that failurePolicy: Ignore passes over.
func mutating(mutate func(admission.Request) ([]jsonpatch.Operation, error)) *admission.Webhook {
	handle := func(ctx context.Context, req admission.Request) admission.Response {
		operations, err := mutate(req)
		if err != nil {
			log.FromContext(ctx).Error(err, "Left a write or a part of it as it is")
		}
		return admission.Patched("", operations...)
	}
	return &admission.Webhook{Handler: admission.HandlerFunc(handle), RecoverPanic: ptr.To(false)}
}
