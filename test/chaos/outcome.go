package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

const reportingController = "spark-status-enricher.io/enricher"

// outcome is everything that a run left behind.
type outcome struct {
	apps            []planned
	known, orphaned []entry // attempts that failed
	well            []entry // attempts that did not
	statuses        map[string]*v1beta2.SparkApplication
	rounds          map[string]int // attempts played, by application
	pods            []corev1.Pod
	at              time.Time

	// The following are read once, in the end.
	events         []eventsv1.Event
	writes         audit.Log
	notes          audit.Log       // the operator's writes of statuses
	unready        map[string]bool // applications whose last submission was not noted for want of a schema
	submissions    audit.Log       // the pods that spark-submit made
	operatorErrors map[string]int  // applications whose reconcile failed, by kind of error
	outageErrors   map[string]int  // the same of kinds that only tell of a server that is away or just coming
	told           map[string]bool
	crashes        []string // lines in which an enricher tells of its own fault
	struck         map[blow]int
	faults         map[string]int
}

// observe reads applications and pods.
func observe(ctx context.Context, bed *cluster.Cluster, apps []planned, book *ledger) (*outcome, error) {
	o := &outcome{at: time.Now(), apps: apps, rounds: map[string]int{}, statuses: map[string]*v1beta2.SparkApplication{}}
	list := &v1beta2.SparkApplicationList{}
	pods := &corev1.PodList{}
	err := persist(ctx, func() error {
		if err := bed.Enriched.List(ctx, list); err != nil {
			return err
		}
		return bed.Client.List(ctx, pods, client.MatchingLabels{spark.LabelRole: spark.RoleDriver})
	})
	if err != nil {
		return nil, fmt.Errorf("reading what came of it: %w", err)
	}
	for i := range list.Items {
		app := &list.Items[i]
		o.statuses[client.ObjectKeyFromObject(app).String()] = app
		book.name(app.Status.SubmissionID)
	}
	for i := range apps {
		o.rounds[apps[i].key()] = book.attemptsOf(apps[i].key())
	}
	o.pods = pods.Items
	o.known, o.orphaned, o.well = book.all()
	return o, nil
}

// readLogs adds what events, audit log and the processes' logs tell.
func (o *outcome) readLogs(ctx context.Context, d *director) error {
	events, err := d.bed.Kube.EventsV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing events: %w", err)
	}
	for _, event := range events.Items {
		if event.ReportingController == reportingController {
			o.events = append(o.events, event)
		}
	}
	log, err := d.bed.Audit()
	if err != nil {
		return err
	}
	o.writes = log.Where(audit.By(cluster.EnricherUser), audit.Writes, audit.Succeeded, inChaos)
	o.notes = log.Where(audit.By(cluster.OperatorUser), audit.Writes, audit.On("sparkapplications/status"))
	o.submissions = log.Where(audit.By(cluster.OperatorUser), audit.On("pods"), audit.Succeeded, func(r audit.Request) bool { return r.Verb == "create" })
	if o.operatorErrors, o.outageErrors, err = errorsIn(d.operator.LogFile); err != nil {
		return err
	}
	if o.unready, err = unreadyIn(d.operator.LogFile); err != nil {
		return err
	}
	o.told = map[string]bool{}
	for _, r := range d.replicas {
		if r.process != nil {
			if err := diagnosesIn(r.process.LogFile, o.told); err != nil {
				return err
			}
			crashes, err := crashesIn(r.process.LogFile)
			if err != nil {
				return err
			}
			o.crashes = append(o.crashes, crashes...)
		}
	}
	o.struck, o.faults = d.struck, map[string]int{}
	if d.proxy != nil {
		for kind, times := range d.proxy.Counts() {
			o.faults[string(kind)] = times
		}
	}
	return nil
}

// inChaos leaves out what replicas tell of their lease.
func inChaos(r audit.Request) bool { return strings.HasPrefix(r.Namespace, namespacePrefix) }

// logLine is a line of a structured log, of the operator or of the enricher.
type logLine struct {
	Level, Msg, Error, SubmissionID string
	SparkApplication                types.NamespacedName
}

