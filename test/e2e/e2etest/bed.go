// Package e2etest is what the end-to-end suites share: a cluster for a suite, applications, and what is asked of them.
package e2etest

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

// Timeouts of the suites.
const (
	// Patience is how long a state may take to be reached.
	Patience = 2 * time.Minute
	// Interval is how often a state is looked at.
	Interval = 100 * time.Millisecond
)

// EnvWebhook is the environment variable that, set to anything, has the suites run as on Kubernetes before 1.36: the API
// server has no mutating policies and the enricher's webhook stands in for them.
const EnvWebhook = "E2E_WEBHOOK"

// EnvDirectory is the environment variable that names a folder to keep the logs of a suite in.
const EnvDirectory = "TESTBED_DIRECTORY"

// Options of a suite's bed.
type Options struct {
	// Bare leaves the enricher's CRD extension, policies and rules out.
	Bare bool
	// NoOperator leaves the operator out; a spec may start it.
	NoOperator bool
	// Enricher, where set, starts an enricher.
	Enricher *cluster.EnricherOptions
	Operator cluster.OperatorOptions
	Cluster  cluster.Options
}

// Bed is the cluster of a suite.
type Bed struct {
	*cluster.Cluster
	Operator *cluster.Process
	Enricher *cluster.Enricher
}

// Start builds what the suite needs and starts it; it is stopped when the suite ends. The ends of all logs are
// printed when a spec has failed.
func Start(ctx context.Context, opts Options) *Bed {
	GinkgoHelper()
	logf.SetLogger(logr.Discard())
	SetDefaultEventuallyTimeout(Patience)
	EnforceDefaultTimeoutsWhenUsingContexts()
	SetDefaultEventuallyPollingInterval(Interval)
	SetDefaultConsistentlyPollingInterval(Interval)

	root, err := cluster.Root()
	Expect(err).NotTo(HaveOccurred())
	Expect(cluster.Build(ctx, root, cluster.ProgramSparkSubmit, cluster.ProgramEnricher)).To(Succeed())
	opts.Cluster.Webhook = os.Getenv(EnvWebhook) != ""
	if opts.Cluster.Directory == "" {
		opts.Cluster.Directory = os.Getenv(EnvDirectory)
	}
	started, err := cluster.Start(ctx, opts.Cluster)
	Expect(err).NotTo(HaveOccurred())
	bed := &Bed{Cluster: started}
	DeferCleanup(bed.stop)
	if !opts.NoOperator {
		bed.Operator, err = bed.StartOperator(ctx, opts.Operator)
		Expect(err).NotTo(HaveOccurred())
	}
	if !opts.Bare {
		Expect(bed.Install(ctx)).To(Succeed())
	}
	if opts.Enricher == nil && opts.Cluster.Webhook && !opts.Bare {
		opts.Enricher = &cluster.EnricherOptions{}
		Expect(bed.HoldLease(ctx)).To(Succeed())
	}
	if opts.Enricher != nil {
		bed.Enricher, err = bed.StartEnricher(ctx, *opts.Enricher)
		Expect(err).NotTo(HaveOccurred())
	}
	return bed
}

func (b *Bed) stop() {
	Expect(b.Player.Failures()).To(BeEmpty(), "scripts that could not be played")
	Expect(b.Stop()).To(Succeed())
}

// Namespace makes a namespace for a spec. When the spec fails, what is in it and the ends of all logs are printed.
func (b *Bed) Namespace(ctx context.Context) string {
	GinkgoHelper()
	name, err := b.Cluster.Namespace(ctx, "e2e")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) {
		if CurrentSpecReport().Failed() {
			b.dump(ctx, name)
		}
	})
	return name
}

func (b *Bed) dump(ctx context.Context, namespace string) {
	for _, kind := range []string{"sparkapplications", "pods"} {
		out, err := b.Kubectl(ctx, "get", kind, "-n", namespace, "-o", "yaml", "--show-managed-fields=false")
		fmt.Fprintf(GinkgoWriter, "--- %s ---\n%s\n%v\n", kind, out, err)
	}
	requests, err := b.Audit()
	fmt.Fprintf(GinkgoWriter, "--- requests ---\n%s%v\n", requests.Where(audit.In(namespace)), err)
	for name, log := range b.Logs(8 << 10) {
		fmt.Fprintf(GinkgoWriter, "--- end of the log of %s ---\n%s\n", name, log)
	}
}
