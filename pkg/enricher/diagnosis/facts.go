package diagnosis

import v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"

// FactsOnly returns the diagnostics without any text from a log or an exception, for applications whose conf forbids
// it.
func (d Diagnosis) FactsOnly() v1beta2.Diagnostics {
	facts := *d.Diagnostics.DeepCopy()
	facts.Message, facts.Hint, facts.Exception = d.FactsMessage, d.factsHint, nil
	return facts
}
