package install

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	jsonpatch "gomodules.xyz/jsonpatch/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Check changes nothing. It prints what Install would add, one line each, and which account has the enricher's rights
// without the fence around it, and returns ErrIncomplete if there is any.
func (i *Installer) Check(ctx context.Context) error {
	crd, err := i.crd(ctx)
	if err != nil {
		return err
	}
	operations, err := CRDPatch(crd)
	if err != nil {
		return err
	}
	lacks := describePatch(crd, operations)
	for _, lack := range lacks {
		fmt.Fprintln(i.Out, "missing", lack, "in customresourcedefinition/"+crd.Name)
	}
	faults, err := i.policyFaults(ctx)
	if err != nil {
		return err
	}
	for _, fault := range faults {
		fmt.Fprintln(i.Out, fault)
	}
	if len(lacks)+len(faults) > 0 {
		return ErrIncomplete
	}
	fmt.Fprintln(i.Out, "complete")
	return nil
}

// policyFaults tells of the policies that are not as they should be, and of accounts without a fence.
func (i *Installer) policyFaults(ctx context.Context) ([]string, error) {
	bound, err := i.boundAccounts(ctx)
	if err != nil {
		return nil, err
	}
	policies, err := i.policies(bound)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, policy := range policies {
		faults, err := i.faults(ctx, policy, bound)
		if err != nil {
			return nil, err
		}
		all = append(all, faults...)
	}
	return all, nil
}

// faults of a policy: none where it is as it should be or the API server has no such kind.
func (i *Installer) faults(ctx context.Context, policy *unstructured.Unstructured, bound []types.NamespacedName) ([]string, error) {
	if absent, err := i.kindAbsent(policy); absent || err != nil {
		return nil, err
	}
	present := &unstructured.Unstructured{}
	present.SetGroupVersionKind(policy.GroupVersionKind())
	err := i.Client.Get(ctx, client.ObjectKeyFromObject(policy), present)
	switch {
	case apierrors.IsNotFound(err):
		return []string{"missing " + nameOf(policy)}, nil
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", nameOf(policy), err)
	}
	var faults []string
	if !covers(content(policy), content(present)) {
		faults = append(faults, "outdated "+nameOf(policy))
	}
	if policy.GetKind() != fenceKind {
		return faults, nil
	}
	open, err := unfenced(present, bound)
	return append(faults, open...), err
}

// describePatch names what the operations of a patch of crd are about.
func describePatch(crd *apiextensionsv1.CustomResourceDefinition, operations []jsonpatch.Operation) []string {
	var subjects []string
	for _, operation := range operations {
		switch value := operation.Value.(type) {
		case apiextensionsv1.JSONSchemaProps:
			subjects = append(subjects, "status."+lastOf(operation.Path))
		case apiextensionsv1.CustomResourceColumnDefinition:
			subjects = append(subjects, "column "+value.Name)
		case []apiextensionsv1.CustomResourceColumnDefinition:
			for _, column := range value {
				subjects = append(subjects, "column "+column.Name)
			}
		case nil:
			subjects = append(subjects, removedSubject(crd, operation.Path))
		}
	}
	return subjects
}

func removedSubject(crd *apiextensionsv1.CustomResourceDefinition, path string) string {
	at, err := strconv.Atoi(lastOf(path))
	if err != nil {
		return "status." + lastOf(path)
	}
	version, err := versionIndex(crd)
	if err != nil {
		return path
	}
	return "column " + crd.Spec.Versions[version].AdditionalPrinterColumns[at].Name
}

func lastOf(path string) string {
	return path[strings.LastIndex(path, "/")+1:]
}
