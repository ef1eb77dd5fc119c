package envtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/install"
)

const crdName = "customresourcedefinition/" + v1beta2.CRDName

var _ = Describe("the installer", Ordered, func() {
	It("names what a bare operator's cluster lacks", func() {
		Expect(bare).To(Equal(lines(
			"missing status.diagnostics in "+crdName,
			"missing status.conditions in "+crdName,
			"missing column Reason in "+crdName,
			"missing column Exit in "+crdName,
			"missing column Message in "+crdName,
			"missing mutatingadmissionpolicy/spark-status-enricher-keep-status",
			"missing mutatingadmissionpolicybinding/spark-status-enricher-keep-status",
			"missing validatingadmissionpolicy/spark-status-enricher-fence-pods",
			"missing validatingadmissionpolicybinding/spark-status-enricher-fence-pods",
			"missing validatingadmissionpolicy/spark-status-enricher-fence-status",
			"missing validatingadmissionpolicybinding/spark-status-enricher-fence-status",
			"missing validatingadmissionpolicy/spark-status-enricher-fence-events",
			"missing validatingadmissionpolicybinding/spark-status-enricher-fence-events",
			"missing validatingadmissionpolicy/spark-status-enricher-fence-webhooks",
			"missing validatingadmissionpolicybinding/spark-status-enricher-fence-webhooks",
		)))
	})

	It("prints what it did, then finds all there", func(ctx SpecContext) {
		Expect(installed).To(HavePrefix(crdName +
			" added status.diagnostics, status.conditions, column Reason, column Exit, column Message\n"))
		Expect(strings.Count(installed, " created\n")).To(Equal(14), installed)
		out, err := runInstaller(ctx, (*install.Installer).Check, install.Features)
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(Equal("complete\n"))
	})

	It("changes nothing a second time", func(ctx SpecContext) {
		out, err := runInstaller(ctx, (*install.Installer).Install, install.Features)
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(out, " unchanged\n")).To(Equal(15), out)
	})

	It("leaves no text in a policy that the API server warns of", func(ctx SpecContext) {
		for _, kind := range []string{"MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"} {
			for _, policy := range policiesOfKind(ctx, kind) {
				Expect(policy.Object).NotTo(HaveKeyWithValue("status", HaveKey("typeChecking")), policy.GetName())
			}
		}
	})

	It("mends the CRD that an upgrade of the operator has put back", func(ctx SpecContext) {
		operatorUpgrade(ctx)
		crd := &apiextensionsv1.CustomResourceDefinition{}
		Expect(kube.Get(ctx, client.ObjectKey{Name: v1beta2.CRDName}, crd)).To(Succeed())
		Expect(install.MissingFields(crd)).To(Equal([]string{"status.conditions", "status.diagnostics"}))

		dry, err := runDry(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(dry).To(HavePrefix(crdName + " added status.diagnostics, "))
		Expect(dry).To(HaveSuffix(" (dry run)\n"))
		_, err = runInstaller(ctx, (*install.Installer).Check, nil)
		Expect(err).To(MatchError(install.ErrIncomplete))

		_, err = runInstaller(ctx, (*install.Installer).Install, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(kube.Get(ctx, client.ObjectKey{Name: v1beta2.CRDName}, crd)).To(Succeed())
		Expect(install.MissingFields(crd)).To(BeEmpty())
	})

	It("tells a policy that somebody has changed", func(ctx SpecContext) {
		policy := policiesOfKind(ctx, "MutatingAdmissionPolicy")[0]
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec": {"failurePolicy": "Fail"}}`))
		Expect(kube.Patch(ctx, &policy, patch)).To(Succeed())
		out, err := runInstaller(ctx, (*install.Installer).Check, install.Features)
		Expect(err).To(MatchError(install.ErrIncomplete))
		Expect(out).To(Equal("outdated mutatingadmissionpolicy/" + policy.GetName() + "\n"))
		out, err = runInstaller(ctx, (*install.Installer).Install, install.Features)
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(ContainSubstring("mutatingadmissionpolicy/" + policy.GetName() + " configured\n"))
	})

	It("frees the pods that the finalizer holds and takes away only that feature", func(ctx SpecContext) {
		pod := newPod(ctx, driverPod("held-"))
		Expect(pod.Finalizers).To(ContainElement(v1beta2.FinalizerCapture))
		relabelled := newPod(ctx, driverPod("relabelled-"))
		Expect(patchPod(ctx, kube, relabelled, `{"metadata": {"labels": {"spark-role": null}}}`)).To(Succeed())
		out, err := runInstaller(ctx, (*install.Installer).Remove, []install.Feature{install.FeatureFinalizer})
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(ContainSubstring("pod/" + namespace + "/" + pod.Name + " released\n"))
		Expect(kube.Get(ctx, client.ObjectKeyFromObject(pod), pod)).To(Succeed())
		Expect(pod.Finalizers).To(Equal([]string{"example.com/other"}))
		Expect(kube.Get(ctx, client.ObjectKeyFromObject(relabelled), relabelled)).To(Succeed())
		Expect(relabelled.Finalizers).To(Equal([]string{"example.com/other"}))
		out, err = runInstaller(ctx, (*install.Installer).Check, nil)
		Expect(err).NotTo(HaveOccurred(), out)
	})

	It("takes everything away", func(ctx SpecContext) {
		DeferCleanup(func(ctx SpecContext) {
			_, err := runInstaller(ctx, (*install.Installer).Install, install.Features)
			Expect(err).NotTo(HaveOccurred())
			awaitPolicies(ctx)
		})
		_, err := runInstaller(ctx, (*install.Installer).Remove, nil)
		Expect(err).NotTo(HaveOccurred())
		out, err := runInstaller(ctx, (*install.Installer).Check, nil)
		Expect(err).To(MatchError(install.ErrIncomplete))
		Expect(out).To(Equal(bare))
	})
})

// operatorUpgrade applies the operator's own CRD as its chart's upgrade hook does.
func operatorUpgrade(ctx context.Context) {
	GinkgoHelper()
	data, err := os.ReadFile(filepath.Join(operatorCRDs(), "sparkoperator.k8s.io_sparkapplications.yaml"))
	Expect(err).NotTo(HaveOccurred())
	object := emptyObject("apiextensions.k8s.io/v1", "CustomResourceDefinition")
	Expect(yaml.Unmarshal(data, &object.Object)).To(Succeed())
	Expect(kube.Apply(ctx, client.ApplyConfigurationFromUnstructured(object),
		client.FieldOwner("kubectl"), client.ForceOwnership)).To(Succeed())
}

func lines(of ...string) string { return strings.Join(of, "\n") + "\n" }
