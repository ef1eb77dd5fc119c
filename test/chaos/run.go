package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/faults"
)

// mode is one of the runs that are compared.
type mode struct {
	name, short       string
	enricher, capture bool
}

// directory makes the folder of what the run's processes log, where that is wanted.
func (m mode) directory(s settings) (string, error) {
	if s.keep == "" {
		return "", nil
	}
	if err := os.MkdirAll(s.keep, 0o755); err != nil {
		return "", fmt.Errorf("making a folder for logs: %w", err)
	}
	return os.MkdirTemp(s.keep, m.short+"-")
}

// settings of all runs.
type settings struct {
	seed    uint64
	apps    int
	over    time.Duration
	program string
	// keep is a folder for the logs of all processes, "" for none.
	keep string
	// only is the short name of the one mode to run, "" for all.
	only string
	say  func(format string, args ...any)
}

// settleTimeout is how long everything may take to come to rest after the last submission.
const settleTimeout = 5 * time.Minute

// lastWrites is how long the last events and releases may take after that.
const lastWrites = 15 * time.Second

// run plays one run from its first application to rest, and reads what came of it.
func run(ctx context.Context, m mode, s settings) (_ *outcome, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	directory, err := m.directory(s)
	if err != nil {
		return nil, err
	}
	bed, err := cluster.Start(ctx, cluster.Options{Directory: directory})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bed.Stop()) }()
	d, err := prepare(ctx, bed, m, s)
	if err != nil {
		return nil, err
	}
	if d.proxy != nil {
		defer d.proxy.Stop()
	}
	book := newLedger()
	watch, err := watchApplications(ctx, bed, book)
	if err != nil {
		return nil, err
	}
	apps := planApplications(s.seed, s.apps, s.over)
	if err := storm(ctx, d, s, func(ctx context.Context) error { return submitAll(ctx, d, apps, book, watch) }); err != nil {
		return nil, err
	}
	if err := rest(ctx, d, m, s, apps, book); err != nil {
		return nil, err
	}
	o, err := observe(ctx, bed, apps, book)
	if err != nil {
		return nil, err
	}
	return o, o.readLogs(ctx, d)
}

// operatorOptions bound the operator's patience: after some failures in a row, as while the API server is away, it else
// leaves an application alone for up to a quarter of an hour, with and without an enricher.
var operatorOptions = cluster.OperatorOptions{Args: []string{"--workqueue-ratelimiter-max-delay=20s"}}

// prepare installs what the mode needs and starts the operator and the replicas.
func prepare(ctx context.Context, bed *cluster.Cluster, m mode, s settings) (*director, error) {
	d := &director{
		bed: bed, storm: planStorm(s.seed, s.over), random: rand.New(rand.NewPCG(s.seed, 3)),
		say: s.say, struck: map[blow]int{},
	}
	for i := range namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespacePrefix + fmt.Sprint(i)}}
		if err := bed.Client.Create(ctx, namespace); err != nil {
			return nil, fmt.Errorf("creating a namespace: %w", err)
		}
	}
	if m.enricher {
		if err := prepareEnricher(ctx, d, m, s); err != nil {
			return nil, err
		}
	}
	var err error
	d.operator, err = bed.StartOperator(ctx, operatorOptions)
	return d, err
}

func prepareEnricher(ctx context.Context, d *director, m mode, s settings) error {
	var args []string
	if m.capture {
		args = []string{"--with", "finalizer,termination-message"}
	}
	if err := d.bed.Install(ctx, args...); err != nil {
		return err
	}
	certificate, err := d.bed.ServerCertificate()
	if err != nil {
		return err
	}
	d.proxy, err = faults.Start(faults.Options{
		Target: d.bed.Config.Host, CA: d.bed.Config.CAData, Certificate: certificate, Seed: s.seed,
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"enricher-a", "enricher-b"} {
		d.replicas = append(d.replicas, newReplica(name, d.proxy.URL, s.program, m.capture))
	}
	return nil
}

// storm lets the director strike while the applications are submitted.
func storm(ctx context.Context, d *director, s settings, submit func(context.Context) error) error {
	if d.proxy != nil {
		d.proxy.Set(weather()...)
	}
	group, ctx := errgroup.WithContext(ctx)
	stormy, over := context.WithTimeout(ctx, s.over+maxRun)
	defer over()
	group.Go(func() error { return d.direct(stormy) })
	group.Go(func() error { return submit(ctx) })
	return group.Wait()
}

// rest waits until every application has come to its end and every attempt is told, or the time is up: what is left
// then is stuck or lost.
func rest(ctx context.Context, d *director, m mode, s settings, apps []planned, book *ledger) error {
	d.calm(ctx)
	deadline := time.Now().Add(settleTimeout)
	for time.Now().Before(deadline) {
		o, err := observe(ctx, d.bed, apps, book)
		if err != nil {
			return err
		}
		f := o.figures()
		untold := f.lost
		if !m.capture {
			untold = 0 // what is lost is lost
		}
		if f.stuckApps+f.stuckFinalizers+f.lostSpecUpdates+untold == 0 {
			break
		}
		s.say("%s: waiting for %d applications, %d finalizers, %d specifications, %d diagnoses",
			m.name, f.stuckApps, f.stuckFinalizers, f.lostSpecUpdates, untold)
		if err := pause(ctx, 5*time.Second); err != nil {
			return err
		}
		d.tend(ctx)
	}
	if err := pause(ctx, lastWrites); err != nil {
		return err
	}
	d.tend(ctx)
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
