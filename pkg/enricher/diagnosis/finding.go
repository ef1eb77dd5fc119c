package diagnosis

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// finding is the verdict with the one piece of evidence it rests on. Reason, message and source of a diagnosis all
// come from here.
type finding struct {
	source  failure.Source
	verdict catalogue.Verdict
	// known is false where the verdict is only the default for an exception that no rule knows.
	known bool
	// origin is who threw an exception that no rule knows.
	origin origin
	// facts is the verdict in words that hold no text of a program.
	facts string
	// words is what the platform or a plain text says; "" where the exception speaks.
	words     string
	exception *throwable.Exception
	// lines are the exception as printed.
	lines []string
	// aside is what the log tells beside the evidence; it goes into the hint.
	aside string
	// truncated is true where the evidence itself had been cut.
	truncated bool
	// container and ended are set where another container than the driver's decided.
	container string
	ended     *corev1.ContainerStateTerminated
	// usable is true where an annotation of the driver tells the failure.
	usable bool
}

// platformFinding is the finding of a rule about pods, containers or the operator's words.
func platformFinding(source failure.Source, rule string, reason failure.Reason, facts, words string) *finding {
	return &finding{source: source, verdict: catalogue.Of(rule, reason), facts: facts, words: words}
}

func (f *finding) retryable(r failure.Retryable) *finding {
	f.verdict.Retryable = r
	return f
}

func (f *finding) hint(h string) *finding {
	f.verdict.Hint = h
	return f
}
