package envtest

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr/funcr"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/open-policy-agent/cert-controller/pkg/rotator"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/enricher/webhook"
)

const (
	webhookDNSName = "spark-status-enricher-webhook.spark-status-enricher.svc"
	day            = 24 * time.Hour
)

var webhookSecret = types.NamespacedName{Namespace: enricherNamespace, Name: "spark-status-enricher-webhook"}

func certificateSpecs(config func() *rest.Config) {
	It("is made with the rights of config/webhook alone, as soon as there is a Secret for it", func(ctx SpecContext) {
		createRole(ctx)
		account := serviceAccount(config())
		Expect(newClient(account).List(ctx, &corev1.SecretList{}, client.InNamespace(enricherNamespace))).
			To(Satisfy(apierrors.IsForbidden))

		certificate, failures := lookAfterCertificate(account, GinkgoT().TempDir())
		Eventually(ctx, failures.Load).WithTimeout(eventual).WithPolling(poll).Should(BeNumerically(">", 0))
		applyManifest(ctx, webhookManifest("self-signed", "secret.yaml"))
		expectServed(ctx, certificate)
	}, NodeTimeout(time.Minute))

	It("is renewed before it ends, and its authority stays", func(ctx SpecContext) {
		secret := readSecret(ctx)
		authority := secret.Data["ca.crt"]
		ending := endingCertificate(secret, 30*day)
		secret.Data["tls.crt"], secret.Data["tls.key"] = ending.crt, ending.key
		Expect(kube.Update(ctx, secret)).To(Succeed())

		certificate, _ := lookAfterCertificate(serviceAccount(config()), GinkgoT().TempDir())
		expectServed(ctx, certificate)
		secret = readSecret(ctx)
		Expect(secret.Data["ca.crt"]).To(Equal(authority))
		Expect(validUntil(secret.Data["tls.crt"])).To(BeTemporally(">", time.Now().Add(300*day)))
	}, NodeTimeout(time.Minute))

	It("takes its authority along when that ends", func(ctx SpecContext) {
		secret := readSecret(ctx)
		ending := endingAuthority(30 * day)
		secret.Data["ca.crt"], secret.Data["ca.key"] = ending.crt, ending.key
		Expect(kube.Update(ctx, secret)).To(Succeed())

		certificate, _ := lookAfterCertificate(serviceAccount(config()), GinkgoT().TempDir())
		expectServed(ctx, certificate)
		Expect(readSecret(ctx).Data["ca.crt"]).NotTo(Equal(ending.crt))
	}, NodeTimeout(time.Minute))
}

// running is a Certificate at work, and the folder that its Secret is mounted at.
type running struct {
	*webhook.Certificate
	mount string
}

// lookAfterCertificate runs what every replica runs, and counts the failures that it logs.
func lookAfterCertificate(config *rest.Config, mount string) (running, *atomic.Int32) {
	GinkgoHelper()
	cfg := &configv1alpha1.EnricherConfiguration{CaptureFinalizer: ptr.To(true)}
	configv1alpha1.SetDefaults(cfg)
	certificate := webhook.NewCertificate(config, cfg, enricherNamespace, mount)
	certificate.RetryAfter = poll

	failures := &atomic.Int32{}
	logger := funcr.New(func(_, message string) {
		failures.Add(1)
		GinkgoWriter.Println(message)
	}, funcr.Options{})
	ctx, cancel := context.WithCancel(log.IntoContext(context.Background(), logger))
	ended := make(chan error, 1)
	go func() { ended <- certificate.Start(ctx) }()
	DeferCleanup(func() {
		Expect(ended).NotTo(Receive(), "what goes wrong with the certificate must not end the enricher")
		cancel()
		Expect(<-ended).NotTo(HaveOccurred())
	})
	return running{certificate, mount}, failures
}

