package failure

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Limits of the diagnostics, in bytes unless noted otherwise.
const (
	MaxMessageBytes    = 1024
	MaxHintBytes       = 512
	MaxAttempts        = 10 // entries
	MaxStackTraceBytes = 64 * 1024
)

// Diagnostics explains why the current or last attempt of the application failed, or why its driver does not start, and
// who has to act. It is absent as long as there is nothing to report.
type Diagnostics struct {
	// submissionID identifies the attempt that these diagnostics describe. It is the status.submissionID of that attempt.
	// +optional
	SubmissionID string `json:"submissionID,omitempty"`

	// attempt is the status.executionAttempts of that attempt. It is meant for display: the operator resets the number
	// when the specification changes, so it can repeat.
	// +optional
	Attempt int32 `json:"attempt,omitempty"`

	// reason is a stable CamelCase word for the kind of failure, for example DriverOOMKilled or SqlAnalysisError.
	// It is empty while the attempt has no problem. Automation may match on it.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^([A-Za-z][A-Za-z0-9]*)?$`
	// +optional
	Reason Reason `json:"reason,omitempty"`

	// category says who has to act: the author of the job (User), whoever configures it (Configuration), the owner
	// of the data or service that it uses (Data), the operators of the platform (Platform), or Unknown.
	// +optional
	Category Category `json:"category,omitempty"`

	// message describes the failure in one line of at most 1024 bytes, without tabs and newlines.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`

	// source is the kind of evidence that the diagnosis is based on.
	// +optional
	Source Source `json:"source,omitempty"`

	// rule is the ID of the rule that determined the reason. IDs are stable.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Rule string `json:"rule,omitempty"`

	// exitCode is the exit code of the driver container, or of the init container if reason is InitContainerFailed. It is
	// absent if no container terminated.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`

	// signal is the signal that the exit code indicates: SIGKILL, SIGTERM, SIGSEGV or SIGABRT.
	// +kubebuilder:validation:MaxLength=16
	// +optional
	Signal string `json:"signal,omitempty"`

	// retryable says whether the same submission, unchanged, has a fair chance of success.
	// +optional
	Retryable Retryable `json:"retryable,omitempty"`

	// hint suggests what to do next, with the values of this failure where known, in at most 512 bytes.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Hint string `json:"hint,omitempty"`

	// exception is what the program, Spark or the JVM threw. It is absent if its text may not be shown.
	// +optional
	Exception *Exception `json:"exception,omitempty"`

	// driver is the driver pod of the attempt.
	// +optional
	Driver *Driver `json:"driver,omitempty"`

	// executors counts lost executors. It is present only if executors caused the failure.
	// +optional
	Executors *Executors `json:"executors,omitempty"`

	// attempts are the earlier failed attempts, newest first, at most 10.
	// +kubebuilder:validation:MaxItems=10
	// +listType=atomic
	// +optional
	Attempts []Attempt `json:"attempts,omitempty"`
}

// Category says who has to act.
// +kubebuilder:validation:Enum=User;Configuration;Data;Platform;Unknown
type Category string

// The categories.
const (
	// CategoryUser: the author of the program or query.
	CategoryUser Category = "User"
	// CategoryConfiguration: whoever writes the application's specification, image or access rules.
	CategoryConfiguration Category = "Configuration"
	// CategoryData: the owner of the data, table or outside service.
	CategoryData Category = "Data"
	// CategoryPlatform: the operators of the cluster, or whoever sets the job's resources.
	CategoryPlatform Category = "Platform"
	// CategoryUnknown: the evidence does not show who.
	CategoryUnknown Category = "Unknown"
)

// Categories lists them all.
var Categories = []Category{CategoryUser, CategoryConfiguration, CategoryData, CategoryPlatform, CategoryUnknown}

// Source is the kind of evidence that a diagnosis is based on.
// +kubebuilder:validation:Enum=Annotation;DriverLog;TerminationMessage;ContainerStatus;PodStatus;SubmissionError
type Source string

// The sources, in the order of trust among texts.
const (
	// SourceAnnotation: the annotation spark.exit-exception that the driver wrote to its pod.
	SourceAnnotation Source = "Annotation"
	// SourceDriverLog: the tail of the driver container's log.
	SourceDriverLog Source = "DriverLog"
	// SourceTerminationMessage: the driver container's termination message.
	SourceTerminationMessage Source = "TerminationMessage"
	// SourceContainerStatus: the waiting or terminated state of a container.
	SourceContainerStatus Source = "ContainerStatus"
	// SourcePodStatus: the pod's reason, message or conditions, or the absence of the pod.
	SourcePodStatus Source = "PodStatus"
	// SourceSubmissionError: the operator's error message about a spark-submit that failed.
	SourceSubmissionError Source = "SubmissionError"
)

