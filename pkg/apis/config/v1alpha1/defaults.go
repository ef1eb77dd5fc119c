package v1alpha1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// SetDefaults fills in what the configuration leaves out.
func SetDefaults(c *EnricherConfiguration) {
	c.APIVersion, c.Kind = APIVersion, Kind
	fill(&c.AnnotateByDefault, false)
	fill(&c.EnrichErrorMessage, true)
	fill(&c.CaptureFinalizer, false)
	fill(&c.TerminationMessage, false)
	fill(&c.ManageCRD, false)
	fillDuration(&c.PendingGracePeriod, 30*time.Second)
	fillDuration(&c.Backfill, time.Hour)
	fillDuration(&c.CaptureTimeout, 5*time.Minute)
	orDefault(&c.StatusText, StatusTextFull)
	orDefault(&c.Workers, 8)
	orDefault(&c.Log.MaxBytes, 1<<20)
	orDefault(&c.Log.TailLines, 10_000)
	fillDuration(&c.Log.Timeout, 10*time.Second)
	orDefault(&c.StackTrace.MaxLines, 40)
	orDefault(&c.StackTrace.MaxBytes, 8<<10)
	orDefault(&c.MetricsBindAddress, ":8080")
	orDefault(&c.HealthProbeBindAddress, ":8081")
	setLeaderElectionDefaults(&c.LeaderElection)
	orDefault(&c.Webhook.Port, 9443)
	orDefault(&c.Webhook.ServiceName, "spark-status-enricher-webhook")
}

func setLeaderElectionDefaults(l *LeaderElection) {
	fill(&l.Enabled, true)
	fillDuration(&l.LeaseDuration, 15*time.Second)
	fillDuration(&l.RenewDeadline, 10*time.Second)
	fillDuration(&l.RetryPeriod, 2*time.Second)
}

func fill[T any](field **T, value T) {
	if *field == nil {
		*field = ptr.To(value)
	}
}

func fillDuration(field **metav1.Duration, value time.Duration) {
	fill(field, metav1.Duration{Duration: value})
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
