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
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Check changes nothing. It prints what Install would add, one line each, and returns ErrIncomplete if there is any.
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
	policies, err := i.policies()
	if err != nil {
		return err
	}
	complete := len(lacks) == 0
	for _, policy := range policies {
		fault, err := i.fault(ctx, policy)
		if err != nil {
			return err
		}
		if fault != "" {
			fmt.Fprintln(i.Out, fault, nameOf(policy))
			complete = false
		}
	}
	if !complete {
		return ErrIncomplete
	}
	fmt.Fprintln(i.Out, "complete")
	return nil
}

// fault is "missing" or "outdated", or "" where the policy is as it should be or the API server has no such kind.
func (i *Installer) fault(ctx context.Context, policy *unstructured.Unstructured) (string, error) {
	if absent, err := i.kindAbsent(policy); absent || err != nil {
		return "", err
	}
	present := &unstructured.Unstructured{}
	present.SetGroupVersionKind(policy.GroupVersionKind())
	err := i.Client.Get(ctx, client.ObjectKeyFromObject(policy), present)
	switch {
	case apierrors.IsNotFound(err):
		return "missing", nil
	case err != nil:
		return "", fmt.Errorf("reading %s: %w", nameOf(policy), err)
	case !covers(content(policy), content(present)):
		return "outdated", nil
	}
	return "", nil
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
