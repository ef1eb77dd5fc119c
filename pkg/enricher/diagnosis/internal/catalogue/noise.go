package catalogue

// NoiseLoggers complain while a program ends or beside its work; what they log does not end it.
var NoiseLoggers = []string{
	"ShutdownHookManager", "TransportRequestHandler", "TransportResponseHandler", "TransportChannelHandler",
	"TransportClient",
	"AsyncEventQueue", "LiveListenerBus", "WatchConnectionManager", "AbstractWatchManager",
	"ExecutorPodsWatchSnapshotSource",
	"ExecutorPodsPollingSnapshotSource", "ContextCleaner", "BlockManagerStorageEndpoint",
	"BlockManagerMasterEndpoint", "OneForOneBlockFetcher",
	"RetryingBlockTransferor", "NettyRpcEnv", "Dispatcher", "Inbox", "py4j.java_gateway", "py4j.clientserver",
	"StatusConsoleListener", "DiskBlockObjectWriter", "TaskContextImpl", "MetricsSystem", "EventLoggingListener",
}

// NoiseTexts are said by records that report a failed clean-up.
var NoiseTexts = []string{
	"Exception while deleting Spark temp dir", "Error stopping", "Exception when trying to", "Failed to delete",
	"Ignoring error",
	"Uncaught exception in thread shutdown-hook", "Failed to close", "Error while closing", "Error removing",
	"Error cleaning",
	"Exception while sending command", "Kubernetes client has been closed", "Error in removing", "threw an exception",
	"Failed to remove", "while attempting to stop", "Cleaning up", "cleanup", "clean up",
}

// ConsequenceTexts and ConsequenceClasses mark an exception that only follows from an earlier failure: the context or the JVM
// was already going down.
var (
	ConsequenceTexts = []string{
		"stopped SparkContext", "SparkContext was shut down", "SparkContext has been shutdown",
		"SparkContext is stopped", "SparkContext was stopped",
		"Cannot call methods on a stopped", "RpcEnv already stopped", "Could not find CoarseGrainedScheduler",
		"Could not find BlockManagerMaster",
		"Could not find HeartbeatReceiver", "Could not find MapOutputTracker",
		"Could not find OutputCommitCoordinator", "Shutdown in progress",
		"Filesystem closed", "Kubernetes client has been closed", "Connection pool shut down",
		"LiveListenerBus is stopped", "Answer from Java side is empty",
		"An error occurred while trying to connect to the Java server", "Java gateway process exited", "Error while sending or receiving",
		"Error while receiving",
		"Job aborted due to cancellation", "cancelled because SparkContext", "Exception while sending command",
		"DAGScheduler is stopped",
	}
	ConsequenceClasses = []string{
		"Py4JNetworkError", "RejectedExecutionException", "RpcEnvStoppedException", "InterruptedException",
		"ClosedByInterruptException",
		"KeyboardInterrupt", "InterruptedIOException", "AsynchronousCloseException",
	}
)
