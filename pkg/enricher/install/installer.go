package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	jsonpatch "gomodules.xyz/jsonpatch/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// fieldOwner of what is applied on the server's side.
const fieldOwner = client.FieldOwner("spark-status-enricher-install")

// ErrIncomplete is what Check returns if anything is missing.
var ErrIncomplete = errors.New("the installation is not complete; enricher install completes it")

// Options say what to install, and how.
type Options struct {
	// DryRun has the server check every change and make none.
	DryRun bool
	// Webhook has the enricher's webhook stand in for the mutating policies, on clusters without them.
	Webhook bool
	// Features beside what every cluster gets. Remove with features takes only those away.
	Features []Feature
	// Namespaces that features are bound to; empty means all.
	Namespaces []string
	// ServiceAccount that the fence surrounds; empty means the one that the enricher's ClusterRole is bound to.
	ServiceAccount types.NamespacedName
	// Settle is how long to wait after the finalizer's policy is gone until every API server has noticed.
	Settle time.Duration
}

// Installer changes a cluster and prints one line for each thing that it did.
type Installer struct {
	Client  client.Client
	Out     io.Writer
	Options Options
}

// AddToScheme adds what the installer's client reads.
func AddToScheme(scheme *runtime.Scheme) error {
	return apiextensionsv1.AddToScheme(scheme)
}

// Install brings the fields into the CRD and applies the policies. It may be repeated.
func (i *Installer) Install(ctx context.Context) error {
	if err := i.ExtendCRD(ctx); err != nil {
		return err
	}
	bound, err := i.boundAccounts(ctx)
	if err != nil {
		return err
	}
	policies, err := i.policies(bound)
	if err != nil {
		return err
	}
	for _, policy := range policies {
		if err := i.apply(ctx, policy); err != nil {
			return err
		}
	}
	return nil
}

// policies are those asked for; bound are the accounts that have the enricher's rights.
func (i *Installer) policies(bound []types.NamespacedName) ([]*unstructured.Unstructured, error) {
	options := i.Options
	options.ServiceAccount = accountOf(options.ServiceAccount, bound)
	base, err := options.basePolicies()
	if err != nil {
		return nil, err
	}
	features, err := options.featurePolicies(options.Features...)
	return append(base, features...), err
}

func (i *Installer) crd(ctx context.Context) (*apiextensionsv1.CustomResourceDefinition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	err := i.Client.Get(ctx, client.ObjectKey{Name: v1beta2.CRDName}, crd)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("the CRD %s is not there: install the spark-operator first: %w", v1beta2.CRDName, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the CRD %s: %w", v1beta2.CRDName, err)
	}
	return crd, nil
}

// ExtendCRD brings the fields and columns into the live CRD, and nothing else. It may be repeated.
func (i *Installer) ExtendCRD(ctx context.Context) error {
	crd, err := i.crd(ctx)
	if err != nil {
		return err
	}
	operations, err := CRDPatch(crd)
	if err != nil {
		return err
	}
	return i.patchCRD(ctx, crd, operations, "added")
}

func (i *Installer) patchCRD(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition, operations []jsonpatch.Operation, done string) error {
	if len(operations) == 0 {
		i.say("customresourcedefinition/"+crd.Name, "unchanged")
		return nil
	}
	patch, err := encodePatch(operations)
	if err != nil {
		return err
	}
	options := []client.PatchOption{}
	if i.Options.DryRun {
		options = append(options, client.DryRunAll)
	}
	if err := i.Client.Patch(ctx, crd.DeepCopy(), client.RawPatch(types.JSONPatchType, patch), options...); err != nil {
		return fmt.Errorf("patching the CRD %s: %w", crd.Name, err)
	}
	i.say("customresourcedefinition/"+crd.Name, done+" "+strings.Join(describePatch(crd, operations), ", "))
	return nil
}

func (i *Installer) apply(ctx context.Context, policy *unstructured.Unstructured) error {
	if absent, err := i.kindAbsent(policy); absent || err != nil {
		return err
	}
	before := &unstructured.Unstructured{}
	before.SetGroupVersionKind(policy.GroupVersionKind())
	err := i.Client.Get(ctx, client.ObjectKeyFromObject(policy), before)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading %s: %w", nameOf(policy), err)
	}
	done := "configured"
	switch {
	case apierrors.IsNotFound(err):
		done = "created"
	case covers(content(policy), content(before)):
		i.say(nameOf(policy), "unchanged")
		return nil
	}
	options := []client.ApplyOption{fieldOwner, client.ForceOwnership}
	if i.Options.DryRun {
		options = append(options, client.DryRunAll)
	}
	if err := i.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(policy), options...); err != nil {
		return fmt.Errorf("applying %s: %w", nameOf(policy), err)
	}
	i.say(nameOf(policy), done)
	return nil
}

// kindAbsent is true, and says so, where the API server does not have the policy's kind.
func (i *Installer) kindAbsent(policy *unstructured.Unstructured) (bool, error) {
	absent, err := i.lacksKind(policy)
	if absent {
		i.say(nameOf(policy), "skipped: this API server has no "+policy.GetKind()+instead(policy.GetKind()))
	}
	return absent, err
}

// instead tells what to do where a kind is absent.
func instead(kind string) string {
	if strings.HasPrefix(kind, "Mutating") {
		return " v1 (Kubernetes 1.36 and later have); use enricher install --webhook instead"
	}
	return " v1 (Kubernetes 1.30 and later have)"
}

func (i *Installer) lacksKind(policy *unstructured.Unstructured) (bool, error) {
	gvk := policy.GroupVersionKind()
	_, err := i.Client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking the API server for %s: %w", gvk.Kind, err)
	}
	return false, nil
}

func (i *Installer) say(object, done string) {
	if i.Options.DryRun {
		done += " (dry run)"
	}
	fmt.Fprintln(i.Out, object, done)
}

func nameOf(object *unstructured.Unstructured) string {
	return strings.ToLower(object.GetKind()) + "/" + object.GetName()
}
