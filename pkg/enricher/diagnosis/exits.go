package diagnosis

import (
	"fmt"
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
)

// exit is what a bare exit code means.
type exit struct {
	reason failure.Reason
	words  string
}

// exits are the codes with a meaning of their own: Spark's, the shell's, and signals.
var exits = map[int32]exit{
	11:  {failure.ReasonExecutorLost, "too many executors failed"},
	50:  {failure.ReasonUserCodeError, "an exception was not caught"},
	51:  {failure.ReasonUserCodeError, "an exception was not caught, and another one occurred while it was logged"},
	52:  {failure.ReasonDriverOutOfMemory, "the JVM ran out of memory"},
	53:  {failure.ReasonInvalidConfiguration, "Spark could not create its local directory"},
	101: {failure.ReasonMissingDependency, "spark-submit could not load the main class"},
	124: {failure.ReasonDeadlineExceeded, "the driver's time limit ran out"},
	126: {failure.ReasonContainerCommandError, "the command is not executable"},
	127: {failure.ReasonContainerCommandError, "the command was not found"},
	128: {failure.ReasonContainerCommandError, "the container's process could not be started"},
	130: {failure.ReasonDriverTerminated, "interrupted by SIGINT"},
	132: {failure.ReasonJvmCrash, "ended by SIGILL"},
	134: {failure.ReasonJvmCrash, "ended by SIGABRT"},
	135: {failure.ReasonJvmCrash, "ended by SIGBUS"},
	136: {failure.ReasonJvmCrash, "ended by SIGFPE"},
	137: {failure.ReasonDriverTerminated, "ended by SIGKILL from outside"},
	139: {failure.ReasonJvmCrash, "ended by SIGSEGV"},
	143: {failure.ReasonDriverTerminated, "ended by SIGTERM from outside"},
}

// rareSignals are those that end a process and have no row of their own. A program seldom chooses 128 and their number.
var rareSignals = map[int32]string{
	1: "SIGHUP", 3: "SIGQUIT", 10: "SIGUSR1", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 16: "SIGSTKFLT",
	24: "SIGXCPU, out of its CPU time", 25: "SIGXFSZ, a file grew too large", 31: "SIGSYS, a system call that seccomp forbids",
}

// bySignal names the signal that an exit code tells of, "" for none.
func bySignal(code int32) string { return rareSignals[code-128] }

// fromExit is the finding where nothing but an exit code is known. Code 1 is what everything ends with: it is the
// program's own choice only if the log shows an orderly end.
func fromExit(s *podView, source failure.Source, code int32, orderly bool) *finding {
	reason := ""
	if s.ended != nil {
		reason = s.ended.Reason
	}
	facts := ending(s.containerName(), reason, code)
	known, ok := exits[code]
	switch {
	case code == 137 && s.terminated():
		known = exit{failure.ReasonDriverTerminated, "killed when the grace period after SIGTERM was over"}
	case code == 137 && (orderly || source == failure.SourceAnnotation):
		// The JVM outlived what was killed: only the kernel does that within a container, at the memory limit.
		known = exit{failure.ReasonDriverOOMKilled, "the program's Python or R process was killed, not the JVM"}
	case ok:
	case code == 1 && !orderly:
		known = exit{failure.ReasonUnknown, "no exception, log or message tells why"}
	case bySignal(code) != "":
		known = exit{failure.ReasonDriverTerminated, "ended by " + bySignal(code)}
	default:
		known = exit{failure.ReasonUserExit, fmt.Sprintf("the program chose exit code %d", code)}
	}
	return &finding{
		source: source, verdict: catalogue.Of(fmt.Sprintf("exit.%d", code), known.reason), facts: facts, words: facts + ": " + known.words,
	}
}

// terminated reports whether the driver was told to end before it was killed: its log says so, or its pod is deleted.
func (s *podView) terminated() bool {
	return s.signalled || s.Pod != nil && s.Pod.DeletionTimestamp != nil
}

// lead puts what the program printed last before what its exit code means: programs say why they give up.
func (f *finding) lead(run marks) {
	switch f.verdict.Reason {
	case failure.ReasonUserExit, failure.ReasonUnknown:
		if run.lastPrint != "" && !run.starving {
			f.words = strings.TrimSpace(run.lastPrint) + " (" + f.words + ")"
			return
		}
	}
	f.aside = run.aside()
}
