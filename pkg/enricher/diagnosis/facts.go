package diagnosis

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

// FactsOnly returns the diagnostics without any text from a log or an exception, for applications whose conf forbids
// it.
func (d Diagnosis) FactsOnly() failure.Diagnostics {
	facts := *d.Diagnostics.DeepCopy()
	facts.Message, facts.Hint, facts.Exception = d.FactsMessage, d.factsHint, nil
	return facts
}
