package webhook

import (
	"context"
	"fmt"
	"os"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"
	crwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
)

// MountedCertDir is where the Secret with the enricher's own certificate is mounted.
const MountedCertDir = "/var/run/secrets/spark-status-enricher/webhook"

const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// AddToManager adds the webhook server, which serves whether or not this replica leads, and its readiness probe. It
// does nothing unless the webhook is switched on.
func AddToManager(mgr ctrl.Manager, cfg *configv1alpha1.EnricherConfiguration) error {
	if !cfg.Webhook.Enabled {
		return nil
	}
	if cfg.Webhook.CertDir != "" {
		return addServer(mgr, cfg, cfg.Webhook.CertDir, nil)
	}
	namespace, err := ownNamespace(cfg)
	if err != nil {
		return err
	}
	certificate := NewCertificate(mgr.GetConfig(), cfg, namespace, MountedCertDir)
	if err := mgr.Add(certificate); err != nil {
		return fmt.Errorf("adding the rotation of the webhook's certificate: %w", err)
	}
	return addServer(mgr, cfg, MountedCertDir, certificate.Ready())
}

func addServer(mgr ctrl.Manager, cfg *configv1alpha1.EnricherConfiguration, certDir string, ready <-chan struct{}) error {
	server := crwebhook.NewServer(crwebhook.Options{Host: cfg.Webhook.Host, Port: cfg.Webhook.Port, CertDir: certDir})
	for path, handler := range handlers(cfg) {
		server.Register(path, handler)
	}
	if err := mgr.AddReadyzCheck("webhook", server.StartedChecker()); err != nil {
		return fmt.Errorf("adding the webhook's readiness probe: %w", err)
	}
	if err := mgr.Add(&delayed{server: server, ready: ready}); err != nil {
		return fmt.Errorf("adding the webhook server: %w", err)
	}
	return nil
}

// delayed starts the server when its certificate is there: the server ends without one.
type delayed struct {
	server crwebhook.Server
	ready  <-chan struct{}
}

func (d *delayed) NeedLeaderElection() bool { return false }

func (d *delayed) Start(ctx context.Context) error {
	if d.ready != nil {
		select {
		case <-ctx.Done():
			return nil
		case <-d.ready:
		}
	}
	if err := d.server.Start(ctx); err != nil {
		return fmt.Errorf("serving the webhook: %w", err)
	}
	return nil
}

// ownNamespace is where the enricher runs.
func ownNamespace(cfg *configv1alpha1.EnricherConfiguration) (string, error) {
	if cfg.LeaderElection.Namespace != "" {
		return cfg.LeaderElection.Namespace, nil
	}
	data, err := os.ReadFile(namespaceFile)
	if err != nil {
		return "", fmt.Errorf("finding the namespace of the webhook's certificate (outside a pod set leaderElection.namespace or webhook.certDir): %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}
