package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/install"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
)

// EnricherAccount is the ServiceAccount of config/rbac that the enricher runs as.
var EnricherAccount = types.NamespacedName{Namespace: "spark-status-enricher", Name: "spark-status-enricher"}

// EnricherUser is who the enricher is to the API server.
var EnricherUser = "system:serviceaccount:" + EnricherAccount.Namespace + ":" + EnricherAccount.Name

// EnricherOptions say how the enricher runs.
type EnricherOptions struct {
	// Name tells replicas apart; empty means "enricher".
	Name string
	// Configure changes the configuration, which otherwise holds free ports and the lease's namespace.
	Configure func(*configv1alpha1.EnricherConfiguration)
	// Server is the API server's address, where a proxy stands before it.
	Server string
	// Program is the binary; empty means bin/enricher.
	Program string
	// NotReady starts the enricher without waiting until it is ready.
	NotReady bool
}

// Enricher is a running enricher.
type Enricher struct {
	*Process
	// Health and Metrics are the URLs of its probes and of its metrics.
	Health, Metrics string
}

// Install extends the CRD and applies the policies with `enricher install`, and applies config/rbac.
func (c *Cluster) Install(ctx context.Context, args ...string) error {
	if err := c.ApplyRBAC(ctx); err != nil {
		return err
	}
	if c.webhook {
		args = append(args, "--webhook")
	}
	if _, err := c.Enricher(ctx, append([]string{"install"}, args...)...); err != nil {
		return err
	}
	if c.webhook {
		return c.pointWebhooks(ctx)
	}
	if err := c.awaitSchema(ctx); err != nil {
		return err
	}
	finalizer := func(arg string) bool {
		return slices.Contains(strings.Split(arg, ","), string(install.FeatureFinalizer))
	}
	if slices.ContainsFunc(args, finalizer) {
		return c.awaitFinalizer(ctx)
	}
	return nil
}

// awaitSchema waits until the policies know the CRD: until then, some seconds after it came into being, the API server
// answers 503 to writes of statuses. The application that it tries this on is suspended, and so nothing to the operator.
func (c *Cluster) awaitSchema(ctx context.Context) error {
	probe := build.App(metav1.NamespaceDefault, "awaited").Suspended().Object()
	if err := c.Client.Create(ctx, probe); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("creating an application to try the policies on: %w", err)
	}
	state := client.RawPatch(types.MergePatchType, []byte(`{"status": {"applicationState": {"state": "SUSPENDED"}, "driverInfo": {}}}`))
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		return c.Client.Status().Patch(ctx, probe.DeepCopy(), state, client.DryRunAll) == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the policies to know the CRD: %w", err)
	}
	return client.IgnoreNotFound(c.Client.Delete(ctx, probe))
}

// awaitFinalizer waits until the API server puts the capture finalizer on drivers: it learns of a policy a moment after
// its creation.
func (c *Cluster) awaitFinalizer(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		driver := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "awaited-", Namespace: metav1.NamespaceDefault, Labels: map[string]string{
				spark.LabelRole: spark.RoleDriver, v1beta2.LabelLaunchedBy: "true", v1beta2.LabelAppName: "awaited",
			}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "driver", Image: "example"}}},
		}
		err := c.Client.Create(ctx, driver, client.DryRunAll)
		return err == nil && slices.Contains(driver.Finalizers, v1beta2.FinalizerCapture), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the finalizer's policy to take effect: %w", err)
	}
	return nil
}

// ApplyRBAC applies the enricher's namespace, ServiceAccount and rules.
func (c *Cluster) ApplyRBAC(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: EnricherAccount.Namespace}}
	if err := c.Client.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the enricher's namespace: %w", err)
	}
	_, err := c.Kubectl(ctx, "apply", "-k", filepath.Join(c.Root, "config", "rbac"))
	return err
}

// StartEnricher runs the enricher with a token of its ServiceAccount.
func (c *Cluster) StartEnricher(ctx context.Context, opts EnricherOptions) (*Enricher, error) {
	if opts.Name == "" {
		opts.Name = "enricher"
	}
	if opts.Program == "" {
		opts.Program = filepath.Join(Bin(c.Root), "enricher")
	}
	kubeconfig, err := c.enricherAccess(ctx, opts)
	if err != nil {
		return nil, err
	}
	enricher, file, err := c.enricherConfiguration(opts)
	if err != nil {
		return nil, err
	}
	enricher.Process, err = startProcess(opts.Name, c.file(opts.Name+".log"), opts.Program,
		[]string{"run", "--config", file}, []string{clientcmd.RecommendedConfigPathEnvVar + "=" + kubeconfig})
	if err != nil {
		return nil, err
	}
	c.processes = append(c.processes, enricher.Process)
	if opts.NotReady {
		return enricher, nil
	}
	return enricher, enricher.ready(ctx, enricher.Health+"/readyz", processReady)
}

func (c *Cluster) enricherAccess(ctx context.Context, opts EnricherOptions) (string, error) {
	config, err := c.ServiceAccountConfig(ctx, EnricherAccount)
	if err != nil {
		return "", err
	}
	server := config.Host
	if opts.Server != "" {
		server = opts.Server
	}
	data, err := tokenKubeconfig(config, server, EnricherAccount.Namespace)
	if err != nil {
		return "", err
	}
	return c.write(opts.Name+".kubeconfig", data)
}

func (c *Cluster) enricherConfiguration(opts EnricherOptions) (*Enricher, string, error) {
	health, err := freePort()
	if err != nil {
		return nil, "", err
	}
	metrics, err := freePort()
	if err != nil {
		return nil, "", err
	}
	config := &configv1alpha1.EnricherConfiguration{
		HealthProbeBindAddress: fmt.Sprintf("127.0.0.1:%d", health),
		MetricsBindAddress:     fmt.Sprintf("127.0.0.1:%d", metrics),
		LeaderElection:         configv1alpha1.LeaderElection{Namespace: EnricherAccount.Namespace},
	}
	config.APIVersion, config.Kind = configv1alpha1.APIVersion, configv1alpha1.Kind
	if c.webhook {
		c.serveWebhook(config)
	}
	if opts.Configure != nil {
		opts.Configure(config)
	}
	data, err := yaml.Marshal(config)
	if err != nil {
		return nil, "", fmt.Errorf("writing the enricher's configuration: %w", err)
	}
	file := c.file(opts.Name + "-config.yaml")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, "", fmt.Errorf("writing the enricher's configuration: %w", err)
	}
	base := "http://127.0.0.1:"
	return &Enricher{Health: fmt.Sprint(base, health), Metrics: fmt.Sprint(base, metrics, "/metrics")}, file, nil
}
