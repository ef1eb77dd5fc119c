package catalogue

import v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"

type byDefault struct {
	category  v1beta2.Category
	retryable v1beta2.Retryable
	hint      string
}

// defaults is the catalogue of reasons: who acts, whether the same submission may succeed, and what to do.
var defaults = map[v1beta2.Reason]byDefault{
	v1beta2.ReasonUserCodeError: {v1beta2.CategoryUser, v1beta2.RetryableFalse,
		"Read the first frame that belongs to your own package or script and fix the code or the input it assumes."},
	v1beta2.ReasonSqlAnalysisError: {v1beta2.CategoryUser, v1beta2.RetryableFalse,
		"Correct the statement; check catalog, database and column names against the schema the job really sees."},
	v1beta2.ReasonUserExit: {v1beta2.CategoryUser, v1beta2.RetryableFalse,
		"Look up what the exit code means in the program; prefer throwing an exception over exiting."},

	v1beta2.ReasonMissingDependency: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Add the jar or package to the image or to the application's dependencies, on executors too; check mainClass and the file's path."},
	v1beta2.ReasonDependencyConflict: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Line up Spark, Scala, Java, Python and library versions between build, driver image and executor image; shade what clashes."},
	v1beta2.ReasonDependencyResolutionFailed: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Bake the jars into the image, or fix the coordinates, the repository address and a writable spark.jars.ivy directory."},
	v1beta2.ReasonInvalidConfiguration: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Change the named setting; the message usually states the accepted range."},
	v1beta2.ReasonContainerCommandError: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Check the image's entrypoint, its user, file modes and CPU architecture."},
	v1beta2.ReasonImagePullFailed: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Check the image name and tag, that it exists for the node's architecture, and the pull secret."},
	v1beta2.ReasonContainerConfigError: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Create the object or correct its name and key in the pod specification."},
	v1beta2.ReasonInitContainerFailed: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Read that init container's own log; the driver's log is empty."},
	v1beta2.ReasonKubernetesForbidden: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Bind a role allowing pods, services, configmaps and persistentvolumeclaims to the driver's service account."},
	v1beta2.ReasonAdmissionDenied: {v1beta2.CategoryConfiguration, v1beta2.RetryableFalse,
		"Adjust the pod to the policy named in the message."},

	v1beta2.ReasonAccessDenied: {v1beta2.CategoryData, v1beta2.RetryableFalse,
		"Grant the workload's identity the missing right, or mount and configure the credentials that driver and executors look for."},
	v1beta2.ReasonDataNotFound: {v1beta2.CategoryData, v1beta2.RetryableFalse,
		"Check the path and whether the upstream job has produced it; retry only if it is merely late."},
	v1beta2.ReasonExternalServiceUnavailable: {v1beta2.CategoryData, v1beta2.RetryableTrue,
		"Check the endpoint, its network policy and load; retry with back-off."},
	v1beta2.ReasonCommitConflict: {v1beta2.CategoryData, v1beta2.RetryableTrue,
		"Retry the write; if it recurs, partition the writers or serialise them."},
	v1beta2.ReasonSchemaMismatch: {v1beta2.CategoryData, v1beta2.RetryableFalse,
		"Evolve the table on purpose, or cast the input before writing."},
	v1beta2.ReasonInvalidData: {v1beta2.CategoryData, v1beta2.RetryableFalse,
		"Find the offending rows or file; use the try_ functions or a bad-record path if they may be skipped."},
	v1beta2.ReasonStreamingStateError: {v1beta2.CategoryData, v1beta2.RetryableFalse,
		"Decide about data loss deliberately, then repair or replace the checkpoint; one query per checkpoint."},

	v1beta2.ReasonDriverOutOfMemory: {v1beta2.CategoryPlatform, v1beta2.RetryableFalse,
		"Raise driver memory, or collect and broadcast less on the driver."},
	v1beta2.ReasonDriverOOMKilled: {v1beta2.CategoryPlatform, v1beta2.RetryableFalse,
		"Raise the memory overhead or the limit; Python and native memory are outside the heap."},
	v1beta2.ReasonExecutorOutOfMemory: {v1beta2.CategoryPlatform, v1beta2.RetryableFalse,
		"Raise executor memory or overhead, or make partitions smaller."},
	v1beta2.ReasonExecutorLost: {v1beta2.CategoryPlatform, v1beta2.RetryableTrue,
		"Look at the lost executors' pods; prefer stable nodes, or decommissioning with shuffle migration."},
	v1beta2.ReasonDiskFull: {v1beta2.CategoryPlatform, v1beta2.RetryableUnknown,
		"Give spark.local.dir a bigger volume, or reduce spill."},
	v1beta2.ReasonEvicted: {v1beta2.CategoryPlatform, v1beta2.RetryableTrue,
		"Request ephemeral storage and memory that match the use; put scratch data on a volume."},
	v1beta2.ReasonNodeDisruption: {v1beta2.CategoryPlatform, v1beta2.RetryableTrue,
		"Retry; keep drivers on on-demand nodes, or give them a higher priority."},
	v1beta2.ReasonUnschedulable: {v1beta2.CategoryPlatform, v1beta2.RetryableUnknown,
		"Lower the requests, add capacity or tolerations, or create the missing volume claim."},
	v1beta2.ReasonQuotaExceeded: {v1beta2.CategoryPlatform, v1beta2.RetryableTrue,
		"Wait for others to finish, or raise the quota."},
	v1beta2.ReasonDeadlineExceeded: {v1beta2.CategoryPlatform, v1beta2.RetryableFalse,
		"Allow more time, or find out why it runs long."},
	v1beta2.ReasonDriverTerminated: {v1beta2.CategoryPlatform, v1beta2.RetryableUnknown,
		"Look for a deletion, a drain or a time limit in the audit log and the pod's events."},
	v1beta2.ReasonJvmCrash: {v1beta2.CategoryPlatform, v1beta2.RetryableUnknown,
		"Look at the problematic frame; suspect native libraries, or a full disk behind a mapped file."},
	v1beta2.ReasonKubernetesApiUnavailable: {v1beta2.CategoryPlatform, v1beta2.RetryableTrue,
		"Check the cluster's DNS, network policy and the load of the API server."},

	v1beta2.ReasonUnknown: {v1beta2.CategoryUnknown, v1beta2.RetryableUnknown,
		"Raise the size of the log tail that is read, and look at the pod's events."},
}
