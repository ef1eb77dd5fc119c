package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

const tokenSeconds = 24 * 60 * 60

func (c *Cluster) connect() error {
	var err error
	if c.Kube, err = kubernetes.NewForConfig(c.Config); err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	if c.Client, err = newClient(c.Config, operatorv1beta2.AddToScheme); err != nil {
		return err
	}
	c.Enriched, err = newClient(c.Config, v1beta2.AddToScheme)
	return err
}

func newClient(config *rest.Config, add func(*runtime.Scheme) error) (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := add(scheme); err != nil {
		return nil, err
	}
	made, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return made, nil
}

// Namespace creates a namespace with a unique name. It is never deleted: there is no controller to empty it.
func (c *Cluster) Namespace(ctx context.Context, prefix string) (string, error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix + "-"}}
	if err := c.Client.Create(ctx, namespace); err != nil {
		return "", fmt.Errorf("creating a namespace: %w", err)
	}
	return namespace.Name, nil
}

// User makes a kubeconfig file, called after the first argument, for a user with a client certificate.
func (c *Cluster) User(file, name string, groups ...string) (string, error) {
	user, err := c.environment.AddUser(envtest.User{Name: name, Groups: groups}, nil)
	if err != nil {
		return "", fmt.Errorf("adding user %s: %w", name, err)
	}
	data, err := user.KubeConfig()
	if err != nil {
		return "", fmt.Errorf("writing the kubeconfig of %s: %w", name, err)
	}
	return c.write(file+".kubeconfig", data)
}

// ServiceAccountConfig gives the access of a ServiceAccount, by a token as a pod would have it.
func (c *Cluster) ServiceAccountConfig(ctx context.Context, account types.NamespacedName) (*rest.Config, error) {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(tokenSeconds))}}
	token, err := c.Kube.CoreV1().ServiceAccounts(account.Namespace).CreateToken(ctx, account.Name, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("requesting a token of %s: %w", account, err)
	}
	config := rest.AnonymousClientConfig(c.Config)
	config.BearerToken = token.Status.Token
	return config, nil
}

// tokenKubeconfig is a kubeconfig for the config's bearer token.
func tokenKubeconfig(config *rest.Config, server, namespace string) ([]byte, error) {
	data, err := clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: server, CertificateAuthorityData: config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {Token: config.BearerToken}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u", Namespace: namespace}},
		CurrentContext: "x",
	})
	if err != nil {
		return nil, fmt.Errorf("writing a kubeconfig: %w", err)
	}
	return data, nil
}

// AdminKubeconfig writes the administrator's kubeconfig and gives its path.
func (c *Cluster) AdminKubeconfig() (string, error) {
	return c.write("kubeconfig", c.environment.KubeConfig)
}

func (c *Cluster) write(name string, data []byte) (string, error) {
	path := c.file(name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("writing %s: %w", path, err)
	}
	return path, nil
}

// Kubectl runs kubectl as administrator and gives what it printed.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (string, error) {
	return c.run(ctx, c.KubectlPath(), args...)
}

// Shell runs a script in which kubectl is this cluster's, as administrator, and gives what it printed.
func (c *Cluster) Shell(ctx context.Context, script string) (string, error) {
	path := "PATH=" + controlPlaneBin(c.Root) + string(os.PathListSeparator) + os.Getenv("PATH")
	return c.run(ctx, "env", path, "bash", "-c", script)
}

// KubectlPath is the kubectl that the test bed uses.
func (c *Cluster) KubectlPath() string { return filepath.Join(controlPlaneBin(c.Root), "kubectl") }

// Enricher runs a command of the enricher as administrator and gives what it printed.
func (c *Cluster) Enricher(ctx context.Context, args ...string) (string, error) {
	return c.run(ctx, filepath.Join(Bin(c.Root), "enricher"), args...)
}

func (c *Cluster) run(ctx context.Context, program string, args ...string) (string, error) {
	kubeconfig, err := c.AdminKubeconfig()
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, program, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %v: %w: %s", filepath.Base(program), args, err, out.String())
	}
	return out.String(), nil
}
