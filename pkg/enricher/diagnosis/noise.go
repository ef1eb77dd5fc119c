package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// noiseLoggers complain while a program ends or beside its work; what they log does not end it.
var noiseLoggers = []string{
	"ShutdownHookManager", "TransportRequestHandler", "TransportResponseHandler", "TransportChannelHandler",
	"TransportClient",
	"AsyncEventQueue", "LiveListenerBus", "WatchConnectionManager", "AbstractWatchManager",
	"ExecutorPodsWatchSnapshotSource",
	"ExecutorPodsPollingSnapshotSource", "ContextCleaner", "BlockManagerStorageEndpoint",
	"BlockManagerMasterEndpoint", "OneForOneBlockFetcher",
	"RetryingBlockTransferor", "NettyRpcEnv", "Dispatcher", "Inbox", "py4j.java_gateway", "py4j.clientserver",
	"StatusConsoleListener", "DiskBlockObjectWriter", "TaskContextImpl", "MetricsSystem", "EventLoggingListener",
}

// noiseTexts are said by records that report a failed clean-up.
var noiseTexts = []string{
	"Exception while deleting Spark temp dir", "Error stopping", "Exception when trying to", "Failed to delete",
	"Ignoring error",
	"Uncaught exception in thread shutdown-hook", "Failed to close", "Error while closing", "Error removing",
	"Error cleaning",
	"Exception while sending command", "Kubernetes client has been closed", "Error in removing", "threw an exception",
	"Failed to remove", "while attempting to stop", "Cleaning up", "cleanup", "clean up",
}

// consequenceTexts and -Classes mark an exception that only follows from an earlier failure: the context or the JVM
// was already going down.
var (
	consequenceTexts = []string{
		"stopped SparkContext", "SparkContext was shut down", "SparkContext has been shutdown",
		"SparkContext is stopped", "SparkContext was stopped",
		"Cannot call methods on a stopped", "RpcEnv already stopped", "Could not find CoarseGrainedScheduler",
		"Could not find BlockManagerMaster",
		"Could not find HeartbeatReceiver", "Could not find MapOutputTracker",
		"Could not find OutputCommitCoordinator", "Shutdown in progress",
		"Filesystem closed", "Kubernetes client has been closed", "Connection pool shut down",
		"LiveListenerBus is stopped", "Answer from Java side is empty",
		"An error occurred while trying to connect to the Java server", "Error while sending or receiving",
		"Error while receiving",
		"Job aborted due to cancellation", "cancelled because SparkContext", "Exception while sending command",
		"DAGScheduler is stopped",
	}
	consequenceClasses = []string{
		"Py4JNetworkError", "RejectedExecutionException", "RpcEnvStoppedException", "InterruptedException",
		"ClosedByInterruptException",
		"KeyboardInterrupt", "InterruptedIOException", "AsynchronousCloseException",
	}
)

// isNoise reports whether a finding tells nothing about why the program ended.
func isNoise(f *throwable.Found, m *marks) bool {
	if f.Ignored {
		return true
	}
	logged := f.Level != 0
	if logged && containsAny(f.Logger, noiseLoggers) || containsAny(f.Record, noiseTexts) {
		return true
	}
	if m.terminated > 0 && f.Index > m.terminated {
		return true
	}
	stopping := m.shutdown > 0 && f.Index > m.shutdown
	return strings.HasPrefix(f.Thread, "shutdown-hook") || stopping && (logged || strings.HasPrefix(f.Thread, "Thread-"))
}

// isConsequence reports whether an exception only follows from an earlier one.
func isConsequence(e *throwable.Exception) bool {
	for _, link := range e.Chain() {
		if isOneOf(link.Class, consequenceClasses) || containsAny(head(link.Message, 2048), consequenceTexts) {
			return true
		}
		if fromGateway(link) || unanswered(link) {
			return true
		}
	}
	return false
}

// unanswered: Py4J tells of a call, but the JVM no longer told what went wrong in it.
func unanswered(e *throwable.Exception) bool {
	return throwable.SimpleName(e.Class) == "Py4JError" && e.Cause == nil &&
		strings.HasPrefix(e.Message, "An error occurred while calling ") && !strings.Contains(e.Message, "\n") &&
		!strings.Contains(e.Message, "Trace:")
}

// fromGateway: Python lost its JVM.
func fromGateway(e *throwable.Exception) bool {
	if !isOneOf(e.Class, []string{"ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError"}) {
		return false
	}
	for _, f := range e.Frames {
		if strings.Contains(f, "py4j") {
			return true
		}
	}
	return false
}

func isOneOf(class string, names []string) bool {
	simple := throwable.SimpleName(class)
	for _, n := range names {
		if simple == n {
			return true
		}
	}
	return false
}

func containsAny(s string, list []string) bool {
	if s == "" {
		return false
	}
	for _, t := range list {
		if strings.Contains(s, t) {
			return true
		}
	}
	return false
}

func head(s string, n int) string { return s[:min(len(s), n)] }