// expectServed plays the kubelet, which mounts the Secret, then expects that the API server trusts what it holds.
func expectServed(ctx context.Context, certificate running) {
	GinkgoHelper()
	Eventually(ctx, func(g Gomega) {
		secret := readSecret(ctx)
		for _, name := range []string{"tls.crt", "tls.key"} {
			g.Expect(secret.Data[name]).NotTo(BeEmpty())
			g.Expect(os.WriteFile(filepath.Join(certificate.mount, name), secret.Data[name], 0o600)).To(Succeed())
		}
		for _, name := range []string{webhook.KeepStatusName, webhook.DriverPodsName} {
			bundle := caBundle(ctx, name)
			valid, err := rotator.ValidCert(bundle, secret.Data["tls.crt"], secret.Data["tls.key"], webhookDNSName,
				&[]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, time.Now().Add(100*day))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(valid).To(BeTrue())
		}
		g.Expect(certificate.Ready()).To(BeClosed())
	}).WithTimeout(2 * eventual).WithPolling(poll).Should(Succeed())
}

func caBundle(ctx context.Context, name string) []byte {
	GinkgoHelper()
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{}
	Expect(kube.Get(ctx, client.ObjectKey{Name: name}, configuration)).To(Succeed())
	Expect(configuration.Webhooks).To(HaveLen(1))
	return configuration.Webhooks[0].ClientConfig.CABundle
}

func readSecret(ctx context.Context) *corev1.Secret {
	GinkgoHelper()
	secret := &corev1.Secret{}
	Expect(kube.Get(ctx, webhookSecret, secret)).To(Succeed())
	return secret
}

type keyPair struct{ crt, key []byte }

// endingCertificate is signed by the Secret's authority and lasts no longer than that.
func endingCertificate(secret *corev1.Secret, lasts time.Duration) keyPair {
	GinkgoHelper()
	certificates := &rotator.CertRotator{DNSName: webhookDNSName, ExtKeyUsages: &[]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	certificate := decodePEM(secret.Data["ca.crt"])
	authority, err := x509.ParseCertificate(certificate)
	Expect(err).NotTo(HaveOccurred())
	key, err := x509.ParsePKCS1PrivateKey(decodePEM(secret.Data["ca.key"]))
	Expect(err).NotTo(HaveOccurred())
	crt, tlsKey, err := certificates.CreateCertPEM(&rotator.KeyPairArtifacts{Cert: authority, Key: key}, time.Now(), time.Now().Add(lasts))
	Expect(err).NotTo(HaveOccurred())
	return keyPair{crt, tlsKey}
}

func endingAuthority(lasts time.Duration) keyPair {
	GinkgoHelper()
	certificates := &rotator.CertRotator{CAName: "spark-status-enricher-ca"}
	authority, err := certificates.CreateCACert(time.Now(), time.Now().Add(lasts))
	Expect(err).NotTo(HaveOccurred())
	return keyPair{authority.CertPEM, authority.KeyPEM}
}

func validUntil(certificate []byte) time.Time {
	GinkgoHelper()
	parsed, err := x509.ParseCertificate(decodePEM(certificate))
	Expect(err).NotTo(HaveOccurred())
	return parsed.NotAfter
}

func decodePEM(data []byte) []byte {
	GinkgoHelper()
	block, _ := pem.Decode(data)
	Expect(block).NotTo(BeNil())
	return block.Bytes
}

// serviceAccount is the enricher's, with no rights but those that are bound to it.
func serviceAccount(config *rest.Config) *rest.Config {
	account := rest.CopyConfig(config)
	account.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:spark-status-enricher:spark-status-enricher"}
	return account
}

// createRole grants the rights that config/webhook adds to those of config/default.
func createRole(ctx context.Context) {
	GinkgoHelper()
	for _, object := range kustomize("webhook") {
		if object.GetName() == webhookSecret.Name && object.GroupVersionKind().Group == rbacv1.GroupName {
			Expect(kube.Create(ctx, object)).To(Succeed())
		}
	}
}

func applyManifest(ctx context.Context, path string) {
	GinkgoHelper()
	manifest, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	for _, object := range decode(manifest) {
		Expect(kube.Create(ctx, object)).To(Succeed())
	}
}
