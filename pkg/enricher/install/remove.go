package install

import (
	"context"
	"fmt"
	"slices"
	"time"

	jsonpatch "gomodules.xyz/jsonpatch/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

var podGVK = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}

// podPage bounds how many pods one answer of the API server holds.
const podPage = 500

// Remove undoes Install: the features' policies, then the finalizers on pods, then the other policies and the fields
// in the CRD. With Options.Features it only takes those features away. Webhooks go as policies do, whether or not
// Options.Webhook is set; the one for driver pods serves all features and goes with any of them.
func (i *Installer) Remove(ctx context.Context) error {
	features := i.Options.Features
	if len(features) == 0 {
		features = Features
	}
	files := []string{driverPodsWebhookFile}
	for _, feature := range features {
		files = append(files, featureFiles[feature])
	}
	policies, err := i.Options.objects(files...)
	if err != nil {
		return err
	}
	if err := i.deletePolicies(ctx, policies); err != nil {
		return err
	}
	if slices.Contains(features, FeatureFinalizer) {
		if err := i.releasePods(ctx); err != nil {
			return err
		}
	}
	if len(i.Options.Features) > 0 {
		return nil
	}
	return i.removeBase(ctx)
}

func (i *Installer) removeBase(ctx context.Context) error {
	policies, err := i.Options.objects(keepStatusFile, keepStatusWebhookFile, fenceFile)
	if err != nil {
		return err
	}
	if err := i.deletePolicies(ctx, policies); err != nil {
		return err
	}
	crd, err := i.crd(ctx)
	if apierrors.IsNotFound(err) {
		return nil // the operator went first, and its CRD with it
	}
	if err != nil {
		return err
	}
	operations, err := CRDRemovalPatch(crd)
	if err != nil {
		return err
	}
	return i.patchCRD(ctx, crd, operations, "removed")
}

// deletePolicies deletes in reverse order: a binding before its policy.
func (i *Installer) deletePolicies(ctx context.Context, policies []*unstructured.Unstructured) error {
	for _, policy := range slices.Backward(policies) {
		absent, err := i.lacksKind(policy)
		if err != nil {
			return err
		}
		if absent {
			continue
		}
		var options []client.DeleteOption
		if i.Options.DryRun {
			options = append(options, client.DryRunAll)
		}
		err = i.Client.Delete(ctx, policy, options...)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("deleting %s: %w", nameOf(policy), err)
		}
		i.say(nameOf(policy), "deleted")
	}
	return nil
}

// releasePods takes the finalizer off every pod, and again after Settle: an API server that has not noticed yet that
// the policy is gone still puts it on new pods.
func (i *Installer) releasePods(ctx context.Context) error {
	if err := i.releasePass(ctx); err != nil {
		return err
	}
	if i.Options.DryRun {
		return nil
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("waiting for the API servers to notice: %w", ctx.Err())
	case <-time.After(i.Options.Settle):
	}
	return i.releasePass(ctx)
}

// releasePass looks at every pod of the cluster, since one that is held may have lost the labels of a driver.
func (i *Installer) releasePass(ctx context.Context) error {
	pods := &metav1.PartialObjectMetadataList{}
	for {
		pods.SetGroupVersionKind(podGVK.GroupVersion().WithKind("PodList"))
		if err := i.Client.List(ctx, pods, client.Limit(podPage), client.Continue(pods.Continue)); err != nil {
			return fmt.Errorf("listing pods: %w", err)
		}
		for at := range pods.Items {
			if err := i.releasePod(ctx, &pods.Items[at]); err != nil {
				return err
			}
		}
		if pods.Continue == "" {
			return nil
		}
	}
}

func (i *Installer) releasePod(ctx context.Context, pod *metav1.PartialObjectMetadata) error {
	operations := releasePatch(pod)
	if operations == nil {
		return nil
	}
	patch, err := encodePatch(operations)
	if err != nil {
		return err
	}
	var options []client.PatchOption
	if i.Options.DryRun {
		options = append(options, client.DryRunAll)
	}
	pod.SetGroupVersionKind(podGVK)
	err = i.Client.Patch(ctx, pod, client.RawPatch(types.JSONPatchType, patch), options...)
	// Gone, or changed meanwhile: the second pass sees what is left.
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("releasing pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	i.say("pod/"+pod.Namespace+"/"+pod.Name, "released")
	return nil
}

// releasePatch takes the finalizer off this very pod; nil where it has none.
func releasePatch(pod *metav1.PartialObjectMetadata) []jsonpatch.Operation {
	at := slices.Index(pod.Finalizers, v1beta2.FinalizerCapture)
	if at < 0 {
		return nil
	}
	path := fmt.Sprintf("/metadata/finalizers/%d", at)
	return []jsonpatch.Operation{
		jsonpatch.NewOperation("test", "/metadata/uid", string(pod.UID)),
		jsonpatch.NewOperation("test", path, v1beta2.FinalizerCapture),
		jsonpatch.NewOperation("remove", path, nil),
	}
}
