package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

var platformRules = []Rule{
	{ID: "platform.no-space-left-on-device", Texts: []string{
		"no space left on device", "enospc", "disk quota exceeded", "errno 28", "not enough space on the disk",
		"there is not enough space", "diskspace quota", "namespace quota", "space quota",
	}, Not: []string{"exceeded quota", "request quota", "api quota"}, Reason: failure.ReasonDiskFull},
	{ID: "platform.ds-quota-exceeded-exception", Classes: []string{"DSQuotaExceededException", "NSQuotaExceededException"}, Reason: failure.ReasonDiskFull},

	{
		ID:      "platform.out-of-memory-error.unable-to-create-native",
		Classes: []string{"OutOfMemoryError"},
		Texts:   []string{"unable to create native thread", "unable to create new native thread"},
		Reason:  failure.ReasonDriverOutOfMemory,
		Hint:    "The process may start no more threads: raise the container's pid limit or memory overhead, or use fewer threads.",
	},
	{ID: "platform.out-of-memory-error.metaspace", Classes: []string{"OutOfMemoryError"}, Texts: []string{"metaspace", "compressed class space"},
		Reason: failure.ReasonDriverOutOfMemory,
		Hint:   "Raise -XX:MaxMetaspaceSize in spark.driver.extraJavaOptions, or load fewer classes."},
	{
		ID:      "platform.out-of-memory-error",
		Classes: []string{"OutOfMemoryError", "SparkOutOfMemoryError", "OutOfDirectMemoryError"},
		Reason:  failure.ReasonDriverOutOfMemory,
	},
	{ID: "platform.outofmemoryerror", Texts: []string{
		"java.lang.outofmemoryerror", "insufficient memory for the java runtime", "native memory allocation",
		"could not reserve enough space for object heap", "gc overhead limit exceeded", "java heap space",
	}, Not: []string{"could not reserve enough space"}, Reason: failure.ReasonDriverOutOfMemory},
	{
		ID:      "platform.memory-error",
		Classes: []string{"MemoryError", "ArrayMemoryError", "_ArrayMemoryError"},
		Reason:  failure.ReasonDriverOutOfMemory,
	},
	{ID: "platform.cannot-allocate-memory", Texts: []string{"cannot allocate memory", "errno 12]"}, Reason: failure.ReasonDriverOutOfMemory},

	{
		ID: "platform.sigsegv",
		Texts: []string{
			"sigsegv (", "sigbus (", "sigill (", "sigfpe (", "sigabrt (", "problematic frame",
			"internal error (", "unsafe memory access operation",
		},
		Reason: failure.ReasonJvmCrash,
	},
	{
		ID: "platform.segmentation-fault",
		Texts: []string{
			"segmentation fault", "fatal python error: aborted", "fatal python error: bus error",
			"double free or corruption", "invalid pointer", "invalid next size", "corrupted size vs. prev_size",
			"malloc(): ", "stack smashing detected", "terminate called after throwing", "pure virtual method called",
		},
		Reason: failure.ReasonJvmCrash,
	},

	{
		ID:      "platform.fetch-failed-exception",
		Classes: []string{"FetchFailedException", "MetadataFetchFailedException", "ExecutorDeadException"},
		Reason:  failure.ReasonExecutorLost,
	},
	{ID: "platform.block-not-found-exception", Classes: []string{"BlockNotFoundException"}, Reason: failure.ReasonExecutorLost},
	{ID: "platform.failed-to-get-broadcast", Texts: []string{"failed to get broadcast_", "failed to get block", "block rdd_", "checkpoint block rdd_"},
		Not: []string{"corrupt"}, Reason: failure.ReasonExecutorLost},
	{
		ID: "platform.cannot-receive-any-reply-from",
		Texts: []string{
			"cannot receive any reply from", "spark.rpc.asktimeout", "spark.rpc.lookuptimeout",
			"spark.network.timeout",
		},
		Reason: failure.ReasonExecutorLost,
	},
	{
		ID:      "platform.keyboard-interrupt",
		Classes: []string{"KeyboardInterrupt"}, Reason: failure.ReasonDriverTerminated,
		Hint: "SIGINT interrupted the program: look for who or what sent it, a deletion or a time limit.",
	},
	{ID: "platform.exit-code-from-plugin", Texts: []string{"exit code from plugin", "drivertimeoutplugin"}, Reason: failure.ReasonDeadlineExceeded},
}