// Sources lists them all.
var Sources = []Source{
	SourceAnnotation, SourceDriverLog, SourceTerminationMessage, SourceContainerStatus, SourcePodStatus, SourceSubmissionError,
}

// Retryable is a three-valued answer.
// +kubebuilder:validation:Enum=True;False;Unknown
type Retryable string

// The answers.
const (
	RetryableTrue    Retryable = "True"
	RetryableFalse   Retryable = "False"
	RetryableUnknown Retryable = "Unknown"
)

// Exception is a Java throwable or Python exception as it was printed.
type Exception struct {
	// class is the exception's class as printed, for example java.lang.OutOfMemoryError or KeyError.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Class string `json:"class,omitempty"`

	// message is the exception's own message, on one line, at most 1024 bytes.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`

	// rootCause is the deepest cause of the main chain. It is absent if the exception has no cause.
	// +optional
	RootCause *Cause `json:"rootCause,omitempty"`

	// condition is the Spark error condition, for example TABLE_OR_VIEW_NOT_FOUND.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Condition string `json:"condition,omitempty"`

	// sqlState is the SQLSTATE of the condition, for example 42P01.
	// +kubebuilder:validation:MaxLength=5
	// +optional
	SQLState string `json:"sqlState,omitempty"`

	// stackTrace contains the lines of the trace without tabs. If it was truncated, it keeps the beginning and the last
	// cause.
	// +kubebuilder:validation:MaxItems=2000
	// +listType=atomic
	// +optional
	StackTrace []string `json:"stackTrace,omitempty"`

	// truncated says whether the trace or a message of the exception was truncated.
	// +optional
	Truncated bool `json:"truncated,omitempty"`
}

// Cause is one link of a chain of causes.
type Cause struct {
	// class is the class of the cause as printed.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Class string `json:"class,omitempty"`

	// message is the message of the cause, on one line, at most 1024 bytes.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`
}

// Driver names the driver pod of an attempt and when its container ran.
type Driver struct {
	// podName is the name of the driver pod. All attempts of one application can have the same name.
	// +optional
	PodName string `json:"podName,omitempty"`

	// podUID is the UID of the driver pod. It distinguishes the pods of different attempts.
	// +optional
	PodUID string `json:"podUID,omitempty"`

	// nodeName is the node the pod was bound to.
	// +optional
	NodeName string `json:"nodeName,omitempty"`

	// container is the name of the container that ran the driver, or of another one that caused the failure.
	// +optional
	Container string `json:"container,omitempty"`

	// startedAt is when that container started.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// finishedAt is when that container terminated.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
}

// Executors counts lost executors. An absent count is unknown, not zero.
type Executors struct {
	// failed counts executors whose pods failed.
	// +optional
	Failed *int32 `json:"failed,omitempty"`

	// oomKilled counts executors whose containers exceeded their memory limit.
	// +optional
	OOMKilled *int32 `json:"oomKilled,omitempty"`

	// evicted counts executors that the kubelet evicted.
	// +optional
	Evicted *int32 `json:"evicted,omitempty"`

	// lost counts executors that were lost in another way.
	// +optional
	Lost *int32 `json:"lost,omitempty"`

	// exitCodes counts executors by exit code.
	// +optional
	ExitCodes map[string]int32 `json:"exitCodes,omitempty"`
}

// Attempt is the short record of an earlier failed attempt, identified by submissionID.
type Attempt struct {
	// attempt is the status.executionAttempts of the attempt. It can repeat.
	// +optional
	Attempt int32 `json:"attempt,omitempty"`

	// submissionID identifies the attempt.
	// +optional
	SubmissionID string `json:"submissionID,omitempty"`

	// reason has the same meaning as diagnostics.reason.
	// +optional
	Reason Reason `json:"reason,omitempty"`

	// category has the same meaning as diagnostics.category.
	// +optional
	Category Category `json:"category,omitempty"`

	// message has the same meaning as diagnostics.message.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`

	// source has the same meaning as diagnostics.source.
	// +optional
	Source Source `json:"source,omitempty"`

	// exitCode has the same meaning as diagnostics.exitCode.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`

	// podUID is the UID of the attempt's driver pod.
	// +optional
	PodUID string `json:"podUID,omitempty"`

	// finishedAt is when the attempt's driver container terminated.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
}
