package envtest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/webhook"
)

const configFolder = "../../../../config"

var _ = Describe("the manifests", func() {
	It("of a default installation are accepted by the API server", func(ctx SpecContext) {
		own := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "spark-status-enricher"}}
		Expect(kube.Create(ctx, own)).To(Succeed())
		kinds := map[string]int{}
		for _, object := range kustomize("default") {
			kinds[object.GetKind()]++
			Expect(kube.Apply(ctx, client.ApplyConfigurationFromUnstructured(object),
				client.FieldOwner("test"), client.ForceOwnership, client.DryRunAll)).To(Succeed(), object.GetName())
		}
		Expect(kinds).To(Equal(map[string]int{
			"Namespace": 1, "ServiceAccount": 1, "ClusterRole": 1, "ClusterRoleBinding": 1, "Role": 1, "RoleBinding": 1,
			"ConfigMap": 1, "Deployment": 1, "PodDisruptionBudget": 1,
			"MutatingAdmissionPolicy": 1, "MutatingAdmissionPolicyBinding": 1,
			"ValidatingAdmissionPolicy": 4, "ValidatingAdmissionPolicyBinding": 4,
		}))
	})

	It("of an installation with the webhook are accepted by the API server", func(ctx SpecContext) {
		kinds := map[string]int{}
		for _, object := range kustomize("webhook") {
			kinds[object.GetKind()]++
			if object.GetNamespace() == "" {
				Expect(kube.Apply(ctx, client.ApplyConfigurationFromUnstructured(object),
					client.FieldOwner("test"), client.ForceOwnership, client.DryRunAll)).To(Succeed(), object.GetName())
			}
		}
		Expect(kinds).To(And(HaveKeyWithValue("MutatingWebhookConfiguration", 1), HaveKeyWithValue("Service", 1),
			HaveKeyWithValue("Secret", 1), HaveKeyWithValue("ConfigMap", 1), HaveKeyWithValue("Role", 2)))
		Expect(kinds).NotTo(HaveKey("MutatingAdmissionPolicy"))
	})

	// Kustomize takes a name in a rule for that of a generated ConfigMap, where there is one of that name.
	DescribeTable("grant rights on what is there",
		func(folder string, names ...string) {
			var granted []string
			for _, object := range kustomize(folder) {
				rules, _, err := unstructured.NestedSlice(object.Object, "rules")
				Expect(err).NotTo(HaveOccurred())
				for _, rule := range rules {
					of, _, err := unstructured.NestedStringSlice(rule.(map[string]any), "resourceNames")
					Expect(err).NotTo(HaveOccurred())
					granted = append(granted, of...)
				}
			}
			Expect(granted).To(ConsistOf(names))
		},
		Entry(nil, "default", "spark-status-enricher", v1beta2.CRDName),
		Entry(nil, "webhook", "spark-status-enricher", v1beta2.CRDName, webhookSecret.Name, webhook.KeepStatusName, webhook.DriverPodsName),
	)

	It("with the sample application are accepted by the API server", func(ctx SpecContext) {
		data, err := os.ReadFile(filepath.Join(configFolder, "samples", "sparkapplication.yaml"))
		Expect(err).NotTo(HaveOccurred())
		for _, object := range decode(data) {
			object.SetNamespace(namespace)
			strict := client.FieldValidation(metav1.FieldValidationStrict)
			Expect(kube.Create(ctx, object, strict, client.DryRunAll)).To(Succeed())
		}
	})
})

// kustomize builds a folder below config with the control plane's own kubectl.
func kustomize(folder string) []*unstructured.Unstructured {
	GinkgoHelper()
	return kustomizeAt(filepath.Join(configFolder, folder))
}

func kustomizeAt(path string) []*unstructured.Unstructured {
	GinkgoHelper()
	kubectl := filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl")
	out, err := exec.Command(kubectl, "kustomize", path).Output()
	Expect(err).NotTo(HaveOccurred())
	return decode(out)
}

func decode(data []byte) []*unstructured.Unstructured {
	GinkgoHelper()
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			Expect(objects).NotTo(BeEmpty())
			return objects
		}
		Expect(err).NotTo(HaveOccurred())
		objects = append(objects, object)
	}
}
