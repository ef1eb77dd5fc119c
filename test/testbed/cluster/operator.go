package cluster

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/test/testbed/sparksubmit"
)

var operatorAccount = types.NamespacedName{Namespace: "spark-operator", Name: "spark-operator-controller"}

// OperatorUser is who the operator is to the API server.
var OperatorUser = "system:serviceaccount:" + operatorAccount.Namespace + ":" + operatorAccount.Name

const processReady = 60 * time.Second

// OperatorOptions say how the spark-operator runs.
type OperatorOptions struct {
	// SparkHome is a Spark distribution whose spark-submit the operator runs; empty means the stand-in.
	SparkHome string
	// SubmitDelay is how long the stand-in for spark-submit takes before it creates the pod.
	SubmitDelay time.Duration
	// Args are added to the operator's command line.
	Args []string
}

// StartOperator runs the real spark-operator without webhook and leader election, and with its rate limits raised.
func (c *Cluster) StartOperator(ctx context.Context, opts OperatorOptions) (*Process, error) {
	kubeconfig, err := c.operatorAccess(ctx)
	if err != nil {
		return nil, err
	}
	env, err := c.operatorEnvironment(kubeconfig, opts)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	args := append([]string{
		"controller", "start", `--namespaces=""`, "--leader-election=false", "--enable-ui-service=false",
		"--kube-api-qps=500", "--kube-api-burst=1000", "--controller-threads=20",
		"--workqueue-ratelimiter-bucket-qps=500", "--workqueue-ratelimiter-bucket-size=1000",
		fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", port),
	}, opts.Args...)
	process, err := startProcess("spark-operator", c.file("spark-operator.log"), filepath.Join(Bin(c.Root), "spark-operator"), args, env)
	if err != nil {
		return nil, err
	}
	c.processes = append(c.processes, process)
	return process, process.ready(ctx, fmt.Sprintf("http://127.0.0.1:%d/readyz", port), processReady)
}

// operatorAccess gives the operator all rights: what it may do is not what the tests are about.
func (c *Cluster) operatorAccess(ctx context.Context) (string, error) {
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "spark-operator"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: OperatorUser}},
	}
	if err := c.Client.Create(ctx, binding); err != nil && !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("binding the operator's role: %w", err)
	}
	return c.operatorKubeconfig(ctx)
}

// operatorKubeconfig holds a token: Spark's client cannot read the key of the control plane's client certificates.
func (c *Cluster) operatorKubeconfig(ctx context.Context) (string, error) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: operatorAccount.Namespace, Name: operatorAccount.Name}}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: operatorAccount.Namespace}}
	for _, object := range []client.Object{namespace, account} {
		if err := c.Client.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return "", fmt.Errorf("creating the operator's account: %w", err)
		}
	}
	config, err := c.ServiceAccountConfig(ctx, operatorAccount)
	if err != nil {
		return "", err
	}
	data, err := tokenKubeconfig(config, config.Host, operatorAccount.Namespace)
	if err != nil {
		return "", err
	}
	return c.write("spark-operator.kubeconfig", data)
}

func (c *Cluster) operatorEnvironment(kubeconfig string, opts OperatorOptions) ([]string, error) {
	sparkHome, err := c.sparkHome(opts)
	if err != nil {
		return nil, err
	}
	server, err := url.Parse(c.Config.Host)
	if err != nil {
		return nil, fmt.Errorf("reading the API server's address: %w", err)
	}
	return []string{
		"SPARK_HOME=" + sparkHome,
		clientcmd.RecommendedConfigPathEnvVar + "=" + kubeconfig,
		"KUBERNETES_SERVICE_HOST=" + server.Hostname(),
		"KUBERNETES_SERVICE_PORT=" + server.Port(),
		sparksubmit.EnvDelay + "=" + opts.SubmitDelay.String(),
	}, nil
}

func (c *Cluster) sparkHome(opts OperatorOptions) (string, error) {
	if opts.SparkHome != "" {
		return opts.SparkHome, nil
	}
	home := c.file("spark")
	if err := os.MkdirAll(filepath.Join(home, "bin"), 0o755); err != nil {
		return "", fmt.Errorf("making SPARK_HOME: %w", err)
	}
	link := filepath.Join(home, "bin", "spark-submit")
	if err := os.Symlink(filepath.Join(Bin(c.Root), "spark-submit"), link); err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("making SPARK_HOME: %w", err)
	}
	return home, nil
}
