package enricher

import (
	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/patch"
)

// Metrics are the enricher's own metrics, in addition to those of controller-runtime. All label values come from closed
// lists, or from the rules in the configuration. The comment on a field says what to watch for; docs/metrics.md shows it.
type Metrics struct {
	// A sudden rise of one reason across namespaces points to the platform or to a shared service.
	diagnoses *prometheus.CounterVec
	// `result="forbidden"` or `result="rejected"` increases: a permission is missing, or the CRD, a policy or a webhook
	// refuses the write. The log names the cause.
	writes *prometheus.CounterVec
	// A steady increase: the diagnoses rest on the termination message and the container's state alone.
	logs *prometheus.CounterVec
	// Any increase: nothing protects the status from the operator. Run `enricher install --check`.
	erased prometheus.Counter
	// `0` for a minute: the enricher makes diagnoses but writes none. Run `enricher install`.
	extension prometheus.Gauge
}

// The values of the labels result and cause.
const (
	// The API server accepted the request.
	resultOK = "ok"
	// The object does not exist anymore.
	resultNotFound = "not_found"
	// The enricher has no permission for the request.
	resultForbidden = "forbidden"
	// The schema of the SparkApplication CRD lacks a status field of the enricher.
	resultUnknownField = "unknown_field"
	// The API server refused the object: it does not pass validation, or a policy denies it.
	resultRejected = "rejected"
	// The object changed in the meantime. The enricher reads it again and decides anew; this is normal.
	resultNotAsExpected = "not_as_expected"
	// The API server answered 429 (Too Many Requests).
	resultThrottled = "throttled"
	// Any other failure, such as a timeout or a lost connection.
	resultError = "error"
)

// NewMetrics registers the metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		diagnoses: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "enricher_diagnoses_total", Help: "Failed attempts that were diagnosed.",
		}, []string{"reason", "category"}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "enricher_writes_total", Help: "Write requests to the API server, by kind (pod, status, event or finalizer) and result.",
		}, []string{"kind", "result"}),
		logs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "enricher_log_failures_total", Help: "Failed attempts to read a driver's log, by cause.",
		}, []string{"cause"}),
		erased: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "enricher_status_erased_total", Help: "Stored diagnoses that another writer erased from the status.",
		}),
		extension: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "enricher_crd_extension_present", Help: "1 if the SparkApplication CRD has the enricher's status fields, otherwise 0.",
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
		return resultOK
	case apierrors.IsNotFound(err):
		return resultNotFound
	case apierrors.IsForbidden(err):
		return resultForbidden
	case patch.IsUnknownField(err):
		return resultUnknownField
	case patch.IsRejected(err):
		return resultRejected
	case patch.IsUnexpected(err):
		return resultNotAsExpected
	case apierrors.IsTooManyRequests(err):
		return resultThrottled
	default:
		return resultError
	}
}
