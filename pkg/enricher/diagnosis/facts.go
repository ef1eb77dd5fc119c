package diagnosis

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

// FactsOnly returns the diagnostics without any text from a log or an exception, for applications whose conf forbids it.
// It names what may be shown, so that a field added later is hidden.
func (d Diagnosis) FactsOnly() failure.Diagnostics {
	whole := d.Diagnostics.DeepCopy()
	return failure.Diagnostics{
		Reason:    whole.Reason,
		Category:  whole.Category,
		Message:   d.FactsMessage,
		Source:    whole.Source,
		Rule:      whole.Rule,
		ExitCode:  whole.ExitCode,
		Signal:    whole.Signal,
		Retryable: whole.Retryable,
		Hint:      d.factsHint,
		Driver:    whole.Driver,
		Executors: whole.Executors,
	}
}
