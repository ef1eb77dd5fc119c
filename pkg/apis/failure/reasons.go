package failure

// Reason is a stable CamelCase word for a kind of failure. Users may add their own by rules in the configuration.
type Reason string

// The built-in reasons. They are API: automation matches on them.
const (
	// ReasonUserCodeError: the program itself threw: an exception from application or UDF code (Java, Scala, Kotlin,
	// Python), a task that cannot be serialised, a worker process that dies under user code, stack overflow from an
	// over-grown plan.
	ReasonUserCodeError Reason = "UserCodeError"
	// ReasonSqlAnalysisError: Spark rejected the query before running it: parse error, unknown
	// table/view/column/function, ambiguous reference, type mismatch in an expression.
	ReasonSqlAnalysisError Reason = "SqlAnalysisError"
	// ReasonUserExit: the program chose its exit code (System.exit(n), sys.exit(n)) and left no exception behind.
	ReasonUserExit Reason = "UserExit"

	// ReasonMissingDependency: A class, Python module or data source is not on the driver's or executor's path
	// (ClassNotFound, NoClassDefFound, ModuleNotFound, DATA_SOURCE_NOT_FOUND; exit 101 from spark-submit).
	ReasonMissingDependency Reason = "MissingDependency"
	// ReasonDependencyConflict: the code is there, in the wrong version: NoSuchMethod/NoSuchField/IllegalAccess
	// errors, class-file version, serialised-lambda ClassCast, different Python minors on driver and executor.
	ReasonDependencyConflict Reason = "DependencyConflict"
	// ReasonDependencyResolutionFailed: fetching --packages/--jars failed at start: Ivy cannot write its cache or
	// cannot find an artefact.
	ReasonDependencyResolutionFailed Reason = "DependencyResolutionFailed"
	// ReasonInvalidConfiguration: A setting is missing, malformed or contradictory: JVM options, memory minimums,
	// upload path, names over length limits, request above limit, result-size guard, bind address, unreadable config
	// file.
	ReasonInvalidConfiguration Reason = "InvalidConfiguration"
	// ReasonContainerCommandError: the container's process could not be started or its entrypoint gave up: exit
	// 126/127/128, exec format error, unknown entrypoint argument, file permissions in the image.
	ReasonContainerCommandError Reason = "ContainerCommandError"
	// ReasonImagePullFailed: the kubelet cannot obtain the image: ImagePullBackOff, ErrImagePull, InvalidImageName.
	ReasonImagePullFailed Reason = "ImagePullFailed"
	// ReasonContainerConfigError: A referenced Secret, ConfigMap or key does not exist (CreateContainerConfigError),
	// or the runtime refused the container's set-up (CreateContainerError).
	ReasonContainerConfigError Reason = "ContainerConfigError"
	// ReasonInitContainerFailed: an init container failed, so the driver never began.
	ReasonInitContainerFailed Reason = "InitContainerFailed"
	// ReasonKubernetesForbidden: the Kubernetes API refused for lack of permission or identity: RBAC 403, missing
	// service account, 401 with an expired token.
	ReasonKubernetesForbidden Reason = "KubernetesForbidden"
	// ReasonAdmissionDenied: an admission webhook or policy rejected an object, or a required webhook could not be
	// called.
	ReasonAdmissionDenied Reason = "AdmissionDenied"

	// ReasonAccessDenied: storage, catalog, metastore, database or Kerberos rejected the caller: 401/403, no
	// credentials found, GSS failure, insufficient privilege.
	ReasonAccessDenied Reason = "AccessDenied"
	// ReasonDataNotFound: input is absent: bucket, path, table location, topic.
	ReasonDataNotFound Reason = "DataNotFound"
	// ReasonExternalServiceUnavailable: A service outside the application could not be reached or throttled the
	// caller: connection refused, timeout, name not resolvable, 429/503.
	ReasonExternalServiceUnavailable Reason = "ExternalServiceUnavailable"
	// ReasonCommitConflict: an optimistic table commit lost the race against another writer.
	ReasonCommitConflict Reason = "CommitConflict"
	// ReasonSchemaMismatch: the data's schema and the target table's differ and cannot be merged.
	ReasonSchemaMismatch Reason = "SchemaMismatch"
	// ReasonInvalidData: stored values or files are bad: corrupt file, failed cast, division by zero in ANSI mode.
	ReasonInvalidData Reason = "InvalidData"
	// ReasonStreamingStateError: A checkpoint or source position can no longer be continued: offsets aged out, two
	// queries on one checkpoint, incompatible state.
	ReasonStreamingStateError Reason = "StreamingStateError"

	// ReasonDriverOutOfMemory: the driver's JVM ran out of heap, metaspace or GC time.
	ReasonDriverOutOfMemory Reason = "DriverOutOfMemory"
	// ReasonDriverOOMKilled: the kernel killed the driver container (or its Python child) at the memory limit.
	ReasonDriverOOMKilled Reason = "DriverOOMKilled"
	// ReasonExecutorOutOfMemory: the job failed because executors ran out of heap or were OOM-killed.
	ReasonExecutorOutOfMemory Reason = "ExecutorOutOfMemory"
	// ReasonExecutorLost: the job failed because executors or their shuffle files vanished for another reason, or
	// too many of them failed.
	ReasonExecutorLost Reason = "ExecutorLost"
	// ReasonDiskFull: no space left on a local or scratch volume while running.
	ReasonDiskFull Reason = "DiskFull"
	// ReasonEvicted: the kubelet evicted or rejected the pod over node pressure, or for passing its own storage
	// limit.
	ReasonEvicted Reason = "Evicted"
	// ReasonNodeDisruption: the node went away or was reclaimed: shutdown, deletion, preemption, spot reclaim,
	// taint.
	ReasonNodeDisruption Reason = "NodeDisruption"
	// ReasonUnschedulable: no node fits the driver, or the kubelet refused it at admission for lack of resources.
	ReasonUnschedulable Reason = "Unschedulable"
	// ReasonQuotaExceeded: A ResourceQuota or LimitRange refused a pod.
	ReasonQuotaExceeded Reason = "QuotaExceeded"
	// ReasonDeadlineExceeded: activeDeadlineSeconds or an application time limit ran out.
	ReasonDeadlineExceeded Reason = "DeadlineExceeded"
	// ReasonDriverTerminated: somebody or something ended the driver without further evidence: SIGTERM/SIGKILL from
	// outside, pod deleted, pod not found.
	ReasonDriverTerminated Reason = "DriverTerminated"
	// ReasonJvmCrash: the JVM died in native code (SIGSEGV, SIGBUS, SIGABRT, hs_err).
	ReasonJvmCrash Reason = "JvmCrash"
	// ReasonKubernetesApiUnavailable: the driver or the submitter could not reach the Kubernetes API: DNS,
	// connection, timeout.
	ReasonKubernetesApiUnavailable Reason = "KubernetesApiUnavailable"

	// ReasonUnclassifiedError: Spark, a connector, a plug-in, the JDK or a Python package threw an exception that no rule
	// knows, and nothing shows that the program is to blame.
	ReasonUnclassifiedError Reason = "UnclassifiedError"
	// ReasonUnknown: no evidence to decide by.
	ReasonUnknown Reason = "Unknown"
)
