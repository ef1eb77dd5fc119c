package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

// planned is one application: what its attempts do, in order, and when it is submitted.
type planned struct {
	namespace, name string
	at              time.Duration
	attempts        []ending
	runs            []time.Duration // how long the driver of each attempt runs
	retries         int32
	interval        int64 // seconds; short ones have the operator delete the pod right after its ending
	annotating      bool
	// respecified applications get another specification right after they have failed, and so one more attempt.
	respecified bool
}

const (
	namespaces      = 4
	namespacePrefix = "chaos-"
	maxRetries      = 3
	maxRun          = 3 * time.Second
	respecifyEvery  = 12
	recoverEvery    = 6
	annotatingEvery = 5
)

// planApplications deals out failures to count applications that are submitted evenly over a time. The same seed gives
// the same plan.
func planApplications(seed uint64, count int, over time.Duration) []planned {
	random := rand.New(rand.NewPCG(seed, 1))
	next := 0
	deal := func() ending {
		next++
		return failures[(next-1)%len(failures)]
	}
	apps := make([]planned, 0, count)
	for i := range count {
		app := planned{
			namespace: namespacePrefix + fmt.Sprint(i%namespaces), name: fmt.Sprintf("app-%04d", i),
			at:         over * time.Duration(i) / time.Duration(count),
			retries:    int32(i % (maxRetries + 1)),
			interval:   1 + 4*int64(random.IntN(2)),
			annotating: i%annotatingEvery == 0,
		}
		app.respecified = i%respecifyEvery == 0
		for range app.attemptCount() {
			app.attempts = append(app.attempts, deal())
			app.runs = append(app.runs, time.Duration(random.Int64N(int64(maxRun))))
		}
		if last := len(app.attempts) - 1; app.retries > 0 && !app.respecified && i%recoverEvery == 1 {
			app.attempts[last] = success
		}
		apps = append(apps, app)
	}
	return apps
}

// attemptCount is how often the operator submits the application: an application that is given another specification
// starts counting anew, so that it never retries keeps its attempts few.
func (p *planned) attemptCount() int {
	if p.respecified {
		p.retries = 0
		return 2
	}
	return int(p.retries) + 1
}

// application builds the object; its driver pods report their end to the ledger.
func (p *planned) application(book *ledger) (*build.Application, script.Script) {
	app := build.App(p.namespace, p.name).Plays(p.key())
	if p.retries > 0 {
		app.Retries(p.retries, p.interval)
	}
	if p.annotating {
		app.Annotating("true")
	}
	var s script.Script
	for i, f := range p.attempts {
		steps := append([]script.Step{script.Running(), script.Pause(p.runs[i])}, f.steps...)
		s = s.Then(append(steps, book.ended(p.key(), f))...)
	}
	return app, s
}

func (p *planned) key() string { return p.namespace + "/" + p.name }
