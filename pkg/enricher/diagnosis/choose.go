package diagnosis

import (
	"slices"
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// reading is what a text holds.
type reading struct {
	found []throwable.Found
	marks marks
	// commandFailed is true where the exit code is one by which a shell tells that a command could not be run.
	commandFailed bool
}

// readLog reads the log of a driver.
func readLog(s *podView) reading {
	r := readText(tail(s.Log))
	code := s.exitCode()
	r.commandFailed = code != nil && *code >= 126 && *code <= 128
	return r
}

func readText(text string) reading {
	var r throwable.Reader
	var m marks
	for line := range logtext.Lines(text) {
		r.Feed(line)
		m.see(line, r.Line())
	}
	return reading{found: r.Found(), marks: m}
}

// weight orders findings by how surely they ended the program.
type weight int

const (
	noWeight weight = iota
	// mentioned: a WARN, or an error that the program went on after.
	mentioned
	// recorded: a record of level ERROR without an exception.
	recorded
	// logged: an exception in a record of level ERROR, or printed by the program.
	logged
	// uncaught: an exception that nobody caught, an error of the launcher.
	uncaught
	// final: the JVM says itself that it ends.
	final
)

// weigh judges one finding.
func (r *reading) weigh(f *throwable.Found) weight {
	switch {
	case isNoise(f, &r.marks):
		return noWeight
	case f.Kind == throwable.JVM:
		return final
	case f.Level == logtext.Warn:
		return r.weighWarning(f)
	case f.Kind == throwable.Launcher:
		if f.Shell && r.marks.firstRecord > 0 && !r.commandFailed {
			return noWeight // a start script or the program called a command that is missing, and Spark ran all the same
		}
		if r.marks.progress > f.Index {
			return noWeight
		}
		return uncaught
	case f.Uncaught || strings.Contains(f.Logger, "UncaughtExceptionHandler"):
		return uncaught
	case f.Logger == "Executor": // a task that failed, in local mode: the job may go on
		return mentioned
	case r.marks.progress > f.Index:
		return mentioned
	case f.Kind == throwable.Record, f.Kind == throwable.R, f.Frameless:
		return recorded
	}
	return logged
}

// weighWarning: spark-submit words what ends it as a warning, and so does Spark that executors cannot be created.
func (r *reading) weighWarning(f *throwable.Found) weight {
	switch {
	case strings.Contains(f.Logger, "SparkSubmit"):
		return uncaught
	case strings.HasPrefix(f.Logger, "ExecutorPods") && isOneOf(f.Class, []string{"KubernetesClientException"}) &&
		r.marks.progress < f.Index:
		return logged
	}
	return noWeight
}

// fatal chooses the finding that ended the program, nil where none did. The JVM's own last words come first, then what
// nobody caught, then what was logged as an error after the program's last progress; of each the last. What merely
// follows from an earlier failure gives way to it.
func (r *reading) fatal() *throwable.Found {
	weights := make([]weight, len(r.found))
	for i := range r.found {
		weights[i] = r.weigh(&r.found[i])
	}
	if i := first(weights, final); i >= 0 {
		return &r.found[i]
	}
	if i := last(weights, uncaught); i >= 0 {
		if !r.follows(i) {
			return &r.found[i]
		}
		if earlier := r.origin(weights, i); earlier != nil {
			return earlier
		}
		return &r.found[i]
	}
	if f := r.lastLogged(weights); f != nil {
		return f
	}
	return r.telling(weights)
}

// follows reports whether a finding is only a consequence, or says no more than an exit code.
func (r *reading) follows(i int) bool {
	return isConsequence(r.found[i].Exception) || isBareExit(r.found[i].Exception)
}

// origin is the earliest failure before a finding that is no consequence itself: of several that a dying JVM throws,
// the first is the cause. Running out of memory comes before all.
func (r *reading) origin(weights []weight, before int) *throwable.Found {
	var earliest *throwable.Found
	for i := range before {
		if weights[i] < logged || r.follows(i) {
			continue
		}
		if earliest == nil {
			earliest = &r.found[i]
		}
		if isOutOfMemory(r.found[i].Exception) {
			return &r.found[i]
		}
	}
	return earliest
}

// contextStops are said by records of the exception that takes Spark's context down; what comes after follows from it.
var contextStops = []string{"stopping SparkContext", "shutting down SparkContext", "Error initializing SparkContext"}

// lastLogged is the last exception that was logged as an error: programs log what ends them just before they exit. An
// earlier one that took the context down, or ran the JVM out of memory, comes first.
func (r *reading) lastLogged(weights []weight) *throwable.Found {
	var chosen, follower *throwable.Found
	for i := range r.found {
		f := &r.found[i]
		if weights[i] < logged {
			continue
		}
		follower = f
		if r.follows(i) {
			continue
		}
		if containsAny(f.Record, contextStops) || isOutOfMemory(f.Exception) {
			return f
		}
		chosen = f
	}
	if chosen == nil {
		return follower
	}
	return chosen
}

// telling is the last record of level ERROR or exception without frames, where there is no trace at all. Words alone
// must be known to the catalogue; a record that says nothing known decides nothing.
func (r *reading) telling(weights []weight) *throwable.Found {
	for i := len(weights) - 1; i >= 0; i-- {
		if weights[i] == recorded && (r.found[i].Class != "" || tells(r.found[i].Exception)) {
			return &r.found[i]
		}
	}
	return nil
}

func isOutOfMemory(e *throwable.Exception) bool {
	return throwable.SimpleName(e.Root().Class) == "OutOfMemoryError" && !strings.Contains(e.Message, "Lost task")
}

const userAppException = "org.apache.spark.SparkUserAppException"

func isBareExit(e *throwable.Exception) bool { return e.Root().Class == userAppException }

func first(weights []weight, w weight) int {
	for i, x := range weights {
		if x == w {
			return i
		}
	}
	return -1
}

func last(weights []weight, w weight) int {
	for i := len(weights) - 1; i >= 0; i-- {
		if weights[i] == w {
			return i
		}
	}
	return -1
}

// explained gives a finding whose chain says nothing, or only that something failed, the words of what was logged before
// it: some clients throw an exception without a message, and log what they were told.
func (r *reading) explained(f *throwable.Found) *throwable.Found {
	if slices.ContainsFunc(f.Chain(), tellsMore) {
		return f
	}
	root := f.Root()
	for i := len(r.found) - 1; i >= 0; i-- {
		before := &r.found[i]
		if before.Index >= f.Index || f.Index-before.Index > explainedWithin || before.Level < logtext.Warn {
			continue
		}
		if slices.ContainsFunc(before.Chain(), tellsMore) && packageOf(root.Class) != "" && before.Class != "" && !isConsequence(before.Exception) {
			told := *f
			outer := *f.Exception
			outer.Cause = before.Exception
			told.Exception = &outer
			return &told
		}
	}
	return f
}

// tellsMore reports whether a link has words of its own, or quotes some.
func tellsMore(link *throwable.Exception) bool {
	return strings.TrimSpace(link.Message) != "" && (!wraps(link) || quotedFailure(link.Message) != "")
}

// explainedWithin is how many lines before an exception the warning may stand that explains it.
const explainedWithin = 200
