package enricher

import (
	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/patch"
)

// Metrics are the enricher's own, beside those of controller-runtime. All label values come from closed lists, or from
// the rules of the configuration.
type Metrics struct {
	diagnoses *prometheus.CounterVec
	writes    *prometheus.CounterVec
	logs      *prometheus.CounterVec
	erased    prometheus.Counter
	extension prometheus.Gauge
}

// NewMetrics registers the metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		diagnoses: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "enricher_diagnoses_total", Help: "Failed attempts diagnosed, by reason and category.",
		}, []string{"reason", "category"}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "enricher_writes_total", Help: "Writes to the API server, by kind (pod, status, event, finalizer) and result.",
		}, []string{"kind", "result"}),
		logs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "enricher_log_failures_total", Help: "Driver logs that could not be read, by cause.",
		}, []string{"cause"}),
		erased: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "enricher_status_erased_total", Help: "Times a stored diagnosis was found erased by another writer.",
		}),
		extension: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "enricher_crd_extension_present", Help: "1 if the SparkApplication CRD has the enricher's status fields, else 0.",
		}),
	}
	registry.MustRegister(m.diagnoses, m.writes, m.logs, m.erased, m.extension)
	return m
}

func (m *Metrics) diagnosed(reason failure.Reason, category failure.Category) {
	m.diagnoses.WithLabelValues(string(reason), string(category)).Inc()
}

func (m *Metrics) wrote(kind string, err error) { m.writes.WithLabelValues(kind, resultOf(err)).Inc() }

func (m *Metrics) logFailed(err error) { m.logs.WithLabelValues(resultOf(err)).Inc() }

// resultOf names the outcome of a request in a closed list of words.
func resultOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case apierrors.IsNotFound(err):
		return "not_found"
	case apierrors.IsForbidden(err):
		return "forbidden"
	case patch.IsUnknownField(err):
		return "unknown_field"
	case patch.IsRejected(err):
		return "rejected"
	case patch.IsUnexpected(err):
		return "not_as_expected"
	case apierrors.IsTooManyRequests(err):
		return "throttled"
	default:
		return "error"
	}
}
