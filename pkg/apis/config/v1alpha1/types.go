package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// APIVersion and Kind head a configuration file.
const (
	APIVersion = "config.spark-status-enricher.io/v1alpha1"
	Kind       = "EnricherConfiguration"
)

// EnricherConfiguration is the whole configuration of the controller. Unknown keys are refused.
type EnricherConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	// Namespaces to watch; empty means all.
	Namespaces []string `json:"namespaces,omitempty"`

	// AnnotateByDefault says what an unset spark.kubernetes.driver.annotateExitException means. Default false, as in
	// Spark.
	AnnotateByDefault *bool `json:"annotateByDefault,omitempty"`

	// StatusText says what the status of an application with the conf unset shows: Full (default) or Facts, which
	// leaves out all text from logs and exceptions.
	StatusText StatusText `json:"statusText,omitempty"`

	// EnrichErrorMessage appends the diagnosis to applicationState.errorMessage of failed applications, the one text
	// that Argo CD, Kueue, Headlamp and Airflow read. Default true.
	EnrichErrorMessage *bool `json:"enrichErrorMessage,omitempty"`

	// PendingGracePeriod is how long a driver may wait with a named cause before it is explained. Default 30s.
	PendingGracePeriod *metav1.Duration `json:"pendingGracePeriod,omitempty"`

	// Backfill is how old a failure may be that is diagnosed after a start, and a submission whose earlier attempts are
	// looked for in events. Default 1h; older ones never are.
	Backfill *metav1.Duration `json:"backfill,omitempty"`

	// CaptureFinalizer keeps the pod of a failed driver until its failure is recorded. Default false: while no
	// enricher runs, retries of applications whose pods carry the finalizer wait.
	CaptureFinalizer *bool `json:"captureFinalizer,omitempty"`

	// CaptureTimeout is when a finalizer is released although the failure could not be recorded. Default 5m.
	CaptureTimeout *metav1.Duration `json:"captureTimeout,omitempty"`

	// TerminationMessage has the webhook tell the kubelet to keep the end of a failed driver's log in the status of its
	// pod, for everyone to see who may read pods. Default false. Where policies are in use, `enricher install --with
	// termination-message` does it instead.
	TerminationMessage *bool `json:"terminationMessage,omitempty"`

	// ManageCRD puts the status fields back into the SparkApplication CRD when an upgrade of the operator removed
	// them. Default false; it needs the right to patch that CRD.
	ManageCRD *bool `json:"manageCRD,omitempty"`

	// Workers is how many applications are worked on at once. Default 8.
	Workers int `json:"workers,omitempty"`

	// Log bounds the reading of driver logs.
	Log LogLimits `json:"log,omitempty"`

	// StackTrace bounds status.diagnostics.exception.stackTrace.
	StackTrace StackTraceLimits `json:"stackTrace,omitempty"`

	// Rules are tried before the built-in catalogue, in their order; the first that matches decides.
	Rules []Rule `json:"rules,omitempty"`

	// LeaderElection lets one of several replicas work.
	LeaderElection LeaderElection `json:"leaderElection,omitempty"`

	// Webhook serves the mutations of the admission policies on clusters without them (Kubernetes < 1.36).
	Webhook Webhook `json:"webhook,omitempty"`

	// MetricsBindAddress serves Prometheus metrics. Default ":8080"; "0" switches them off.
	MetricsBindAddress string `json:"metricsBindAddress,omitempty"`

	// HealthProbeBindAddress serves /healthz and /readyz. Default ":8081"; "0" switches them off.
	HealthProbeBindAddress string `json:"healthProbeBindAddress,omitempty"`
}

// StatusText says how much text the status shows.
type StatusText string

// The values of StatusText.
const (
	StatusTextFull  StatusText = "Full"
	StatusTextFacts StatusText = "Facts"
)

// LogLimits bounds the reading of one driver log.
type LogLimits struct {
	// MaxBytes of the log's tail that are kept, in bytes. Default 1 MiB.
	MaxBytes int `json:"maxBytes,omitempty"`
	// TailLines asked of the kubelet. Default 10000.
	TailLines int64 `json:"tailLines,omitempty"`
	// Timeout of one reading. Default 10s.
	Timeout *metav1.Duration `json:"timeout,omitempty"`
}

// StackTraceLimits bounds the stack trace in the status.
type StackTraceLimits struct {
	// MaxLines. Default 40.
	MaxLines int `json:"maxLines,omitempty"`
	// MaxBytes, at most 65536. Default 8192.
	MaxBytes int `json:"maxBytes,omitempty"`
}

// Rule is a user's own reason. Class and Message are regular expressions (RE2); a rule matches if all that are given
// match the exception, or the root cause, or (Message alone) the one-line message.
type Rule struct {
	// ID names the rule in status.diagnostics.rule, behind "configured.": small letters, digits, dots and hyphens, at most
	// 50. Default: its number in the list, from 0.
	ID string `json:"id,omitempty"`
	// Class is matched against the exception's or the root cause's class.
	Class string `json:"class,omitempty"`
	// Message is matched against the text of the same exception.
	Message string `json:"message,omitempty"`
	// Reason is a CamelCase word.
	Reason failure.Reason `json:"reason"`
	// Category says who has to act.
	Category failure.Category `json:"category"`
	// Retryable defaults to Unknown.
	Retryable failure.Retryable `json:"retryable,omitempty"`
	// Hint is the next thing to do.
	Hint string `json:"hint,omitempty"`
}

// LeaderElection is the lease the replicas compete for.
type LeaderElection struct {
	// Enabled. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// Namespace of the lease. Default: the namespace the enricher runs in.
	Namespace string `json:"namespace,omitempty"`
	// LeaseDuration, RenewDeadline and RetryPeriod. Defaults 15s, 10s and 2s.
	LeaseDuration *metav1.Duration `json:"leaseDuration,omitempty"`
	RenewDeadline *metav1.Duration `json:"renewDeadline,omitempty"`
	RetryPeriod   *metav1.Duration `json:"retryPeriod,omitempty"`
}

// Webhook is the mutating webhook for clusters without admission policies.
type Webhook struct {
	// Enabled. Default false.
	Enabled bool `json:"enabled,omitempty"`
	// Host is the address to listen on. Default: all addresses.
	Host string `json:"host,omitempty"`
	// Port. Default 9443.
	Port int `json:"port,omitempty"`
	// ServiceName that the API server calls, and the name of the Secret with the enricher's own certificate. Default
	// spark-status-enricher-webhook.
	ServiceName string `json:"serviceName,omitempty"`
	// CertDir holds tls.crt and tls.key, which somebody else renews, as cert-manager. Empty: the enricher makes and
	// rotates its own certificate.
	CertDir string `json:"certDir,omitempty"`
}
