// Package diagnosis decides why a Spark driver failed or does not start. It is pure: evidence in, diagnosis out, no
// client and no clock.
package diagnosis

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
)

// Evidence is all that is known of one attempt. Any part may be missing.
type Evidence struct {
	// Job is the application; nil where only a pod or a log is at hand.
	Job *job.Job
	// Pod is the driver pod of the attempt; nil where there is none.
	Pod *corev1.Pod
	// Container is the name of the container that runs the driver; "" means spark-kubernetes-driver or the only one.
	Container string
	// Log is the tail of the driver container's log as raw bytes: it may begin within a line and hold anything.
	Log []byte
	// LogRead is true if the log could be read, though it may be empty.
	LogRead bool
	// Executors are the executor pods that still exist.
	Executors []corev1.Pod
}

// Diagnosis is the answer. Every text in it is redacted, bounded and free of control characters.
type Diagnosis struct {
	// Failed is false where the evidence shows a driver that is well (running, succeeded, starting): then all else
	// may be empty.
	Failed bool
	// Diagnostics as they go into the status, without submissionID, attempt and attempts.
	Diagnostics failure.Diagnostics
	// FactsMessage is a message made of facts only: reason, exit code, container and pod reasons; no text from a log
	// or an exception.
	FactsMessage string
	// Trace is the whole exception in the shape Spark annotates (class: message, frames, causes; a Python traceback
	// for PySpark), at most 64 KiB; "" where no evidence is worth an annotation.
	Trace string
	// AnnotationUsable is true if the pod carries an annotation spark.exit-exception that tells the failure.
	AnnotationUsable bool

	// factsHint is the hint without anything taken from a text.
	factsHint string
}
