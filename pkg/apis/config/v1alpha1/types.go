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

// EnricherConfiguration is the configuration of the controller. Unknown keys are refused.
//
// docs/configuration.md is generated from the comments of the fields and from SetDefaults. A last sentence that begins
// with "Default:" says what an empty value means where SetDefaults leaves it empty.
type EnricherConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	// Namespaces lists the namespaces to watch. Default: all.
	Namespaces []string `json:"namespaces,omitempty"`

	// AnnotateByDefault is used for applications that do not set `spark.kubernetes.driver.annotateExitException`: if
	// true, the enricher annotates their driver pods. The default is that of Spark.
	AnnotateByDefault *bool `json:"annotateByDefault,omitempty"`

	// StatusText is used for applications that do not set `spark.kubernetes.driver.annotateExitException`. `Full` shows
	// messages and stack traces in the status, `Facts` leaves out all text from logs and exceptions.
	StatusText StatusText `json:"statusText,omitempty"`

	// EnrichErrorMessage appends the diagnosis to `applicationState.errorMessage` of failed applications. Argo CD,
	// Kueue, Headlamp and Airflow read only that field.
	EnrichErrorMessage *bool `json:"enrichErrorMessage,omitempty"`

	// PendingGracePeriod is how long a driver may wait for a known cause before the status explains it.
	PendingGracePeriod *metav1.Duration `json:"pendingGracePeriod,omitempty"`

	// Backfill limits how far the enricher looks back after a start: older failures are not diagnosed, and for older
	// submissions it does not search the events for earlier attempts.
	Backfill *metav1.Duration `json:"backfill,omitempty"`

	// CaptureFinalizer keeps the pod of a failed driver until its failure is recorded. While no enricher runs, the
	// applications of such pods are not retried.
	CaptureFinalizer *bool `json:"captureFinalizer,omitempty"`

	// CaptureTimeout is how long after the driver's end the finalizer is removed even if the failure could not be
	// recorded.
	CaptureTimeout *metav1.Duration `json:"captureTimeout,omitempty"`

	// TerminationMessage makes the webhook set the driver container's `terminationMessagePolicy`, so that the kubelet
	// keeps the end of a failed driver's log in the status of its pod. Everyone who may read the pod sees that text. With
	// admission policies, use `enricher install --with termination-message` instead.
	TerminationMessage *bool `json:"terminationMessage,omitempty"`

	// ManageCRD restores the status fields in the SparkApplication CRD when an upgrade of the operator removes them. It
	// requires the permission to patch that CRD (`config/rbac/manage_crd.yaml`).
	ManageCRD *bool `json:"manageCRD,omitempty"`

	// Workers is the number of applications that are processed at once, from 1 to 1000.
	Workers int `json:"workers,omitempty"`

	// Log limits the reading of driver logs.
	Log LogLimits `json:"log,omitempty"`

	// StackTrace limits `status.diagnostics.exception.stackTrace`.
	StackTrace StackTraceLimits `json:"stackTrace,omitempty"`

	// Rules are your own reasons. They are tried in their order, before the built-in rules; the first match decides.
	Rules []Rule `json:"rules,omitempty"`

	// LeaderElection configures the lease by which one of several replicas becomes the leader.
	LeaderElection LeaderElection `json:"leaderElection,omitempty"`

	// Webhook configures the webhook that replaces the mutating admission policies on Kubernetes before 1.36.
	Webhook Webhook `json:"webhook,omitempty"`

	// MetricsBindAddress is the address of the Prometheus metrics; `"0"` disables them.
	MetricsBindAddress string `json:"metricsBindAddress,omitempty"`

	// HealthProbeBindAddress is the address of `/healthz` and `/readyz`; `"0"` disables them.
	HealthProbeBindAddress string `json:"healthProbeBindAddress,omitempty"`
}

// StatusText says how much text the status shows.
type StatusText string

// The values of StatusText.
const (
	StatusTextFull  StatusText = "Full"
	StatusTextFacts StatusText = "Facts"
)

// LogLimits limits the reading of one driver log.
type LogLimits struct {
	// MaxBytes is how much of the end of the log is kept, in bytes, from 1024 to 67108864 (64 MiB).
	MaxBytes int `json:"maxBytes,omitempty"`
	// TailLines is how many lines are requested from the kubelet, from 1 to 10000000.
	TailLines int64 `json:"tailLines,omitempty"`
	// Timeout limits one read of the log.
	Timeout *metav1.Duration `json:"timeout,omitempty"`
}

// StackTraceLimits limits the stack trace in the status.
type StackTraceLimits struct {
	// MaxLines is the number of lines that are kept, from 1 to 2000.
	MaxLines int `json:"maxLines,omitempty"`
	// MaxBytes is the number of bytes that are kept, from 256 to 65536.
	MaxBytes int `json:"maxBytes,omitempty"`
}

// Rule is a user's own reason. A rule matches if all of its patterns match the exception or its root cause.
type Rule struct {
	// ID names the rule in `status.diagnostics.rule`, with the prefix `configured.`: lower-case letters, digits, dots
	// and hyphens, at most 50 characters. Default: the position in the list, from 0.
	ID string `json:"id,omitempty"`
	// Class is a regular expression (RE2) for the class of the exception or of its root cause. One of `class` and
	// `message` is required; if both are set, both must match.
	Class string `json:"class,omitempty"`
	// Message is a regular expression (RE2) for the message of the same exception. A rule without `class` is also matched
	// against the one-line message of a failure that has no exception.
	Message string `json:"message,omitempty"`
	// Reason is the reason of the diagnosis, a CamelCase word. Required.
	Reason failure.Reason `json:"reason"`
	// Category says who has to act: `User`, `Configuration`, `Data`, `Platform` or `Unknown`. Required.
	Category failure.Category `json:"category"`
	// Retryable says whether the same submission, unchanged, has a fair chance: `True`, `False` or `Unknown`. Default:
	// `Unknown`.
	Retryable failure.Retryable `json:"retryable,omitempty"`
	// Hint is the next thing to do.
	Hint string `json:"hint,omitempty"`
}

// LeaderElection is the lease that the replicas compete for.
type LeaderElection struct {
	// Enabled turns leader election on. Turn it off only if exactly one replica runs.
	Enabled *bool `json:"enabled,omitempty"`
	// Namespace is the namespace of the lease. Default: the namespace the enricher runs in.
	Namespace string `json:"namespace,omitempty"`
	// LeaseDuration is how long the other replicas wait after the last renewal before they take over.
	LeaseDuration *metav1.Duration `json:"leaseDuration,omitempty"`
	// RenewDeadline is how long the leader tries to renew the lease before it exits.
	RenewDeadline *metav1.Duration `json:"renewDeadline,omitempty"`
	// RetryPeriod is the pause between two tries to acquire or renew the lease.
	RetryPeriod *metav1.Duration `json:"retryPeriod,omitempty"`
}

// Webhook is the mutating webhook for clusters without mutating admission policies.
type Webhook struct {
	// Enabled serves the webhook.
	Enabled bool `json:"enabled,omitempty"`
	// Host is the address to listen on. Default: all addresses.
	Host string `json:"host,omitempty"`
	// Port is the port to listen on.
	Port int `json:"port,omitempty"`
	// ServiceName is the name of the Service that the API server calls, and of the Secret that holds the enricher's own
	// certificate.
	ServiceName string `json:"serviceName,omitempty"`
	// CertDir is a directory with `tls.crt` and `tls.key` that somebody else renews, such as cert-manager. If it is not
	// set, the enricher creates and rotates its own certificate.
	CertDir string `json:"certDir,omitempty"`
}
