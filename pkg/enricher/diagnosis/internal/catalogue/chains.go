package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

// kubernetes are the texts and classes that show the Kubernetes API at the other end.
var (
	kubernetesTexts = []string{
		"kubernetesclientexception", "kubernetes.default.svc", "kubernetes.default:", "kubernetes api",
		"kubernetes.client.exceptions", "operation: [", "external scheduler cannot be instantiated",
		"at: https://kubernetes", "/api/v1/namespaces/",
	}
	unreachable = []string{
		"unknownhostexception", "connectexception", "connection refused", "sockettimeoutexception", "timed out",
		"failed to connect", "no route to host", "noroutetohostexception", "connection reset", "http1 header",
		"name or service not known", "temporary failure in name resolution", "sslhandshakeexception",
		"network is unreachable", "timeout", "eofexception", "unexpected end of stream",
	}
)

// chainRules look at the whole chain: an outer link says who was spoken to, an inner one what went wrong.
var chainRules = []Rule{
	// Executors, told of in the message of the failed stage.
	{ID: "chain.executorlostfailure.oomkilled", Texts: []string{"executorlostfailure"}, All: []string{"oomkilled"}, Reason: failure.ReasonExecutorOutOfMemory},
	{
		ID:    "chain.executorlostfailure.oom",
		Texts: []string{"executorlostfailure"}, All: []string{"oom"}, Not: []string{"evicted"},
		Reason: failure.ReasonExecutorOutOfMemory,
	},
	{
		ID:    "chain.executorlostfailure.exit-code-52",
		Texts: []string{"executorlostfailure"}, All: []string{"exit code 52"},
		Reason: failure.ReasonExecutorOutOfMemory,
	},
	{
		ID:    "chain.executorlostfailure.exited-with-code-52",
		Texts: []string{"executorlostfailure"}, All: []string{"exited with code 52"},
		Reason: failure.ReasonExecutorOutOfMemory,
	},
	{ID: "chain.executorlostfailure.exit-code-137", Texts: []string{"executorlostfailure"}, All: []string{"exit code 137"}, Not: []string{"evicted"},
		Reason: failure.ReasonExecutorOutOfMemory},
	{
		ID: "chain.executorlostfailure.crash", Texts: []string{"exit code 134", "exit code 139", "exited with code 134", "exited with code 139"},
		All: []string{"executorlostfailure"}, Reason: failure.ReasonExecutorLost, Retryable: failure.RetryableUnknown,
		Hint: "The executors' JVM died in native code: look at their logs for the problematic frame, and suspect native libraries.",
	},
	{ID: "chain.executorlostfailure", Texts: []string{"executorlostfailure"}, Reason: failure.ReasonExecutorLost},
	{ID: "chain.fetchfailed", Texts: []string{"fetchfailed", "metadatafetchfailed", "failed the maximum allowable number of times"},
		Reason: failure.ReasonExecutorLost},
	{
		ID:    "chain.taskresultlost.stage-failure",
		Texts: []string{"taskresultlost", "executor decommission", "worker decommission"},
		All:   []string{"stage failure"}, Reason: failure.ReasonExecutorLost,
	},
	{
		ID: "chain.outofmemoryerror.lost-task",
		Texts: []string{
			"outofmemoryerror", "memoryerror: ", "unable_to_acquire_memory", "unable to acquire", "gc overhead limit",
		},
		All: []string{"lost task", "executor "}, Not: []string{"executor driver"},
		Reason: failure.ReasonExecutorOutOfMemory,
	},
	{ID: "chain.max-number-of-executor-failures", Texts: []string{"max number of executor failures"}, Reason: failure.ReasonExecutorLost},

	// A commit of which nobody knows whether it happened, whatever kept the answer away.
	{
		ID: "chain.commit-state-unknown", Classes: []string{"CommitStateUnknownException"},
		Reason: failure.ReasonCommitConflict, Retryable: failure.RetryableUnknown,
		Hint: "The commit may have happened: look at the table's snapshots before the job runs again, or an append may be doubled.",
	},

	// Broadcasts: what lies beneath is a bare timeout or a full heap.
	{ID: "chain.could-not-execute-broadcast-in", Texts: []string{"could not execute broadcast in"}, Reason: failure.ReasonInvalidConfiguration,
		Hint: "Raise spark.sql.broadcastTimeout, or lower spark.sql.autoBroadcastJoinThreshold (-1 switches broadcast joins off)."},
	{
		ID:    "chain.not-enough-memory-to-build-and-broadcast",
		Texts: []string{"not enough memory to build and broadcast"}, Not: []string{"lost task"},
		Reason: failure.ReasonDriverOutOfMemory,
		Hint:   "Raise spark.driver.memory, or lower spark.sql.autoBroadcastJoinThreshold (-1 switches broadcast joins off).",
	},
	// A state's file that is gone is no missing input.
	{
		ID: "chain.error-reading-delta-file.does-not-exist",
		Texts: []string{
			"error reading delta file", "error reading snapshot file", "error reading streaming state file",
		},
		All: []string{"does not exist"}, Reason: failure.ReasonStreamingStateError,
	},
	{ID: "chain.could-not-load-pod-from-template", Texts: []string{"could not load pod from template"}, Reason: failure.ReasonInvalidConfiguration},

	// What Spark's parser and analyser reject quotes the statement, in which any word can stand.
	{
		ID: "chain.parse-exception",
		Classes: []string{
			"org.apache.spark.sql.catalyst.parser.ParseException", "captured.ParseException",
			"connect.ParseException", "utils.ParseException",
			"org.apache.spark.sql.catalyst.analysis.NoSuchTableException",
			"org.apache.spark.sql.catalyst.analysis.NoSuchDatabaseException",
			"org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException",
			"org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException",
			"org.apache.spark.sql.catalyst.analysis.NoSuchViewException",
			"org.apache.spark.sql.catalyst.analysis.NoSuchPartitionException",
		},
		Reason: failure.ReasonSqlAnalysisError,
	},

	{
		ID: "chain.uploading-file", Texts: []string{"uploading file"}, All: []string{"does not exist"},
		Reason: failure.ReasonInvalidConfiguration, Hint: "A file that spark-submit should upload is not there: correct its path, or use local:// for a file of the image.",
	},
	{
		ID: "chain.host-not-verified", Classes: []string{"SSLPeerUnverifiedException"}, Reason: failure.ReasonInvalidConfiguration,
		Hint: "The server's certificate names other hosts than the one called: use one of those, or renew the certificate.",
	},
	{
		ID: "chain.old-kubernetes-client", Texts: []string{"expected http 101 response but was"}, Classes: []string{"ProtocolException"},
		Reason: failure.ReasonDependencyConflict,
		Hint:   "The Kubernetes client of this Spark is too old for the API server, which refuses its watches: use a newer Spark.",
	},
	// The Kubernetes API. Its client words every refusal as one of the service account, so the cause is looked for
	// first.
	{ID: "chain.exceeded-quota.must-specify", Texts: []string{"exceeded quota", "failed quota", "must specify limits", "must specify requests"},
		All: []string{"must specify"}, Reason: failure.ReasonQuotaExceeded, Retryable: failure.RetryableFalse,
		Hint: "State the requests and limits that the quota demands."},
	{ID: "chain.exceeded-quota", Texts: []string{"exceeded quota", "failed quota"}, Reason: failure.ReasonQuotaExceeded},
	{
		ID:     "chain.usage-per-container-is",
		Texts:  []string{"usage per container is", "usage per pod is", "limit to request ratio per"},
		Reason: failure.ReasonQuotaExceeded, Retryable: failure.RetryableFalse,
		Hint: "Stay within the LimitRange named in the message.",
	},
	{ID: "chain.failed-calling-webhook", Texts: []string{"failed calling webhook", "failed to call webhook", "failed calling admission webhook"},
		Reason: failure.ReasonAdmissionDenied, Retryable: failure.RetryableTrue,
		Hint: "The webhook could not be called: check that its service is up and reachable from the API server."},
	{
		ID: "chain.admission-webhook",
		Texts: []string{
			"admission webhook", "validatingadmissionpolicy", "violates podsecurity",
			"is forbidden: unable to validate against any", "admission controller", "policy violation",
			"because it is being terminated",
		},
		Reason: failure.ReasonAdmissionDenied,
	},
	{ID: "chain.serviceaccount.not-found", Texts: []string{"serviceaccount"}, All: []string{"not found", "error looking up service account"},
		Reason: failure.ReasonKubernetesForbidden, Hint: "Create the service account or correct its name."},
	{
		ID:     "chain.no-priorityclass-with-name",
		Texts:  []string{"no priorityclass with name", "runtimeclass.node.k8s.io"},
		Reason: failure.ReasonInvalidConfiguration,
	},
	{ID: "chain.is-forbidden-user.cannot", Texts: []string{"is forbidden: user "}, All: []string{" cannot "}, Reason: failure.ReasonKubernetesForbidden},
	{ID: "chain.kubernetes.unauthorized", Texts: kubernetesTexts, All: []string{"unauthorized"}, Reason: failure.ReasonKubernetesForbidden,
		Hint: "The token was refused (401): refresh or remount it; a retry may help where it had expired."},
	{ID: "chain.kubernetes.forbidden", Texts: kubernetesTexts, All: []string{"forbidden"}, Not: []string{"maximum cpu", "maximum memory"},
		Reason: failure.ReasonKubernetesForbidden},
	{ID: "chain.kubernetes.code-403", Texts: kubernetesTexts, All: []string{"code: 403"}, Reason: failure.ReasonKubernetesForbidden},
	{ID: "chain.kubernetes.403", Texts: kubernetesTexts, All: []string{"(403)"}, Reason: failure.ReasonKubernetesForbidden},
	{ID: "chain.kubernetes.401", Texts: kubernetesTexts, All: []string{"(401)"}, Reason: failure.ReasonKubernetesForbidden},
	{ID: "chain.kubernetes.code-401", Texts: kubernetesTexts, All: []string{"code: 401"}, Reason: failure.ReasonKubernetesForbidden},
	{ID: "chain.kubernetes-client-exception.is-invalid", Classes: []string{"KubernetesClientException", "ApiException"}, Texts: []string{
		"is invalid", "invalid value", "unprocessable", "must be less than or equal to", "must be no more than",
		"code: 422", "code: 400", "must be a valid", "badrequest",
	}, Reason: failure.ReasonInvalidConfiguration},
	{ID: "chain.kubernetes.kubeconfig", Texts: kubernetesTexts, All: []string{"kubeconfig"}, Reason: failure.ReasonInvalidConfiguration},
	{ID: "chain.kubernetes.kube-dot-config", Texts: kubernetesTexts, All: []string{"kube.config"}, Reason: failure.ReasonInvalidConfiguration},
	{ID: "chain.kubernetes.kube-config", Texts: kubernetesTexts, All: []string{"kube/config"}, Reason: failure.ReasonInvalidConfiguration},
	{ID: "chain.kubernetes.already-exists", Texts: kubernetesTexts, All: []string{"already exists"}, Reason: failure.ReasonInvalidConfiguration,
		Hint: "An object of that name is there already: delete it, or choose another name."},
	{ID: "chain.kubernetes-client-exception.unreachable", Classes: []string{"KubernetesClientException", "MaxRetryError", "ApiException"}, Texts: unreachable,
		All: []string{"kubernetes"}, Reason: failure.ReasonKubernetesApiUnavailable},
	{ID: "chain.kubernetes-client-timeout-exception", Classes: []string{"KubernetesClientTimeoutException"}, Reason: failure.ReasonKubernetesApiUnavailable},
	{
		ID:      "chain.kubernetes-client-exception.unreachable-2",
		Classes: []string{"KubernetesClientException"}, Texts: unreachable,
		Reason: failure.ReasonKubernetesApiUnavailable,
	},
	{ID: "chain.kubernetes-default-svc.unknownhost", Texts: []string{"kubernetes.default.svc", "external scheduler cannot be instantiated"},
		All: []string{"unknownhost"}, Reason: failure.ReasonKubernetesApiUnavailable},
	{
		ID:    "chain.kubernetes-default-svc.connect",
		Texts: []string{"kubernetes.default.svc"}, All: []string{"connect"},
		Reason: failure.ReasonKubernetesApiUnavailable,
	},
	{
		ID:      "chain.kubernetes-client-exception.code-429",
		Classes: []string{"KubernetesClientException"},
		Texts: []string{
			"code: 429", "code: 500", "code: 502", "code: 503", "code: 504", "internalerror", "toomanyrequests",
			"serviceunavailable", "etcdserver", "server is currently unable", "too many requests",
			"internal error occurred",
		},
		Reason: failure.ReasonKubernetesApiUnavailable,
	},
	{
		ID:      "chain.kubernetes-client-exception.not-found",
		Classes: []string{"KubernetesClientException"}, Texts: []string{"not found"},
		Reason: failure.ReasonInvalidConfiguration,
	},
	{ID: "chain.kubernetes-client-exception.an-error-has-occurred", Classes: []string{"KubernetesClientException"}, Texts: []string{"an error has occurred", "failed"},
		Reason: failure.ReasonKubernetesApiUnavailable},

	// Clients written in Go: the operator's own.
	{
		ID:    "chain.api-v1.dial-tcp",
		Texts: []string{"/api/v1/", "/apis/"}, All: []string{"dial tcp"},
		Reason: failure.ReasonKubernetesApiUnavailable,
	},
	{
		ID:    "chain.api-v1.net-http",
		Texts: []string{"/api/v1/", "/apis/"}, All: []string{"net/http: "},
		Reason: failure.ReasonKubernetesApiUnavailable,
	},
	{
		ID: "chain.etcdserver",
		Texts: []string{
			"etcdserver: ", "the server is currently unable to handle the request",
			"the server was unable to return a response in the time allotted", "client rate limiter wait",
		},
		Reason: failure.ReasonKubernetesApiUnavailable,
	},

	// Dependencies fetched at start.
	{
		ID: "chain.unresolved-dependency",
		Texts: []string{
			"unresolved dependency", "unresolved dependencies", ".ivy2", "basedir must be absolute",
			"ivy cache", "ivysettings", "resolve.ivy", "org.apache.ivy", "download failed:",
			"server access error", "problem during retrieve", "provided maven coordinates must be",
			"failed to resolve ivy",
		},
		Reason: failure.ReasonDependencyResolutionFailed,
	},
	{
		ID: "chain.no-matching-distribution-found-for",
		Texts: []string{
			"no matching distribution found for", "could not find a version that satisfies the requirement",
			"could not install packages due to",
		},
		Not: []string{"no space left"}, Reason: failure.ReasonDependencyResolutionFailed,
		Hint: "pip could not install a package at start: bake it into the image, or fix its name, version and index, and the target's rights.",
	},

	// Modules that are there, but import each other.
	{
		ID:      "chain.import-error.circular-import",
		Classes: []string{"ImportError"}, Texts: []string{"circular import"}, Reason: failure.ReasonUserCodeError,
		Hint: "Two modules import each other, or one is named like a library: move the import into the function that needs it, " +
			"or rename the file.",
	},

	// A program that the driver starts: Python or R.
	{
		ID:    "chain.cannot-run-program.permission-denied",
		Texts: []string{"cannot run program"}, All: []string{"permission denied"},
		Reason: failure.ReasonInvalidConfiguration,
		Hint: "The program is not executable for the container's user: check " +
			"PYSPARK_PYTHON or spark.pyspark.python, and the file's mode.",
	},
	{ID: "chain.cannot-run-program", Texts: []string{"cannot run program"}, Reason: failure.ReasonContainerCommandError,
		Hint: "The program is not in the image: check PYSPARK_PYTHON or spark.pyspark.python, and install it."},

	// What a function returns does not fit the type that it was declared with.
	{
		ID: "chain.worker-result-type", Classes: []string{"pyarrow.lib.ArrowInvalid", "pyarrow.lib.ArrowTypeError"},
		Texts: []string{"python worker", "api.python.pythonexception"}, Reason: failure.ReasonUserCodeError,
		Hint: "A Python function returns another type than it is declared with: convert its result, or correct the declared type.",
	},
	// A worker that dies takes a broken pipe or an end of file with it.
	{
		ID: "chain.python-worker-exited-unexpectedly",
		Texts: []string{
			"python worker exited unexpectedly", "python worker failed to connect back", "sparklyr worker rscript failure",
		},
		Not: []string{"outofmemoryerror", "no space left"}, Reason: failure.ReasonUserCodeError,
		Hint: "The Python worker died: look for a native crash or memory use in the UDF, " +
			"or set spark.python.worker.faulthandler.enabled.",
	},
}
