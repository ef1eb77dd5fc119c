// Command chaos has hundreds of applications fail through the real operator while the enricher is killed, frozen,
// throttled and lied to, and tells how many failures it explained all the same. It runs three times: without the
// enricher, with the capture finalizer and without it. The last line is that of the run with the finalizer; the exit
// code is 1 if one of its promises is not kept.
//
// ATTEMPTS (default 300) is the number of applications, SEED that of the plan, MINUTES (default 5) how long they are
// submitted over, PROGRAM the enricher's binary, KEEP a folder that keeps the logs of all processes.
// ONLY (bare, off or on) makes one of the runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

// modes in their order: the baseline first, the run whose line is the last last.
var modes = []mode{
	{name: "without the enricher", short: "bare"},
	{name: "captureFinalizer off", short: "off", enricher: true},
	{name: "captureFinalizer on", short: "on", enricher: true, capture: true},
}

var errBroken = errors.New("promises were not kept")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	logf.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	if err := chaos(ctx); err != nil {
		if !errors.Is(err, errBroken) {
			fmt.Fprintln(os.Stderr, "chaos:", err)
		}
		stop()
		os.Exit(1)
	}
}

func chaos(ctx context.Context) error {
	s, err := readSettings()
	if err != nil {
		return err
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	if err := cluster.Build(ctx, root, cluster.ProgramEnricher, cluster.ProgramSparkSubmit); err != nil {
		return err
	}
	var f figures
	for _, m := range modes {
		if s.only != "" && s.only != m.short {
			continue
		}
		baseline := f.baseline
		if f, err = figuresOf(ctx, m, s, baseline); err != nil {
			return err
		}
		if !m.enricher {
			f.baseline = f.operatorErrors
		}
	}
	broken := f.broken()
	for _, promise := range broken {
		s.say("BROKEN: %s", promise)
	}
	fmt.Println(f)
	if len(broken) > 0 {
		return errBroken
	}
	return nil
}

// figuresOf makes one run and tells of it; the last line of the whole is left to the caller.
func figuresOf(ctx context.Context, m mode, s settings, baseline int) (figures, error) {
	start := time.Now()
	s.say("== %s: %d applications over %s, seed %d", m.name, s.apps, s.over, s.seed)
	o, err := run(ctx, m, s)
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w", m.name, err)
	}
	f := o.figures()
	f.baseline = baseline
	s.say("%s: took %s; struck %v; faults %v", m.name, time.Since(start).Round(time.Second), o.struck, o.faults)
	tell(s, m, o, f)
	return f, nil
}

func tell(s settings, m mode, o *outcome, f figures) {
	s.say("%s: applications whose reconcile failed: %v; because of outages: %v", m.name, o.operatorErrors, o.outageErrors)
	for _, stuck := range f.deadLocks {
		s.say("%s: stuck: %s", m.name, stuck)
	}
	for _, app := range f.hung {
		s.say("%s: hung by the operator itself: %s", m.name, app)
	}
	s.say("%s: %d more attempts failed that no status was seen to name", m.name, len(o.orphaned))
	if !m.enricher {
		s.say("%s: operator_errors %d stuck_apps %d lost_spec_updates %d", m.name, f.operatorErrors, f.stuckApps, f.lostSpecUpdates)
		return
	}
	for _, line := range f.crashes {
		s.say("%s: crashed: %s", m.name, line)
	}
	writes := map[string]int{}
	for _, w := range o.writes {
		writes[w.Verb+" "+w.Resource]++
	}
	s.say("%s: writes %v, %d of the patches of pods release or put on the finalizer, %.2f an attempt with these", m.name, writes,
		f.releases, float64(f.writes+f.releases)/float64(max(f.attempts, 1)))
	if !m.capture {
		s.say("%s: %s", m.name, f)
	}
	for _, line := range f.lostEntries {
		s.say("%s: lost: %s", m.name, line)
	}
	for _, line := range f.wrongEntries {
		s.say("%s: wrong: %s", m.name, line)
	}
}

func readSettings() (settings, error) {
	s := settings{program: os.Getenv("PROGRAM"), keep: os.Getenv("KEEP"), only: os.Getenv("ONLY"), say: func(format string, args ...any) { fmt.Printf(format+"\n", args...) }}
	apps, err := number("ATTEMPTS", 300)
	if err != nil {
		return s, err
	}
	seed, err := number("SEED", 1)
	if err != nil {
		return s, err
	}
	minutes, err := number("MINUTES", 5)
	if err != nil {
		return s, err
	}
	s.apps, s.seed, s.over = apps, uint64(seed), time.Duration(minutes)*time.Minute
	return s, nil
}

func number(name string, standard int) (int, error) {
	text := os.Getenv(name)
	if text == "" {
		return standard, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%s: want a positive number, got %q", name, text)
	}
	return n, nil
}
