// Package envtest tries the two writers against a real API server.
package envtest

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/install"
)

const namespace = "default"

var (
	environment *envtest.Environment
	clientset   kubernetes.Interface
	// lean is the enricher's client, operator the operator's with its own types.
	lean, operator client.Client
)

func TestWriters(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Writers on a real API server")
}

var _ = BeforeSuite(func() {
	environment = &envtest.Environment{CRDDirectoryPaths: []string{operatorCRDs()}, ErrorIfCRDPathMissing: true}
	config, err := environment.Start()
	Expect(err).NotTo(HaveOccurred())
	config.QPS = -1
	clientset = kubernetes.NewForConfigOrDie(config)
	leanScheme, operatorScheme := runtime.NewScheme(), runtime.NewScheme()
	Expect(v1beta2.AddToScheme(leanScheme)).To(Succeed())
	Expect(clientgoscheme.AddToScheme(leanScheme)).To(Succeed())
	Expect(apiextensionsv1.AddToScheme(leanScheme)).To(Succeed())
	Expect(operatorv1beta2.AddToScheme(operatorScheme)).To(Succeed())
	lean, err = client.New(config, client.Options{Scheme: leanScheme})
	Expect(err).NotTo(HaveOccurred())
	operator, err = client.New(config, client.Options{Scheme: operatorScheme})
	Expect(err).NotTo(HaveOccurred())
})

var _ = AfterSuite(func() {
	if environment != nil {
		Expect(environment.Stop()).To(Succeed())
	}
})

// operatorCRDs is the folder of the operator's own CRDs, which its Go module carries.
func operatorCRDs() string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubeflow/spark-operator/v2").Output()
	Expect(err).NotTo(HaveOccurred())
	return filepath.Join(strings.TrimSpace(string(out)), "charts", "spark-operator-chart", "crds")
}

func extendCRD(ctx SpecContext) {
	installer := &install.Installer{Client: lean, Out: GinkgoWriter}
	Expect(installer.ExtendCRD(ctx)).To(Succeed())
}

// restrictCRD takes the enricher's fields out of the CRD.
func restrictCRD(ctx SpecContext) {
	GinkgoHelper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	Expect(lean.Get(ctx, client.ObjectKey{Name: v1beta2.CRDName}, crd)).To(Succeed())
	operations, err := install.CRDRemovalPatch(crd)
	Expect(err).NotTo(HaveOccurred())
	if len(operations) == 0 {
		return
	}
	data, err := json.Marshal(operations)
	Expect(err).NotTo(HaveOccurred())
	Expect(lean.Patch(ctx, crd, client.RawPatch(types.JSONPatchType, data))).To(Succeed())
}

const eventually = 20 * time.Second
