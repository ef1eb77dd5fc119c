package webhook

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/open-policy-agent/cert-controller/pkg/rotator"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
)

// Names of the webhook configurations. Each carries the CA of the certificate.
const (
	KeepStatusName = "spark-status-enricher-keep-status"
	DriverPodsName = "spark-status-enricher-driver-pods"
)

const retryAtMost = time.Hour

// attempts number the library's controllers: one process may not use a name twice.
var attempts atomic.Int32

// Certificate makes the webhook's certificate, renews it before it ends, and writes it to a Secret and its CA to the
// webhook configurations.
type Certificate struct {
	// RetryAfter lies between the first failure and the next attempt. It doubles, up to retryAtMost.
	RetryAfter time.Duration

	config   *rest.Config
	secret   types.NamespacedName
	dnsName  string
	certDir  string
	webhooks []rotator.WebhookInfo
	once     sync.Once
	ready    chan struct{}
}

// NewCertificate looks after the Secret in namespace that bears the name of the webhook's Service. The Secret must
// exist, and be mounted at certDir.
func NewCertificate(config *rest.Config, cfg *configv1alpha1.EnricherConfiguration, namespace, certDir string) *Certificate {
	secret := types.NamespacedName{Namespace: namespace, Name: cfg.Webhook.ServiceName}
	webhooks := []rotator.WebhookInfo{{Name: KeepStatusName, Type: rotator.Mutating}}
	if *cfg.CaptureFinalizer || *cfg.TerminationMessage {
		webhooks = append(webhooks, rotator.WebhookInfo{Name: DriverPodsName, Type: rotator.Mutating})
	}
	return &Certificate{
		RetryAfter: time.Minute,
		config:     onlySecret(config, secret), secret: secret, dnsName: secret.Name + "." + namespace + ".svc",
		certDir: certDir, webhooks: webhooks, ready: make(chan struct{}),
	}
}

// Ready is closed when the certificate is mounted and the webhook configurations have its CA.
func (c *Certificate) Ready() <-chan struct{} { return c.ready }

// NeedLeaderElection is false: each replica waits for the certificate that the first of them makes.
func (c *Certificate) NeedLeaderElection() bool { return false }

// Start works until ctx ends. What goes wrong is logged and tried again: the diagnoses do not depend on the webhook.
func (c *Certificate) Start(ctx context.Context) error {
	pause := c.RetryAfter
	for {
		if err := c.rotate(ctx); err != nil {
			log.FromContext(ctx).Error(err, "Cannot look after the webhook's certificate", "secret", c.secret, "retryAfter", pause)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, retryAtMost)
	}
}

// rotate runs the library in a manager of its own, which ends at the first failure.
func (c *Certificate) rotate(ctx context.Context) error {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return fmt.Errorf("preparing the client: %w", err)
	}
	mgr, err := ctrl.NewManager(c.config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
	})
	if err != nil {
		return fmt.Errorf("building the manager: %w", err)
	}
	certificate := c.rotator()
	if err := rotator.AddRotator(mgr, certificate); err != nil {
		return fmt.Errorf("adding the rotator: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go c.announce(ctx, certificate.IsReady)
	return mgr.Start(ctx)
}

func (c *Certificate) rotator() *rotator.CertRotator {
	return &rotator.CertRotator{
		SecretKey: c.secret, CertDir: c.certDir, CAName: "spark-status-enricher-ca", CAOrganization: "spark-status-enricher",
		DNSName: c.dnsName, IsReady: make(chan struct{}), Webhooks: c.webhooks, FieldOwner: "spark-status-enricher",
		ControllerName: fmt.Sprintf("webhook-certificate-%d", attempts.Add(1)),
	}
}

func (c *Certificate) announce(ctx context.Context, ready <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-ready:
		c.once.Do(func() { close(c.ready) })
	}
}

// onlySecret makes the library, which lists all Secrets of the namespace, see the one that it works on: the role
// allows no more.
func onlySecret(config *rest.Config, secret types.NamespacedName) *rest.Config {
	config = rest.CopyConfig(config)
	path := "/api/v1/namespaces/" + secret.Namespace + "/secrets"
	selector := fields.OneTermEqualSelector("metadata.name", secret.Name).String()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, path) {
				req = req.Clone(req.Context())
				query := req.URL.Query()
				query.Set("fieldSelector", selector)
				req.URL.RawQuery = query.Encode()
			}
			return next.RoundTrip(req)
		})
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
