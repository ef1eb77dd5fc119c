package diagnosis

import (
	"fmt"
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
)

// fromExit is the finding where nothing but an exit code is known. Code 1 is what everything ends with: it is the
// program's own choice only if the log shows an orderly end.
func fromExit(s *podView, source failure.Source, code int32, orderly bool) *finding {
	reason := ""
	if s.ended != nil {
		reason = s.ended.Reason
	}
	facts := ending(s.containerName(), reason, code)
	known, ok := catalogue.Exits[code]
	switch {
	case code == 137 && s.terminated():
		known = catalogue.Exit{Reason: failure.ReasonDriverTerminated, Words: "killed when the grace period after SIGTERM was over"}
	case code == 137 && (orderly || source == failure.SourceAnnotation):
		// The JVM outlived what was killed: only the kernel does that within a container, at the memory limit.
		known = catalogue.Exit{Reason: failure.ReasonDriverOOMKilled, Words: "the program's Python or R process was killed, not the JVM"}
	case ok:
	case code == 1 && !orderly:
		known = catalogue.Exit{Reason: failure.ReasonUnknown, Words: "no exception, log or message tells why"}
	case catalogue.BySignal(code) != "":
		known = catalogue.Exit{Reason: failure.ReasonDriverTerminated, Words: "ended by " + catalogue.BySignal(code)}
	default:
		known = catalogue.Exit{Reason: failure.ReasonUserExit, Words: fmt.Sprintf("the program chose exit code %d", code)}
	}
	return &finding{
		source: source, verdict: catalogue.Of(fmt.Sprintf("exit.%d", code), known.Reason), facts: facts, words: facts + ": " + known.Words,
	}
}

// terminated reports whether the driver was told to end before it was killed: its log says so, or its pod is deleted.
func (s *podView) terminated() bool {
	return s.signalled || s.Pod != nil && s.Pod.DeletionTimestamp != nil
}

// lead puts what the program printed last before what its exit code means: programs say why they give up.
func (f *finding) lead(run marks) {
	switch f.verdict.Reason {
	case failure.ReasonUserExit, failure.ReasonUnknown:
		if run.lastPrint != "" && !run.starving {
			f.words = strings.TrimSpace(run.lastPrint) + " (" + f.words + ")"
			return
		}
	}
	f.aside = run.aside()
}
