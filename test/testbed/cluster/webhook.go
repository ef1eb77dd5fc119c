package cluster

import (
	"context"
	"fmt"
	"maps"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
)

// withoutPolicies are the flags of a kube-apiserver that has no mutating admission policies, as before 1.36.
func withoutPolicies(flags map[string]string) map[string]string {
	all := maps.Clone(flags)
	if all == nil {
		all = map[string]string{}
	}
	all["feature-gates"] = "MutatingAdmissionPolicy=false"
	all["runtime-config"] = "admissionregistration.k8s.io/v1/mutatingadmissionpolicies=false," +
		"admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings=false"
	return all
}

// serveWebhook has an enricher serve the webhook on loopback, with a certificate of envtest's.
func (c *Cluster) serveWebhook(config *configv1alpha1.EnricherConfiguration) {
	local := c.environment.WebhookInstallOptions
	config.Webhook = configv1alpha1.Webhook{
		Enabled: true, Host: local.LocalServingHost, Port: local.LocalServingPort, CertDir: local.LocalServingCertDir,
	}
}

// pointWebhooks has the API server call the enricher's process in place of a Service.
func (c *Cluster) pointWebhooks(ctx context.Context) error {
	local := c.environment.WebhookInstallOptions
	list := &admissionregistrationv1.MutatingWebhookConfigurationList{}
	if err := c.Client.List(ctx, list); err != nil {
		return fmt.Errorf("listing the webhooks: %w", err)
	}
	for i := range list.Items {
		for j := range list.Items[i].Webhooks {
			call := &list.Items[i].Webhooks[j].ClientConfig
			url := fmt.Sprintf("https://%s:%d%s", local.LocalServingHost, local.LocalServingPort, *call.Service.Path)
			*call = admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: local.LocalServingCAData}
		}
		if err := c.Client.Update(ctx, &list.Items[i]); err != nil {
			return fmt.Errorf("pointing webhook %s at the enricher: %w", list.Items[i].Name, err)
		}
	}
	return nil
}

// HoldLease keeps every enricher from leading: those that run serve the webhook and do nothing else.
func (c *Cluster) HoldLease(ctx context.Context) error {
	now := metav1.NewMicroTime(time.Now())
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "spark-status-enricher", Namespace: EnricherAccount.Namespace},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new("another"), LeaseDurationSeconds: new(int32(24 * 60 * 60)), AcquireTime: &now, RenewTime: &now,
		},
	}
	if err := c.Client.Create(ctx, lease); err != nil {
		return fmt.Errorf("holding the enricher's lease: %w", err)
	}
	return nil
}