func readLines(file string, each func(logLine)) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading a log: %w", err)
	}
	scanner := bufio.NewScanner(bytes.NewReader(data))
	scanner.Buffer(nil, 4<<20)
	for scanner.Scan() {
		var line logLine
		if json.Unmarshal(scanner.Bytes(), &line) == nil {
			each(line)
		}
	}
	return scanner.Err()
}

// errorsIn counts the operator's failed reconciles by the kinds of their errors, each application and kind once: how
// often one is tried again is up to the operator's back-off and to the length of an outage.
func errorsIn(file string) (failures, outages map[string]int, err error) {
	failures, outages = map[string]int{}, map[string]int{}
	counted := map[string]bool{}
	err = readLines(file, func(line logLine) {
		kind, outage := kindOf(line.Error)
		key := kind + " " + line.SparkApplication.String()
		switch {
		case line.Level != "ERROR" || counted[key]:
			return
		case outage:
			outages[kind]++
		default:
			failures[kind]++
		}
		counted[key] = true
	})
	return failures, outages, err
}

const noSchema = "policies have no schema yet"

// kinds of errors, by words that tell them, the first that fits. Outages only tell of an API server that is away, of one
// that has just come and has not read roles, schemas and pods yet, or of the operator's own end.
var kinds = []struct {
	name   string
	words  []string
	outage bool
}{
	{name: "conflict", words: []string{"the object has been modified"}},
	{name: "pod is still there", words: []string{"needed to be deleted", "already exist"}},
	{name: "server has no roles yet", words: []string{"is forbidden: User"}, outage: true},
	{name: noSchema, words: []string{"Resource kind"}, outage: true},
	{name: "pods are not seen yet", words: []string{"driver pod not found"}, outage: true},
	{name: "operator ends", words: []string{"context canceled"}, outage: true},
	{name: "server is away", outage: true, words: []string{
		"connection refused", "connection reset", "EOF", "http2:", "apiserver not ready", "context deadline", "shutting down",
		"not yet ready",
	}},
	{name: "object is gone", words: []string{"not found"}},
}

// kindOf shortens an error to what it is about, and says whether it only tells of an outage.
func kindOf(text string) (string, bool) {
	for _, kind := range kinds {
		if slices.ContainsFunc(kind.words, func(word string) bool { return strings.Contains(text, word) }) {
			return kind.name, kind.outage
		}
	}
	return fmt.Sprintf("%.80s", text), false
}

// unreadyIn finds the applications whose last submission the operator could not note because the API server had no
// schema for a policy that matched.
func unreadyIn(file string) (map[string]bool, error) {
	unready, submitting := map[string]bool{}, map[string]bool{}
	err := readLines(file, func(line logLine) {
		app := line.SparkApplication.String()
		switch {
		case line.Msg == "Submitting SparkApplication":
			submitting[app], unready[app] = true, false
		case line.Msg == "Reconciling SparkApplication":
			submitting[app] = false
		case line.Level == "ERROR" && submitting[app]:
			kind, _ := kindOf(line.Error)
			unready[app] = kind == noSchema
			submitting[app] = false
		}
	})
	return unready, err
}

// diagnosesIn notes the submissions that an enricher has told a diagnosis of.
func diagnosesIn(file string, told map[string]bool) error {
	return readLines(file, func(line logLine) {
		if line.Msg == "Diagnosed a failed attempt" {
			told[line.SubmissionID] = true
		}
	})
}

// crashMarks tell of a fault of the program itself: what the Go runtime, its race detector and the controller library
// print.
var crashMarks = []string{"panic: ", "fatal error: ", "WARNING: DATA RACE", "Observed a panic"}

// crashesIn lists the lines that tell of a crash of an enricher.
func crashesIn(file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	var crashes []string
	for line := range strings.Lines(string(data)) {
		if slices.ContainsFunc(crashMarks, func(mark string) bool { return strings.Contains(line, mark) }) {
			crashes = append(crashes, strings.TrimSpace(line))
		}
	}
	return crashes, nil
}
