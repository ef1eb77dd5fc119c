package envtest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/pkg/enricher/install"
)

var _ = Describe("the enricher in a namespace of an overlay", func() {
	const (
		moved   = "system:serviceaccount:spark-tools:spark-status-enricher"
		renamed = "system:serviceaccount:spark-tools:prod-spark-status-enricher"
	)

	It("has the rights of config/webhook there", func() {
		subjects := 0
		for _, object := range overlayOf("webhook", GinkgoT().TempDir(), "namespace: spark-tools\n") {
			of, _, err := unstructured.NestedSlice(object.Object, "subjects")
			Expect(err).NotTo(HaveOccurred())
			for _, subject := range of {
				subjects++
				Expect(subject).To(HaveKeyWithValue("namespace", "spark-tools"), object.GetName())
			}
		}
		Expect(subjects).To(Equal(4))
	})

	It("is surrounded by the fence that comes with it", func(ctx SpecContext) {
		for _, object := range overlay(GinkgoT().TempDir(), "namespace: spark-tools\n") {
			if object.GetKind() == "ValidatingAdmissionPolicy" || object.GetKind() == "ClusterRoleBinding" {
				applyUntilEnd(ctx, object)
			}
		}
		awaitFence(ctx, moved)
		out, err := check(ctx, install.Options{Features: install.Features, ServiceAccount: install.DefaultServiceAccount})
		Expect(err).NotTo(HaveOccurred(), out)
		out, err = check(ctx, install.Options{Features: install.Features})
		Expect(err).NotTo(HaveOccurred(), out)
	})

	It("is found unfenced where the fence is about another account", func(ctx SpecContext) {
		for _, object := range overlay(GinkgoT().TempDir(), "namespace: spark-tools\nnamePrefix: prod-\n") {
			if object.GetKind() == "ClusterRoleBinding" {
				applyUntilEnd(ctx, object)
			}
		}
		for _, options := range []install.Options{
			{Features: install.Features, ServiceAccount: install.DefaultServiceAccount}, {Features: install.Features},
		} {
			out, err := check(ctx, options)
			Expect(err).To(MatchError(install.ErrIncomplete))
			Expect(out).To(ContainSubstring("unfenced serviceaccount/spark-tools/prod-spark-status-enricher: " +
				"validatingadmissionpolicy/spark-status-enricher-fence-pods is about another"))
		}
	})

	It("is fenced by the installer, which finds the account by its rights", func(ctx SpecContext) {
		DeferCleanup(func(ctx SpecContext) {
			_, err := runInstaller(ctx, (*install.Installer).Install, install.Features)
			Expect(err).NotTo(HaveOccurred())
			awaitPolicies(ctx)
		})
		for _, object := range overlay(GinkgoT().TempDir(), "namespace: spark-tools\nnamePrefix: prod-\n") {
			if object.GetKind() == "ClusterRoleBinding" {
				applyUntilEnd(ctx, object)
			}
		}
		options := install.Options{Features: install.Features}
		Expect((&install.Installer{Client: kube, Out: GinkgoWriter, Options: options}).Install(ctx)).To(Succeed())
		awaitFence(ctx, renamed)
		out, err := check(ctx, options)
		Expect(err).NotTo(HaveOccurred(), out)
	})
})

func check(ctx context.Context, options install.Options) (string, error) {
	out := &bytes.Buffer{}
	err := (&install.Installer{Client: kube, Out: out, Options: options}).Check(ctx)
	return out.String(), err
}

// awaitFence waits until the API server refuses the account what the fence forbids.
func awaitFence(ctx context.Context, username string) {
	GinkgoHelper()
	config := impersonate(environment.Config)
	config.Impersonate.UserName = username
	account := newClient(config)
	Eventually(ctx, func() error { return account.Create(ctx, driverPod("fenced-"), client.DryRunAll) }).
		WithTimeout(eventual / 3).WithPolling(poll).Should(MatchError(ContainSubstring("may only patch pods")))
}

// overlay builds a kustomization of one's own on config/default.
func overlay(folder, changes string) []*unstructured.Unstructured {
	GinkgoHelper()
	return overlayOf("default", folder, changes)
}

func overlayOf(of, folder, changes string) []*unstructured.Unstructured {
	GinkgoHelper()
	base, err := filepath.Abs(filepath.Join(configFolder, of))
	Expect(err).NotTo(HaveOccurred())
	folder, err = filepath.EvalSymlinks(folder)
	Expect(err).NotTo(HaveOccurred())
	relative, err := filepath.Rel(folder, base)
	Expect(err).NotTo(HaveOccurred())
	text := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [" + relative + "]\n" + changes
	Expect(os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600)).To(Succeed())
	return kustomizeAt(folder)
}

// applyUntilEnd applies the object, and afterwards puts back what was there.
func applyUntilEnd(ctx context.Context, object *unstructured.Unstructured) {
	GinkgoHelper()
	before := emptyObject(object.GetAPIVersion(), object.GetKind())
	err := kube.Get(ctx, client.ObjectKeyFromObject(object), before)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	Expect(kube.Apply(ctx, client.ApplyConfigurationFromUnstructured(object.DeepCopy()),
		client.FieldOwner("test"), client.ForceOwnership)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		if err != nil {
			Expect(kube.Delete(ctx, object)).To(Succeed())
			return
		}
		spec, err := yaml.Marshal(map[string]any{"spec": before.Object["spec"]})
		Expect(err).NotTo(HaveOccurred())
		spec, err = yaml.YAMLToJSON(spec)
		Expect(err).NotTo(HaveOccurred())
		Expect(kube.Patch(ctx, object, client.RawPatch("application/merge-patch+json", spec))).To(Succeed())
	})
}
