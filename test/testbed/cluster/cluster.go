// Package cluster starts what the tests and the demo run against: etcd and a kube-apiserver with RBAC, the operator's
// CRDs, a node that plays pods, the real spark-operator and the enricher, each of the latter as a process of its own.
// Everything listens on loopback and free ports, and several clusters may run beside each other.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/node"
	"github.com/spark-status-enricher/enricher/test/testbed/player"
)

const (
	nodeName          = "testbed-node"
	controlPlaneStart = 60 * time.Second
)

// Options of a cluster.
type Options struct {
	// Cases is the folder of case directories for scripts called case/NAME.
	Cases string
	// Directory keeps logs, kubeconfigs and state; empty means a temporary one that Stop removes.
	Directory string
	// APIServerFlags are set on the kube-apiserver, by name without dashes.
	APIServerFlags map[string]string
	// Webhook has the API server do without mutating policies, and the enricher's webhook stand in for them.
	Webhook bool
}

// Cluster is a running control plane with one node.
type Cluster struct {
	Root      string
	Directory string
	// Config and Client are those of an administrator, without client-side throttling.
	Config *rest.Config
	Kube   kubernetes.Interface
	// Operator's view: SparkApplications as the operator's own types know them.
	Client client.Client
	// Enriched reads SparkApplications with the enricher's fields.
	Enriched client.Client
	Library  *player.Library
	Player   *player.Player

	environment *envtest.Environment
	node        *node.Node
	stopPlayer  context.CancelFunc
	processes   []*Process
	temporary   bool
	webhook     bool
}

// Start brings the control plane and the node up. Neither the operator nor the enricher runs yet.
func Start(ctx context.Context, opts Options) (_ *Cluster, err error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	if err := missing(root); err != nil {
		return nil, err
	}
	c := &Cluster{Root: root, Directory: opts.Directory, Library: &player.Library{Cases: opts.Cases}, webhook: opts.Webhook}
	if opts.Webhook {
		opts.APIServerFlags = withoutPolicies(opts.APIServerFlags)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	if err := c.makeDirectory(); err != nil {
		return nil, err
	}
	if err := c.startControlPlane(ctx, opts); err != nil {
		return nil, err
	}
	if err := c.connect(); err != nil {
		return nil, err
	}
	return c, c.startNode()
}

func (c *Cluster) makeDirectory() error {
	if c.Directory != "" {
		return os.MkdirAll(c.Directory, 0o755)
	}
	var err error
	c.Directory, err = os.MkdirTemp("", "testbed-")
	c.temporary = true
	return err
}

func (c *Cluster) startControlPlane(ctx context.Context, opts Options) error {
	crds, err := operatorCRDs(ctx, c.Root)
	if err != nil {
		return err
	}
	if err := audit.WritePolicy(c.file("audit-policy.yaml")); err != nil {
		return err
	}
	c.environment = &envtest.Environment{
		BinaryAssetsDirectory:    controlPlaneBin(c.Root),
		CRDInstallOptions:        envtest.CRDInstallOptions{Paths: []string{crds}, ErrorIfPathMissing: true, MaxTime: controlPlaneStart},
		ControlPlaneStartTimeout: controlPlaneStart,
		ControlPlaneStopTimeout:  serverStop,
	}
	server := c.environment.ControlPlane.GetAPIServer()
	server.Configure().Set("audit-policy-file", c.file("audit-policy.yaml")).Set("audit-log-path", c.AuditLog())
	for flag, value := range opts.APIServerFlags {
		server.Configure().Set(flag, value)
	}
	server.CertDir = c.certificates()
	if err := os.MkdirAll(server.CertDir, 0o700); err != nil {
		return fmt.Errorf("making the folder of certificates: %w", err)
	}
	if server.Err, err = os.Create(c.file("kube-apiserver.log")); err != nil {
		return fmt.Errorf("opening the log of kube-apiserver: %w", err)
	}
	c.Config, err = c.environment.Start()
	if err != nil {
		return fmt.Errorf("starting the control plane: %w", err)
	}
	c.Config.QPS = -1
	return nil
}

func (c *Cluster) startNode() error {
	ctx, stop := context.WithCancel(context.Background())
	c.stopPlayer = stop
	c.Player = player.New(ctx, c.Kube, c.Library)
	var err error
	c.node, err = node.Start(ctx, c.Kube, node.Options{Name: nodeName, Workload: c.Player})
	if err != nil {
		return err
	}
	return startCollector(ctx, c.Config)
}

// Stop ends everything that was started, in reverse order, and removes a temporary directory.
func (c *Cluster) Stop() error {
	var errs []error
	for i := len(c.processes) - 1; i >= 0; i-- {
		errs = append(errs, c.processes[i].Stop())
	}
	if c.stopPlayer != nil {
		c.stopPlayer()
		c.Player.Wait()
	}
	if c.node != nil {
		errs = append(errs, c.node.Stop())
	}
	if c.environment != nil {
		errs = append(errs, unlessKilled(c.environment.Stop()))
	}
	if c.temporary {
		errs = append(errs, os.RemoveAll(c.Directory))
	}
	return errors.Join(errs...)
}

// AuditLog is the file of the API server's audit log.
func (c *Cluster) AuditLog() string { return c.file("audit.log") }

// Audit reads what the API server has logged of requests to pods, applications and events.
func (c *Cluster) Audit() (audit.Log, error) { return audit.Read(c.AuditLog()) }

// Logs gives the end of each process's output, for a failed test.
func (c *Cluster) Logs(bytes int) map[string]string {
	logs := map[string]string{}
	for _, p := range c.processes {
		logs[p.Name] = tail(p.Log(), bytes)
	}
	return logs
}

func (c *Cluster) file(name string) string { return filepath.Join(c.Directory, name) }
