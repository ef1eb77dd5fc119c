package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// fromOperator reads the operator's text, where no driver can be asked.
func (e *Engine) fromOperator(s *podView) *finding {
	if code, reason, ok := operatorSaw(s.said); ok {
		return fromOperatorExit(s, code, reason)
	}
	if f := fromOperatorPod(s.said); f != nil {
		return f
	}
	switch {
	case s.said == "":
		return nil
	case strings.EqualFold(s.said, "driver pod not found"):
		return platformFinding(failure.SourcePodStatus, "operator.pod-not-found", failure.ReasonDriverTerminated, "driver pod not found",
			"driver pod not found: it was deleted before it could tell how it ended")
	case strings.HasPrefix(s.said, "driver container status missing"):
		return platformFinding(failure.SourcePodStatus, "operator.container-status-missing", failure.ReasonUnknown, "driver container status missing",
			"driver container status missing")
	}
	return e.fromSubmission(s)
}

// fromOperatorPod reads "driver pod failed with Reason: Evicted, Message: The node was low on resource".
func fromOperatorPod(text string) *finding {
	rest, ok := strings.CutPrefix(text, "driver pod failed with Reason: ")
	if !ok {
		return nil
	}
	reason, message, _ := strings.Cut(rest, ", Message: ")
	return podReasonFinding(strings.TrimSpace(reason), message)
}

func fromOperatorExit(s *podView, code int32, reason string) *finding {
	facts := ending(s.containerName(), reason, code)
	if reason == "OOMKilled" {
		return platformFinding(failure.SourceContainerStatus, "container.oomkilled", failure.ReasonDriverOOMKilled, facts, facts)
	}
	f := fromExit(s, failure.SourceContainerStatus, code, false)
	f.facts = facts
	return f
}

// driverExists is in the operator's text where a submission found a driver pod of the application's in its way.
const driverExists = "driver pod already exist"

// fromSubmission reads the output of a spark-submit that failed inside the operator.
func (e *Engine) fromSubmission(s *podView) *finding {
	text := submissionOutput(s.said)
	read := readText(text)
	if f := read.fatal(); f != nil {
		found := e.fromFound(s, failure.SourceSubmissionError, f)
		found.facts = "spark-submit failed"
		if !found.known {
			found.verdict = beforeProgram(f.Exception)
		}
		if found.verdict.Hint == "" {
			found.verdict.Hint = operatorHints[found.verdict.Reason]
		}
		if found.verdict.Reason == failure.ReasonDriverOutOfMemory {
			found.verdict = catalogue.Of("operator.out-of-memory", failure.ReasonUnknown)
			return found.hint("It was spark-submit in the operator's pod that ran out of memory, no driver: raise the operator's memory limit.")
		}
		return found
	}
	f := platformFinding(failure.SourceSubmissionError, "submission.unknown", failure.ReasonUnknown, "spark-submit failed", lastWords(s.said, text))
	plain := &throwable.Exception{Message: text}
	switch {
	case strings.Contains(text, "signal: killed"):
		return f.hint("spark-submit was killed inside the operator's pod: raise the operator's memory limit.")
	case strings.Contains(text, driverExists):
		f.verdict, f.facts = catalogue.Of("submission.driver-exists", failure.ReasonInvalidConfiguration), "driver pod already exists"
		return f.hint("A driver pod of that name is left from before: delete it, or choose another spec.driver.podName.")
	case strings.Contains(text, "argument list too long"), strings.Contains(text, "failed to build spark-submit arguments"):
		f.verdict = catalogue.Of("submission.arguments", failure.ReasonInvalidConfiguration)
		return f
	}
	if v, ok := e.lookup(plain); ok {
		f.verdict = v
		return f
	}
	return f.hint("Look into the operator's log for what spark-submit printed.")
}

// operatorHints are for failures of spark-submit itself, which runs in the operator's pod with the operator's rights.
var operatorHints = map[failure.Reason]string{
	failure.ReasonKubernetesForbidden: "spark-submit runs with the operator's service account: give that account the right, " +
		"in the namespace of the application.",
	failure.ReasonMissingDependency:  "spark-submit runs in the operator's pod: put what is missing into the operator's image.",
	failure.ReasonDependencyConflict: "spark-submit runs in the operator's pod: use an operator whose image holds versions that fit.",
	failure.ReasonKubernetesApiUnavailable: "The operator's pod could not reach the Kubernetes API: check its network policy, DNS " +
		"and the load of the API server.",
	failure.ReasonDiskFull:              "It was the operator's pod that ran out of disk: give it more ephemeral storage, or clear its scratch folder.",
	failure.ReasonContainerCommandError: "spark-submit could not be run in the operator's pod: check the operator's image.",
}

// submissionOutput removes what the operator puts before the output of spark-submit.
func submissionOutput(said string) string {
	for range 4 {
		rest, ok := "", false
		for _, p := range []string{"failed to submit spark application: ", "failed to run spark-submit: "} {
			if rest, ok = strings.CutPrefix(said, p); ok {
				said = strings.TrimSpace(rest)
				break
			}
		}
		if !ok {
			break
		}
	}
	return said
}

// lastWords is what the operator said, where that is one line; else the last line of the output that is no warning.
func lastWords(said, text string) string {
	if !strings.Contains(text, "\n") {
		return said
	}
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimSpace(lines[i])
		if l != "" && !strings.Contains(l, "WARN") && !strings.Contains(l, " INFO ") {
			return "spark-submit failed: " + l
		}
	}
	return "spark-submit failed"
}
