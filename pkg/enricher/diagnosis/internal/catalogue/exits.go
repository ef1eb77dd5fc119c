package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

// Exit is what a bare exit code means.
type Exit struct {
	Reason failure.Reason
	Words  string
}

// Exits are the codes with a meaning of their own: Spark's, the shell's, and signals.
var Exits = map[int32]Exit{
	11:  {failure.ReasonExecutorLost, "too many executors failed"},
	50:  {failure.ReasonUnclassifiedError, "an exception was not caught"},
	51:  {failure.ReasonUnclassifiedError, "an exception was not caught, and another one occurred while it was logged"},
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

// BySignal names the signal that an exit code tells of, "" for none.
func BySignal(code int32) string { return rareSignals[code-128] }
