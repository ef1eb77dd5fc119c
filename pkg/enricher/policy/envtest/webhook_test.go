package envtest

import (
	"context"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
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
	}, NodeTimeout(2*time.Minute))

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
		operatorWrites(ctx, app, v1beta2.StateFailed, "s-1")
		Expect(read(ctx, app).Status.Conditions).To(HaveLen(5))
	})

	Describe("its own certificate", func() { certificateSpecs(func() *rest.Config { return environment.Config }) })
})

// webhookEnvironment is an API server as before Kubernetes 1.36, with the webhooks of config/webhook.
func webhookEnvironment() *envtest.Environment {
	environment := &envtest.Environment{
		CRDDirectoryPaths: []string{operatorCRDs()}, ErrorIfCRDPathMissing: true,
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
