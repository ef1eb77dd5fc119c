package envtest

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/install"
	"github.com/spark-status-enricher/enricher/pkg/enricher/webhook"
)

const (
	enricherNamespace = "spark-status-enricher"
	leaseName         = "held-by-another"
)

var _ = Describe("the webhook, on an API server without mutating policies", Ordered, ContinueOnFailure, func() {
	var (
		environment *envtest.Environment
		stop        func()
	)

	BeforeAll(func(ctx SpecContext) {
		environment = webhookEnvironment()
		config, err := environment.Start()
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(environment.Stop)
		config.QPS = -1
		useCluster(config)
		for _, name := range []string{namespace, enricherNamespace} {
			Expect(kube.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})).To(Succeed())
		}
		_, err = runInstaller(ctx, (*install.Installer).Install, nil)
		Expect(err).NotTo(HaveOccurred())
		holdLease(ctx)
		stop = serveWebhook(environment)
		awaitPolicies(ctx)
	}, NodeTimeout(3*patience))

	It("meets no policy", func(ctx SpecContext) {
		out, err := runInstaller(ctx, (*install.Installer).Check, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(ContainSubstring("this API server has no MutatingAdmissionPolicy v1"))
	})

	Describe("for keep-status", keepStatusSpecs)

	Describe("for the drivers' policies", driverSpecs)

	It("never holds up the operator when it is down", func(ctx SpecContext) {
		app := newApplication(ctx)
		operatorWrites(ctx, app, v1beta2.StateFailed, "s-1")
		Expect(read(ctx, app).Status.Conditions).To(HaveLen(5))
		stop()
		operatorWrites(ctx, app, v1beta2.StateFailed, "s-1")
		Expect(read(ctx, app).Status.Conditions).To(BeEmpty())
		Expect(newPod(ctx, driverPod("unwatched-")).Finalizers).To(Equal([]string{"example.com/other"}))

		stop = serveWebhook(environment)
		awaitPolicies(ctx)
		operatorWrites(ctx, app, v1beta2.StatePendingRerun, "s-1")
		Expect(read(ctx, app).Status.Conditions).To(HaveLen(5))
	})

	Describe("its own certificate", func() { certificateSpecs(func() *rest.Config { return environment.Config }) })
})

var _ = Describe("the installer, for the webhook", Ordered, func() {
	const objects = "mutatingwebhookconfiguration/" + webhook.KeepStatusName + " %[1]s\n" +
		"validatingadmissionpolicy/spark-status-enricher-fence-pods unchanged\n" +
		"validatingadmissionpolicybinding/spark-status-enricher-fence-pods unchanged\n" +
		"validatingadmissionpolicy/spark-status-enricher-fence-status unchanged\n" +
		"validatingadmissionpolicybinding/spark-status-enricher-fence-status unchanged\n" +
		"validatingadmissionpolicy/spark-status-enricher-fence-events unchanged\n" +
		"validatingadmissionpolicybinding/spark-status-enricher-fence-events unchanged\n" +
		"validatingadmissionpolicy/spark-status-enricher-fence-webhooks unchanged\n" +
		"validatingadmissionpolicybinding/spark-status-enricher-fence-webhooks unchanged\n" +
		"mutatingwebhookconfiguration/" + webhook.DriverPodsName + " %[1]s\n"

	AfterAll(func(ctx SpecContext) {
		for _, name := range []string{webhook.KeepStatusName, webhook.DriverPodsName} {
			Expect(client.IgnoreNotFound(kube.Delete(ctx, webhookConfiguration(name)))).To(Succeed())
		}
	})

	It("applies the webhooks in place of mutating policies, and keeps the certificate's authority in them", func(ctx SpecContext) {
		Expect(installWebhook(ctx)).To(HaveSuffix(fmt.Sprintf(objects, "created")))
		keep, drivers := webhookConfiguration(webhook.KeepStatusName), webhookConfiguration(webhook.DriverPodsName)
		Expect(kube.Get(ctx, client.ObjectKeyFromObject(keep), keep)).To(Succeed())
		Expect(kube.Get(ctx, client.ObjectKeyFromObject(drivers), drivers)).To(Succeed())
		Expect(keep.Webhooks[0].NamespaceSelector.MatchExpressions).To(BeEmpty())
		Expect(drivers.Webhooks[0].NamespaceSelector.MatchExpressions).To(HaveLen(1))

		keep.Webhooks[0].ClientConfig.CABundle = endingAuthority(day).crt
		Expect(kube.Update(ctx, keep)).To(Succeed())
		Expect(installWebhook(ctx)).To(HaveSuffix(fmt.Sprintf(objects, "unchanged")))
		keep.Webhooks[0].FailurePolicy = ptr.To(admissionregistrationv1.Fail)
		Expect(kube.Update(ctx, keep)).To(Succeed())
		Expect(installWebhook(ctx)).To(ContainSubstring(webhook.KeepStatusName + " configured\n"))
		Expect(kube.Get(ctx, client.ObjectKeyFromObject(keep), keep)).To(Succeed())
		Expect(keep.Webhooks[0].ClientConfig.CABundle).NotTo(BeEmpty())
		Expect(keep.Webhooks[0].FailurePolicy).To(HaveValue(Equal(admissionregistrationv1.Ignore)))
	})

	It("takes the driver pods' webhook away with a feature", func(ctx SpecContext) {
		DeferCleanup(func(ctx SpecContext) {
			_, err := runInstaller(ctx, (*install.Installer).Install, install.Features)
			Expect(err).NotTo(HaveOccurred())
			awaitPolicies(ctx)
		})
		out, err := runInstaller(ctx, (*install.Installer).Remove, []install.Feature{install.FeatureFinalizer})
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(ContainSubstring("mutatingwebhookconfiguration/" + webhook.DriverPodsName + " deleted\n"))
		Expect(kube.Get(ctx, client.ObjectKey{Name: webhook.KeepStatusName}, webhookConfiguration(webhook.KeepStatusName))).To(Succeed())
	})
})

