package v1beta2

// Condition types in status.conditions. The first five follow from applicationState.state alone.
const (
	// ConditionReady: True while the application runs or when it has completed; False when it has failed.
	ConditionReady = "Ready"
	// ConditionReconciling: True while the operator works towards a running or final state.
	ConditionReconciling = "Reconciling"
	// ConditionStalled: True when the application has failed for good; kstatus shows it as Failed.
	ConditionStalled = "Stalled"
	// ConditionComplete: True when the application has completed.
	ConditionComplete = "Complete"
	// ConditionFailed: True when the application has failed for good.
	ConditionFailed = "Failed"
	// ConditionExitExceptionAnnotated: True if the driver pod of the last failed attempt has the annotation
	// spark.exit-exception. The reason says who wrote it, or why it is missing.
	ConditionExitExceptionAnnotated = "ExitExceptionAnnotated"
)

// Reasons of ConditionExitExceptionAnnotated.
const (
	// AnnotatedByDriver: Spark wrote the annotation.
	AnnotatedByDriver = "WrittenByDriver"
	// AnnotatedByEnricher: the enricher wrote the annotation.
	AnnotatedByEnricher = "WrittenByEnricher"
	// NotAnnotatedDriverSucceeded: the driver succeeded, so there is no exception.
	NotAnnotatedDriverSucceeded = "DriverSucceeded"
	// NotAnnotatedNotRequested: the conf spark.kubernetes.driver.annotateExitException is unset.
	NotAnnotatedNotRequested = "NotRequested"
	// NotAnnotatedDisabled: the conf is false.
	NotAnnotatedDisabled = "Disabled"
	// NotAnnotatedInvalidConf: the conf is neither true nor false.
	NotAnnotatedInvalidConf = "InvalidConf"
	// NotAnnotatedNoEvidence: there is no exception, log or pod to describe.
	NotAnnotatedNoEvidence = "NoEvidence"
	// NotAnnotatedWriteRefused: the API server refused the annotation.
	NotAnnotatedWriteRefused = "WriteRefused"
)

// Annotations, labels and finalizers of the enricher, and labels of the operator.
const (
	// AnnotationExitExceptionSource marks an exit exception that the enricher wrote, and names the evidence for it.
	AnnotationExitExceptionSource = "spark-status-enricher.io/exit-exception-source"
	// AnnotationAttempt is on the event of a failed attempt. It holds the short record of the attempt, an Attempt in JSON.
	AnnotationAttempt = "spark-status-enricher.io/attempt"
	// LabelApplicationUID selects the events of the failed attempts of one application.
	LabelApplicationUID = "spark-status-enricher.io/application-uid"
	// FinalizerCapture keeps a driver pod until its failure is recorded.
	FinalizerCapture = "spark-status-enricher.io/capture"
	// LabelTerminationMessage with the value "off" exempts a pod from the termination message policy.
	LabelTerminationMessage = "spark-status-enricher.io/termination-message"

	LabelAppName       = "sparkoperator.k8s.io/app-name"
	LabelLaunchedBy    = "sparkoperator.k8s.io/launched-by-spark-operator"
	LabelSubmissionID  = "sparkoperator.k8s.io/submission-id"
	LabelScheduledName = "sparkoperator.k8s.io/scheduled-app-name"
)
