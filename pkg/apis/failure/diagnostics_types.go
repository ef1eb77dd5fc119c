package failure

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Limits of the diagnostics, in bytes unless they say otherwise.
const (
	MaxMessageBytes    = 1024
	MaxHintBytes       = 512
	MaxAttempts        = 10 // entries
	MaxStackTraceBytes = 64 * 1024
)

// Diagnostics tells why the current or last attempt of the application failed, or why its driver
// does not start, and who has to act. It is absent while there is nothing to say.
type Diagnostics struct {
	// submissionID names the attempt spoken of; it equals status.submissionID of that attempt.
	// +optional
	SubmissionID string `json:"submissionID,omitempty"`

	// attempt is status.executionAttempts of the attempt spoken of. For display: the operator resets it when the
	// specification changes, so it may repeat.
	// +optional
	Attempt int32 `json:"attempt,omitempty"`

	// reason is a stable CamelCase word for the kind of failure, for example DriverOOMKilled or SqlAnalysisError.
	// It is empty while the attempt is well. Automation may match on it.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^([A-Za-z][A-Za-z0-9]*)?$`
	// +optional
	Reason Reason `json:"reason,omitempty"`

	// category says who has to act: the author of the job (User), whoever configures it (Configuration), the owner
	// of the data or service it uses (Data), the platform's operators (Platform), or Unknown.
	// +optional
	Category Category `json:"category,omitempty"`

	// message is the one line that a person would want to read, at most 1024 bytes, without tabs and newlines.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`

	// source is the evidence that decided.
	// +optional
	Source Source `json:"source,omitempty"`

	// rule is the ID of the rule that decided. IDs are stable.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Rule string `json:"rule,omitempty"`

	// exitCode is that of the container that decided: the driver's, or the init container's where reason is
	// InitContainerFailed. Absent where no container ended.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`

	// signal is the signal that the exit code stands for: SIGKILL, SIGTERM, SIGSEGV or SIGABRT.
	// +kubebuilder:validation:MaxLength=16
	// +optional
	Signal string `json:"signal,omitempty"`

	// retryable says whether the same submission, unchanged, would have a fair chance.
	// +optional
	Retryable Retryable `json:"retryable,omitempty"`

	// hint is the next thing to do, with the values at hand, at most 512 bytes.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Hint string `json:"hint,omitempty"`

	// exception is what the program, Spark or the JVM threw, where text of it may be shown.
	// +optional
	Exception *Exception `json:"exception,omitempty"`

	// driver is the pod of the attempt spoken of.
	// +optional
	Driver *Driver `json:"driver,omitempty"`

	// executors counts lost executors. Present only where executors are to blame.
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
	// CategoryPlatform: the operators of the cluster, or whoever sizes the job.
	CategoryPlatform Category = "Platform"
	// CategoryUnknown: the evidence does not say.
	CategoryUnknown Category = "Unknown"
)

// Categories lists them all.
var Categories = []Category{CategoryUser, CategoryConfiguration, CategoryData, CategoryPlatform, CategoryUnknown}

// Source is the kind of evidence a diagnosis rests on.
// +kubebuilder:validation:Enum=Annotation;DriverLog;TerminationMessage;ContainerStatus;PodStatus;SubmissionError
type Source string

// The sources, in the order of trust among texts.
const (
	// SourceAnnotation: the annotation spark.exit-exception that the driver wrote onto its pod.
	SourceAnnotation Source = "Annotation"
	// SourceDriverLog: the tail of the driver container's log.
	SourceDriverLog Source = "DriverLog"
	// SourceTerminationMessage: the driver container's termination message.
	SourceTerminationMessage Source = "TerminationMessage"
	// SourceContainerStatus: the waiting or terminated state of a container.
	SourceContainerStatus Source = "ContainerStatus"
	// SourcePodStatus: the pod's reason, message or conditions, or that there is no pod.
	SourcePodStatus Source = "PodStatus"
	// SourceSubmissionError: the operator's text about a spark-submit that failed.
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

// Exception is a throwable or Python exception as it was printed.
type Exception struct {
	// class is the exception's class as printed, for example java.lang.OutOfMemoryError or KeyError.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Class string `json:"class,omitempty"`

	// message is the exception's own text, on one line, at most 1024 bytes.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`

	// rootCause is the deepest cause of the main chain; absent where the exception has no cause.
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

	// stackTrace holds the lines of the trace without their tabs, the head and the last cause where it was cut.
	// +kubebuilder:validation:MaxItems=2000
	// +listType=atomic
	// +optional
	StackTrace []string `json:"stackTrace,omitempty"`

	// truncated says whether the trace or a text of the exception was cut.
	// +optional
	Truncated bool `json:"truncated,omitempty"`
}

// Cause is one link of a chain of causes.
type Cause struct {
	// class of the cause as printed.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Class string `json:"class,omitempty"`

	// message of the cause, on one line, at most 1024 bytes.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`
}

// Driver names the driver pod of an attempt and when its container ran.
type Driver struct {
	// podName is the name of the driver pod; attempts of one application share it.
	// +optional
	PodName string `json:"podName,omitempty"`

	// podUID tells the pods of different attempts apart.
	// +optional
	PodUID string `json:"podUID,omitempty"`

	// nodeName is the node the pod was bound to.
	// +optional
	NodeName string `json:"nodeName,omitempty"`

	// container is the name of the container that ran the driver, or of the one that decided.
	// +optional
	Container string `json:"container,omitempty"`

	// startedAt is when that container started.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// finishedAt is when that container ended.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
}

// Executors counts what is known of executors that were lost. An absent count is unknown, not zero.
type Executors struct {
	// failed counts executors whose pods failed.
	// +optional
	Failed *int32 `json:"failed,omitempty"`

	// oomKilled counts executors whose containers passed their memory limit.
	// +optional
	OOMKilled *int32 `json:"oomKilled,omitempty"`

	// evicted counts executors that a kubelet evicted.
	// +optional
	Evicted *int32 `json:"evicted,omitempty"`

	// lost counts executors that vanished otherwise.
	// +optional
	Lost *int32 `json:"lost,omitempty"`

	// exitCodes counts executors by exit code.
	// +optional
	ExitCodes map[string]int32 `json:"exitCodes,omitempty"`
}

// Attempt is the short record of an earlier failed attempt, identified by submissionID.
type Attempt struct {
	// attempt is status.executionAttempts at that time; it may repeat.
	// +optional
	Attempt int32 `json:"attempt,omitempty"`

	// submissionID identifies the attempt.
	// +optional
	SubmissionID string `json:"submissionID,omitempty"`

	// reason as in diagnostics.reason.
	// +optional
	Reason Reason `json:"reason,omitempty"`

	// category as in diagnostics.category.
	// +optional
	Category Category `json:"category,omitempty"`

	// message as in diagnostics.message.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`

	// source as in diagnostics.source.
	// +optional
	Source Source `json:"source,omitempty"`

	// exitCode as in diagnostics.exitCode.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`

	// podUID is that of the attempt's driver pod.
	// +optional
	PodUID string `json:"podUID,omitempty"`

	// finishedAt is when the attempt's driver container ended.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
}
