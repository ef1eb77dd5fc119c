// Package envtest tries the policies and the installer against a real API server.
package envtest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/spark-status-enricher/enricher/pkg/enricher/install"
)

const (
	namespace = "spark-jobs"
	// patience is for machines that do much else beside.
	patience = 2 * time.Minute
	eventual = time.Minute
	poll     = 100 * time.Millisecond
)

var (
	environment *envtest.Environment
	// kube is the cluster's administrator and the operator: it knows the operator's types, not the enricher's.
	kube client.Client
	// enricher is the fenced service account.
	enricher client.Client
	// installed is what the first installation printed.
	bare, installed string
)

func TestPolicies(t *testing.T) {
	RegisterFailHandler(Fail)
	log.SetLogger(GinkgoLogr)
	RunSpecs(t, "Policies on a real API server")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	environment = &envtest.Environment{CRDInstallOptions: operatorCRDOptions(), ControlPlaneStartTimeout: patience}
	config, err := environment.Start()
	Expect(err).NotTo(HaveOccurred())
	config.QPS = -1
	kube = newClient(config)
	enricher = newClient(impersonate(config))
	Expect(kube.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})).To(Succeed())

	bare, err = runInstaller(ctx, (*install.Installer).Check, nil)
	Expect(err).To(MatchError(install.ErrIncomplete))
	installed, err = runInstaller(ctx, (*install.Installer).Install, install.Features)
	Expect(err).NotTo(HaveOccurred())
	awaitPolicies(ctx)
}, NodeTimeout(3*patience))

var _ = AfterSuite(func() {
	if environment != nil {
		Expect(environment.Stop()).To(Succeed())
	}
})

func operatorCRDOptions() envtest.CRDInstallOptions {
	return envtest.CRDInstallOptions{Paths: []string{operatorCRDs()}, ErrorIfPathMissing: true, MaxTime: patience}
}

// operatorCRDs is the folder of the operator's own CRDs, which its Go module carries.
func operatorCRDs() string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubeflow/spark-operator/v2").Output()
	Expect(err).NotTo(HaveOccurred())
	return filepath.Join(strings.TrimSpace(string(out)), "charts", "spark-operator-chart", "crds")
}

func newClient(config *rest.Config) client.Client {
	scheme := runtime.NewScheme()
	Expect(corev1.AddToScheme(scheme)).To(Succeed())
	Expect(apiextensionsv1.AddToScheme(scheme)).To(Succeed())
	Expect(admissionregistrationv1.AddToScheme(scheme)).To(Succeed())
	Expect(coordinationv1.AddToScheme(scheme)).To(Succeed())
	Expect(eventsv1.AddToScheme(scheme)).To(Succeed())
	Expect(operatorv1beta2.AddToScheme(scheme)).To(Succeed())
	c, err := client.New(config, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// impersonate makes the enricher's service account out of an administrator: what is refused is refused by the fence.
func impersonate(config *rest.Config) *rest.Config {
	fenced := rest.CopyConfig(config)
	fenced.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:spark-status-enricher:spark-status-enricher",
		Groups:   []string{"system:masters"},
	}
	return fenced
}

func runInstaller(ctx context.Context, verb func(*install.Installer, context.Context) error, features []install.Feature) (string, error) {
	out := &bytes.Buffer{}
	installer := &install.Installer{Client: kube, Out: out, Options: install.Options{
		Features: features, ServiceAccount: install.DefaultServiceAccount,
	}}
	err := verb(installer, ctx)
	return out.String(), err
}

func runDry(ctx context.Context) (string, error) {
	out := &bytes.Buffer{}
	installer := &install.Installer{Client: kube, Out: out, Options: install.Options{
		DryRun: true, ServiceAccount: install.DefaultServiceAccount,
	}}
	err := installer.Install(ctx)
	return out.String(), err
}

func emptyObject(apiVersion, kind string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetAPIVersion(apiVersion)
	object.SetKind(kind)
	return object
}

func policiesOfKind(ctx context.Context, kind string) []unstructured.Unstructured {
	GinkgoHelper()
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("admissionregistration.k8s.io/v1")
	list.SetKind(kind + "List")
	Expect(kube.List(ctx, list)).To(Succeed())
	return list.Items
}

func init() {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		panic("KUBEBUILDER_ASSETS names no folder with kube-apiserver and etcd: run make test-envtest")
	}
}
