package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

type byDefault struct {
	category  failure.Category
	retryable failure.Retryable
	hint      string
}

// defaults is the catalogue of reasons: who acts, whether the same submission may succeed, and what to do.
var defaults = map[failure.Reason]byDefault{
	failure.ReasonUserCodeError: {failure.CategoryUser, failure.RetryableFalse,
		"Read the first frame that belongs to your own package or script and fix the code or the input it assumes."},
	failure.ReasonSqlAnalysisError: {failure.CategoryUser, failure.RetryableFalse,
		"Correct the statement; check catalog, database and column names against the schema the job really sees."},
	failure.ReasonUserExit: {failure.CategoryUser, failure.RetryableFalse,
		"Look up what the exit code means in the program; prefer throwing an exception over exiting."},

	failure.ReasonMissingDependency: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Add the jar or package to the image or to the application's dependencies, on executors too; check mainClass and the file's path."},
	failure.ReasonDependencyConflict: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Line up Spark, Scala, Java, Python and library versions between build, driver image and executor image; shade what clashes."},
	failure.ReasonDependencyResolutionFailed: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Bake the jars into the image, or fix the coordinates, the repository address and a writable spark.jars.ivy directory."},
	failure.ReasonInvalidConfiguration: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Correct the setting, argument or file that the message names."},
	failure.ReasonContainerCommandError: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Check the image's entrypoint, its user, file modes and CPU architecture."},
	failure.ReasonImagePullFailed: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Check the image name and tag, that it exists for the node's architecture, and the pull secret."},
	failure.ReasonContainerConfigError: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Create the object or correct its name and key in the pod specification."},
	failure.ReasonInitContainerFailed: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Read that init container's own log; the driver's log is empty."},
	failure.ReasonKubernetesForbidden: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Bind a role allowing pods, services, configmaps and persistentvolumeclaims to the driver's service account."},
	failure.ReasonAdmissionDenied: {failure.CategoryConfiguration, failure.RetryableFalse,
		"Adjust the pod to the policy named in the message."},

	failure.ReasonAccessDenied: {failure.CategoryData, failure.RetryableFalse,
		"Grant the workload's identity the missing right, or mount and configure the credentials that driver and executors look for."},
	failure.ReasonDataNotFound: {failure.CategoryData, failure.RetryableFalse,
		"Check the path and whether the upstream job has produced it; retry only if it is merely late."},
	failure.ReasonExternalServiceUnavailable: {failure.CategoryData, failure.RetryableTrue,
		"Check the endpoint, its network policy and load; retry with back-off."},
	failure.ReasonCommitConflict: {failure.CategoryData, failure.RetryableTrue,
		"Retry the write; if it recurs, partition the writers or serialise them."},
	failure.ReasonSchemaMismatch: {failure.CategoryData, failure.RetryableFalse,
		"Evolve the table on purpose, or cast the input before writing."},
	failure.ReasonInvalidData: {failure.CategoryData, failure.RetryableFalse,
		"Find the offending rows or file; use the try_ functions or a bad-record path if they may be skipped."},
	failure.ReasonStreamingStateError: {failure.CategoryData, failure.RetryableFalse,
		"Decide about data loss deliberately, then repair or replace the checkpoint; one query per checkpoint."},

	failure.ReasonDriverOutOfMemory: {failure.CategoryPlatform, failure.RetryableFalse,
		"Raise driver memory, or collect and broadcast less on the driver."},
	failure.ReasonDriverOOMKilled: {failure.CategoryPlatform, failure.RetryableFalse,
		"Raise the memory overhead or the limit; Python and native memory are outside the heap."},
	failure.ReasonExecutorOutOfMemory: {failure.CategoryPlatform, failure.RetryableFalse,
		"Raise executor memory or overhead, or make partitions smaller."},
	failure.ReasonExecutorLost: {failure.CategoryPlatform, failure.RetryableTrue,
		"Look at the lost executors' pods; prefer stable nodes, or decommissioning with shuffle migration."},
	failure.ReasonDiskFull: {failure.CategoryPlatform, failure.RetryableUnknown,
		"Give spark.local.dir a bigger volume, or reduce spill."},
	failure.ReasonEvicted: {failure.CategoryPlatform, failure.RetryableTrue,
		"Request ephemeral storage and memory that match the use; put scratch data on a volume."},
	failure.ReasonNodeDisruption: {failure.CategoryPlatform, failure.RetryableTrue,
		"Retry; keep drivers on on-demand nodes, or give them a higher priority."},
	failure.ReasonUnschedulable: {failure.CategoryPlatform, failure.RetryableUnknown,
		"Lower the requests, add capacity or tolerations, or create the missing volume claim."},
	failure.ReasonQuotaExceeded: {failure.CategoryPlatform, failure.RetryableTrue,
		"Wait for others to finish, or raise the quota."},
	failure.ReasonDeadlineExceeded: {failure.CategoryPlatform, failure.RetryableFalse,
		"Allow more time, or find out why it runs long."},
	failure.ReasonDriverTerminated: {failure.CategoryPlatform, failure.RetryableUnknown,
		"Look for a deletion, a drain or a time limit in the audit log and the pod's events."},
	failure.ReasonJvmCrash: {failure.CategoryPlatform, failure.RetryableUnknown,
		"Look at the problematic frame; suspect native libraries, or a full disk behind a mapped file."},
	failure.ReasonKubernetesApiUnavailable: {failure.CategoryPlatform, failure.RetryableTrue,
		"Check the cluster's DNS, network policy and the load of the API server."},

	failure.ReasonUnclassifiedError: {failure.CategoryUnknown, failure.RetryableUnknown,
		"No rule knows this failure: look its message up in the documentation or the issues of the software that threw it."},
	failure.ReasonUnknown: {failure.CategoryUnknown, failure.RetryableUnknown,
		"Raise the size of the log tail that is read, and look at the pod's events."},
}
