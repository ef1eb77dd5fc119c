package main

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

const (
	leaseDuration = 8 * time.Second
	renewDeadline = 5 * time.Second
	retryPeriod   = time.Second
	// frozenFor is longer than the lease.
	frozenFor = leaseDuration + 4*time.Second
	// maxDown is how long a replica that has ended stays away at most.
	maxDown = 6 * time.Second
)

// replica is one enricher that is started again whenever it has ended, as a Deployment does.
type replica struct {
	name    string
	options cluster.EnricherOptions
	process *cluster.Enricher

	startAt time.Time // while it is down
	thawAt  time.Time // while it is frozen
}

func newReplica(name, server, program string, capture bool) *replica {
	return &replica{name: name, options: cluster.EnricherOptions{
		Name: name, Server: server, Program: program, NotReady: true,
		Configure: func(c *configv1alpha1.EnricherConfiguration) {
			c.CaptureFinalizer = &capture
			c.LeaderElection.LeaseDuration = &metav1.Duration{Duration: leaseDuration}
			c.LeaderElection.RenewDeadline = &metav1.Duration{Duration: renewDeadline}
			c.LeaderElection.RetryPeriod = &metav1.Duration{Duration: retryPeriod}
		},
	}}
}

// tend starts the replica where it is due, and lets it go on where it was frozen for long enough.
func (r *replica) tend(ctx context.Context, bed *cluster.Cluster, random *rand.Rand, now time.Time) error {
	switch {
	case !r.thawAt.IsZero() && now.After(r.thawAt):
		return r.thaw()
	case r.alive():
		return nil
	case r.startAt.IsZero():
		r.startAt = now.Add(time.Duration(random.Int64N(int64(maxDown))))
		return nil
	case now.Before(r.startAt):
		return nil
	}
	process, err := bed.StartEnricher(ctx, r.options)
	if err != nil {
		return err // an API server that is away; the next round tries again
	}
	r.process, r.startAt = process, time.Time{}
	return nil
}

func (r *replica) alive() bool {
	if r.process == nil {
		return false
	}
	select {
	case <-r.process.Done():
		return false
	default:
		return true
	}
}

func (r *replica) freeze(now time.Time) error {
	r.thawAt = now.Add(frozenFor)
	return r.process.Signal(syscall.SIGSTOP)
}

func (r *replica) thaw() error {
	r.thawAt = time.Time{}
	return r.process.Signal(syscall.SIGCONT)
}

var leads = regexp.MustCompile(`(?m)^leader_election_master_status\{.*\} 1$`)

// leader is true if the replica says so; one that does not answer is none.
func (r *replica) leader(ctx context.Context) bool {
	if !r.alive() || !r.thawAt.IsZero() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.process.Metrics, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return err == nil && leads.Match(body)
}
