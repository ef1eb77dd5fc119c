package v1beta2

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
)

// State is the operator's status.applicationState.state.
type State string

// The states of operator v2.5.
const (
	StateNew              State = ""
	StateSubmitted        State = "SUBMITTED"
	StateRunning          State = "RUNNING"
	StateCompleted        State = "COMPLETED"
	StateFailed           State = "FAILED"
	StateSubmissionFailed State = "SUBMISSION_FAILED"
	StatePendingRerun     State = "PENDING_RERUN"
	StateInvalidating     State = "INVALIDATING"
	StateSucceeding       State = "SUCCEEDING"
	StateFailing          State = "FAILING"
	StateSuspending       State = "SUSPENDING"
	StateSuspended        State = "SUSPENDED"
	StateResuming         State = "RESUMING"
	StateUnknown          State = "UNKNOWN"
)

// DriverExists is part of the operator's error message if a driver pod of the application prevented a submission.
const DriverExists = "driver pod already exist"

// States lists every state of the operator, in the order of a run.
var States = []State{
	StateNew, StateSubmitted, StateRunning, StateSucceeding, StateCompleted, StateFailing, StateFailed,
	StateSubmissionFailed, StatePendingRerun, StateInvalidating, StateSuspending, StateSuspended, StateResuming,
	StateUnknown,
}

// SparkApplication is the part of a SparkApplication that the enricher reads. It must never be written back as a
// whole: writes are patches of single fields.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=sparkapplications,singular=sparkapplication
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.diagnostics.reason`
// +kubebuilder:printcolumn:name="Exit",type=integer,JSONPath=`.status.diagnostics.exitCode`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.diagnostics.message`,priority=1
type SparkApplication struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec,omitempty"`
	Status Status `json:"status,omitempty"`
}

// SparkApplicationList is a list of SparkApplications.
//
// +kubebuilder:object:root=true
type SparkApplicationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SparkApplication `json:"items"`
}

// Spec is the part of the specification that a diagnosis can depend on.
type Spec struct {
	Type          string            `json:"type,omitempty"`
	MainClass     *string           `json:"mainClass,omitempty"`
	SparkConf     map[string]string `json:"sparkConf,omitempty"`
	HadoopConf    map[string]string `json:"hadoopConf,omitempty"`
	Arguments     []string          `json:"arguments,omitempty"`
	Driver        PodSpec           `json:"driver,omitempty"`
	Executor      PodSpec           `json:"executor,omitempty"`
	RestartPolicy RestartPolicy     `json:"restartPolicy,omitempty"`
}

// PodSpec contains the resources and the template of the driver or the executors, and the fields that can hold secrets.
type PodSpec struct {
	PodName        *string           `json:"podName,omitempty"`
	Memory         *string           `json:"memory,omitempty"`
	MemoryOverhead *string           `json:"memoryOverhead,omitempty"`
	MemoryLimit    *string           `json:"memoryLimit,omitempty"`
	ServiceAccount *string           `json:"serviceAccount,omitempty"`
	Template       *PodTemplate      `json:"template,omitempty"`
	JavaOptions    *string           `json:"javaOptions,omitempty"`
	Env            []EnvVar          `json:"env,omitempty"`
	EnvVars        map[string]string `json:"envVars,omitempty"`
	InitContainers []Container       `json:"initContainers,omitempty"`
	Sidecars       []Container       `json:"sidecars,omitempty"`
}

// PodTemplate is the part of a pod template that is read.
type PodTemplate struct {
	Spec PodTemplateSpec `json:"spec,omitempty"`
}

// PodTemplateSpec holds the containers of a pod template.
type PodTemplateSpec struct {
	Containers     []Container `json:"containers,omitempty"`
	InitContainers []Container `json:"initContainers,omitempty"`
}

// Container is the part of a container that can hold secrets.
type Container struct {
	Name    string   `json:"name"`
	Command []string `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Env     []EnvVar `json:"env,omitempty"`
}

// EnvVar is an environment variable with a literal value. The value is empty if it comes from another source.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// ContainerName is a container reduced to its name.
type ContainerName struct {
	Name string `json:"name"`
}

// RestartPolicy says when the operator submits the application again. Intervals are in seconds.
type RestartPolicy struct {
	Type                             string `json:"type,omitempty"`
	OnSubmissionFailureRetries       *int32 `json:"onSubmissionFailureRetries,omitempty"`
	OnFailureRetries                 *int32 `json:"onFailureRetries,omitempty"`
	OnSubmissionFailureRetryInterval *int64 `json:"onSubmissionFailureRetryInterval,omitempty"`
	OnFailureRetryInterval           *int64 `json:"onFailureRetryInterval,omitempty"`
}

// Status contains the fields of the operator's status that the enricher reads, and the enricher's own fields.
type Status struct {
	SparkApplicationID        string            `json:"sparkApplicationId,omitempty"`
	SubmissionID              string            `json:"submissionID,omitempty"`
	LastSubmissionAttemptTime *metav1.Time      `json:"lastSubmissionAttemptTime,omitempty"`
	TerminationTime           *metav1.Time      `json:"terminationTime,omitempty"`
	DriverInfo                DriverInfo        `json:"driverInfo,omitempty"`
	ApplicationState          ApplicationState  `json:"applicationState,omitempty"`
	ExecutorState             map[string]string `json:"executorState,omitempty"`
	ExecutionAttempts         int32             `json:"executionAttempts,omitempty"`
	SubmissionAttempts        int32             `json:"submissionAttempts,omitempty"`

	// diagnostics explains why the current or last attempt failed, or why its driver does not start, and who has to act.
	// The status enricher writes it. It is absent as long as there is nothing to report.
	// +optional
	Diagnostics *failure.Diagnostics `json:"diagnostics,omitempty"`

	// conditions follow the state of the application: Ready, Reconciling, Stalled, Complete and Failed. The status
	// enricher adds ExitExceptionAnnotated after a failed attempt.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// DriverInfo names the driver pod.
type DriverInfo struct {
	PodName string `json:"podName,omitempty"`
}

// ApplicationState contains the operator's state and its error message.
type ApplicationState struct {
	State        State  `json:"state"`
	ErrorMessage string `json:"errorMessage,omitempty"`
}

// DriverContainerName returns the name of the container in pod that runs the driver, or "" if it cannot be
// determined.
func (a *SparkApplication) DriverContainerName(pod *corev1.Pod) string {
	return spark.DriverContainerName(pod, a.DriverTemplateContainers())
}

// DriverTemplateContainers returns the names of the containers in the driver's template, in order.
func (a *SparkApplication) DriverTemplateContainers() []string {
	if a == nil || a.Spec.Driver.Template == nil {
		return nil
	}
	names := make([]string, 0, len(a.Spec.Driver.Template.Spec.Containers))
	for _, c := range a.Spec.Driver.Template.Spec.Containers {
		names = append(names, c.Name)
	}
	return names
}
