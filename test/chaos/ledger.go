package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

const labelSubmissionID = "sparkoperator.k8s.io/submission-id"

// entry is one attempt whose driver has ended as its script says.
type entry struct {
	app          string
	submissionID string
	podUID       string
	ending       ending
	at           time.Time
}

// ledger is the truth: which attempts there were, and which of them the operator has named in a status.
type ledger struct {
	mu      sync.Mutex
	entries []entry
	named   map[string]bool // submission IDs
}

func newLedger() *ledger { return &ledger{named: map[string]bool{}} }

// ended is the step that notes the end of a driver.
func (l *ledger) ended(app string, f ending) script.Step {
	return func(_ context.Context, pod script.Pod) error {
		snapshot := pod.Snapshot()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.entries = append(l.entries, entry{
			app: app, submissionID: snapshot.Labels[labelSubmissionID], podUID: string(snapshot.UID), ending: f, at: time.Now(),
		})
		return nil
	}
}

// name notes that a status has named a submission.
func (l *ledger) name(submissionID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.named[submissionID] = true
}

// all gives the attempts that failed, apart from them those that no status named when anybody looked, and those that
// were well.
func (l *ledger) all() (known, orphaned, well []entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		switch {
		case e.ending.reason == "":
			well = append(well, e)
		case l.named[e.submissionID]:
			known = append(known, e)
		default:
			orphaned = append(orphaned, e)
		}
	}
	return known, orphaned, well
}

// attemptsOf counts the attempts of an application that have ended.
func (l *ledger) attemptsOf(app string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(l.entries), func(e entry) bool { return e.app != app }))
}
