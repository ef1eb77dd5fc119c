package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/faults"
)

const (
	serverDown = 3 * time.Second
	beat       = 250 * time.Millisecond
)

// director strikes as the storm says and keeps the replicas running. It is the only one to start and end processes.
type director struct {
	bed      *cluster.Cluster
	proxy    *faults.Proxy // nil without an enricher
	replicas []*replica
	operator *cluster.Process
	storm    []strike
	random   *rand.Rand
	say      func(format string, args ...any)
	struck   map[blow]int
	// operatorUp is held while the operator is restarted.
	operatorUp sync.RWMutex
}

// direct lets the storm run its course until ctx ends.
func (d *director) direct(ctx context.Context) error {
	start := time.Now()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		for len(d.storm) > 0 && time.Since(start) > d.storm[0].at {
			next := d.storm[0]
			d.storm = d.storm[1:]
			if err := d.strike(ctx, next); err != nil {
				return fmt.Errorf("%s: %w", next.what, err)
			}
		}
		d.tend(ctx)
	}
}

// tend keeps every replica running. What cannot be started now is started in a later round.
func (d *director) tend(ctx context.Context) {
	for _, r := range d.replicas {
		if err := r.tend(ctx, d.bed, d.random, time.Now()); err != nil && ctx.Err() == nil {
			d.say("%s: %v", r.name, err)
		}
	}
}

// strike is not left half done when the storm is over.
func (d *director) strike(ctx context.Context, s strike) error {
	ctx = context.WithoutCancel(ctx)
	switch s.what {
	case restartServer:
		d.struck[s.what]++
		return d.bed.RestartAPIServer(ctx, serverDown)
	case restartOperator:
		d.struck[s.what]++
		return d.restartOperator(ctx)
	}
	leader, standby := d.roles(ctx)
	target := leader
	if s.what == killStandby {
		target = standby
	}
	if target == nil || d.proxy == nil {
		return nil
	}
	d.struck[s.what]++
	switch s.what {
	case freezeLeader:
		return target.freeze(time.Now())
	case resignLeader:
		return target.process.Signal(syscall.SIGTERM)
	case cutConnections:
		d.proxy.CutAll()
		return nil
	default:
		return target.process.Kill()
	}
}

// roles tells the leader from the standby; either may be nil.
func (d *director) roles(ctx context.Context) (leader, standby *replica) {
	for _, r := range d.replicas {
		switch {
		case r.leader(ctx):
			leader = r
		case r.alive() && r.thawAt.IsZero():
			standby = r
		}
	}
	return leader, standby
}

// restartOperator has the operator finish what it is at, as a rolling update does: killed while it submits, it never
// learns of the driver that it made, and the application hangs, with or without an enricher.
func (d *director) restartOperator(ctx context.Context) error {
	d.operatorUp.Lock()
	defer d.operatorUp.Unlock()
	if err := d.operator.Stop(); err != nil {
		return err
	}
	operator, err := d.bed.StartOperator(ctx, operatorOptions)
	if err != nil {
		return err
	}
	d.operator = operator
	return nil
}

// calm ends the bad weather: no faults, every replica running.
func (d *director) calm(ctx context.Context) {
	if d.proxy != nil {
		d.proxy.Set()
	}
	for _, r := range d.replicas {
		if !r.thawAt.IsZero() {
			if err := r.thaw(); err != nil {
				d.say("%s: %v", r.name, err)
			}
		}
	}
	d.storm = nil
	d.tend(ctx)
}