func webhookConfiguration(name string) *admissionregistrationv1.MutatingWebhookConfiguration {
	return &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// installWebhook gives what was printed.
func installWebhook(ctx context.Context) string {
	GinkgoHelper()
	out := &bytes.Buffer{}
	installer := &install.Installer{Client: kube, Out: out, Options: install.Options{
		Webhook: true, Features: install.Features, Namespaces: []string{namespace},
		ServiceAccount: install.DefaultServiceAccount,
	}}
	Expect(installer.Install(ctx)).To(Succeed())
	return out.String()
}

// webhookEnvironment is an API server as before Kubernetes 1.36, with the webhooks of config/webhook.
func webhookEnvironment() *envtest.Environment {
	environment := &envtest.Environment{
		CRDInstallOptions: operatorCRDOptions(), ControlPlaneStartTimeout: patience,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{
			webhookManifest("common", "keep-status.yaml"), webhookManifest("driver-pods", "driver-pods.yaml"),
		}},
	}
	environment.ControlPlane.GetAPIServer().Configure().
		Set("feature-gates", "MutatingAdmissionPolicy=false").
		Set("runtime-config", "admissionregistration.k8s.io/v1/mutatingadmissionpolicies=false,"+
			"admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings=false")
	return environment
}

func webhookManifest(path ...string) string {
	return filepath.Join(append([]string{"..", "..", "..", "..", "config", "webhook"}, path...)...)
}

// useCluster points the suite's clients at another cluster until the container ends.
func useCluster(config *rest.Config) {
	GinkgoHelper()
	administrator, fenced := kube, enricher
	DeferCleanup(func() { kube, enricher = administrator, fenced })
	kube, enricher = newClient(config), newClient(impersonate(config))
}

// holdLease keeps the replica under test from ever leading.
func holdLease(ctx context.Context) {
	GinkgoHelper()
	Expect(kube.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: leaseName, Namespace: enricherNamespace},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: ptr.To("another"), LeaseDurationSeconds: ptr.To(int32(3600)),
			RenewTime: ptr.To(metav1.NowMicro()), AcquireTime: ptr.To(metav1.NowMicro()),
		},
	})).To(Succeed())
}

// serveWebhook runs a replica that does not lead, as the enricher does, and gives what stops it.
func serveWebhook(environment *envtest.Environment) func() {
	GinkgoHelper()
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	mgr, err := ctrl.NewManager(environment.Config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		LeaderElection: true, LeaderElectionID: leaseName, LeaderElectionNamespace: enricherNamespace,
		GracefulShutdownTimeout: ptr.To(10 * time.Second),
	})
	Expect(err).NotTo(HaveOccurred())
	options := environment.WebhookInstallOptions
	cfg := &configv1alpha1.EnricherConfiguration{
		CaptureFinalizer: ptr.To(true), TerminationMessage: ptr.To(true),
		Webhook: configv1alpha1.Webhook{
			Enabled: true, Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
		},
	}
	configv1alpha1.SetDefaults(cfg)
	Expect(webhook.AddToManager(mgr, cfg)).To(Succeed())

	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	stop := func() {
		cancel()
		if err, open := <-ended; open {
			Expect(err).NotTo(HaveOccurred())
			close(ended)
		}
	}
	DeferCleanup(stop)
	return stop
}
