package enricher

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
	"github.com/spark-status-enricher/enricher/pkg/enricher/webhook"
)

const (
	leaseName = "spark-status-enricher"
	// cacheSyncTimeout is long: an enricher that lacks a right waits for it, unready, and does not crash.
	cacheSyncTimeout = 24 * time.Hour
	shutdownTimeout  = 20 * time.Second
)

// Run runs the controller until ctx ends. It returns an error at once if the API server cannot be reached.
func Run(ctx context.Context, restConfig *rest.Config, cfg *configv1alpha1.EnricherConfiguration, logger logr.Logger) error {
	if err := checkNamespaces(cfg.Namespaces); err != nil {
		return err
	}
	restConfig = rest.CopyConfig(restConfig)
	restConfig.QPS = -1 // the server's priority and fairness throttles
	clientset, err := kubernetes.NewForConfig(restConfig)
	if err != nil {
		return fmt.Errorf("building the client: %w", err)
	}
	ctx = logr.NewContext(ctx, logger)
	if err := reportPermissions(ctx, clientset, cfg); err != nil {
		return fmt.Errorf("API server %s: %w", restConfig.Host, err)
	}
	served := newOutages(clock.RealClock{})
	restConfig.Wrap(served.observe)
	mgr, err := ctrl.NewManager(restConfig, managerOptions(cfg, logger))
	if err != nil {
		return fmt.Errorf("building the manager: %w", err)
	}
	if err := setup(ctx, mgr, clientset, cfg, served); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func managerOptions(cfg *configv1alpha1.EnricherConfiguration, logger logr.Logger) ctrl.Options {
	shutdown := shutdownTimeout
	return ctrl.Options{
		Scheme:                        newScheme(),
		Logger:                        logger,
		Cache:                         cacheOptions(cfg.Namespaces),
		Metrics:                       metricsserver.Options{BindAddress: cfg.MetricsBindAddress},
		HealthProbeBindAddress:        cfg.HealthProbeBindAddress,
		GracefulShutdownTimeout:       &shutdown,
		LeaderElection:                *cfg.LeaderElection.Enabled,
		LeaderElectionID:              leaseName,
		LeaderElectionNamespace:       cfg.LeaderElection.Namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &cfg.LeaderElection.LeaseDuration.Duration,
		RenewDeadline:                 &cfg.LeaderElection.RenewDeadline.Duration,
		RetryPeriod:                   &cfg.LeaderElection.RetryPeriod.Duration,
	}
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1beta2.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err) // the types are compiled in
		}
	}
	return scheme
}

func setup(ctx context.Context, mgr ctrl.Manager, clientset kubernetes.Interface, cfg *configv1alpha1.EnricherConfiguration, served *outages) error {
	engine, err := diagnosis.New(diagnosis.Options{Rules: cfg.Rules, StackTrace: cfg.StackTrace})
	if err != nil {
		return fmt.Errorf("building the diagnosis engine: %w", err)
	}
	if err := mgr.GetFieldIndexer().IndexField(ctx, &corev1.Pod{}, appNameIndex, indexByAppName); err != nil {
		return fmt.Errorf("indexing driver pods: %w", err)
	}
	live, err := client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), HTTPClient: mgr.GetHTTPClient()})
	if err != nil {
		return fmt.Errorf("building the uncached client: %w", err)
	}
	counters := NewMetrics(metrics.Registry)
	extension := &Extension{Live: live, Manage: *cfg.ManageCRD, Metrics: counters}
	if err := extension.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("setting up the watch of the CRD: %w", err)
	}
	reconciler := &Reconciler{
		Client: mgr.GetClient(), Live: live, Clientset: clientset, Config: cfg, Engine: engine,
		Gatherer:  &evidence.Gatherer{Client: clientset, Limits: cfg.Log},
		Extension: extension, Metrics: counters, Clock: clock.RealClock{}, outages: served,
	}
	if err := reconciler.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("setting up the controller: %w", err)
	}
	strays := &Strays{Pods: clientset.CoreV1(), Release: reconciler.removeFinalizer}
	if err := strays.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("setting up the release of stray pods: %w", err)
	}
	if err := mgr.Add(served); err != nil {
		return fmt.Errorf("watching for the lead: %w", err)
	}
	if err := webhook.AddToManager(mgr, cfg); err != nil {
		return err
	}
	return addProbes(mgr, extension)
}

func addProbes(mgr ctrl.Manager, extension *Extension) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("adding the health probe: %w", err)
	}
	if err := mgr.AddReadyzCheck("crd", extension.Ready); err != nil {
		return fmt.Errorf("adding the readiness probe: %w", err)
	}
	return nil
}

// logWriter turns lines of output into log lines.
type logWriter struct{ logr.Logger }

var _ io.Writer = logWriter{}

func (w logWriter) Write(p []byte) (int, error) {
	w.Info(strings.TrimSpace(string(p)))
	return len(p), nil
}
