package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// isNoise reports whether a finding tells nothing about why the program ended.
func isNoise(f *throwable.Found, m *marks) bool {
	if f.Ignored {
		return true
	}
	logged := f.Level != 0
	if logged && containsAny(f.Logger, catalogue.NoiseLoggers) || containsAny(f.Record, catalogue.NoiseTexts) {
		return true
	}
	if m.terminated > 0 && f.Index > m.terminated {
		return true
	}
	stopping := m.shutdown > 0 && f.Index > m.shutdown
	return strings.HasPrefix(f.Thread, "shutdown-hook") || stopping && (logged || strings.HasPrefix(f.Thread, "Thread-"))
}

// isConsequence reports whether an exception only follows from an earlier one.
func isConsequence(e *throwable.Exception) bool {
	for _, link := range e.Chain() {
		if isOneOf(link.Class, catalogue.ConsequenceClasses) || containsAny(head(link.Message, 2048), catalogue.ConsequenceTexts) {
			return true
		}
		if fromGateway(link) || unanswered(link) {
			return true
		}
	}
	return false
}

// unanswered: Py4J tells of a call, but the JVM no longer told what went wrong in it.
func unanswered(e *throwable.Exception) bool {
	return throwable.SimpleName(e.Class) == "Py4JError" && e.Cause == nil &&
		strings.HasPrefix(e.Message, "An error occurred while calling ") && !strings.Contains(e.Message, "\n") &&
		!strings.Contains(e.Message, "Trace:")
}

// fromGateway: Python lost its JVM.
func fromGateway(e *throwable.Exception) bool {
	if !isOneOf(e.Class, []string{"ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError"}) {
		return false
	}
	for _, f := range e.Frames {
		if strings.Contains(f, "py4j") {
			return true
		}
	}
	return false
}

func isOneOf(class string, names []string) bool {
	simple := throwable.SimpleName(class)
	for _, n := range names {
		if simple == n {
			return true
		}
	}
	return false
}

func containsAny(s string, list []string) bool {
	if s == "" {
		return false
	}
	for _, t := range list {
		if strings.Contains(s, t) {
			return true
		}
	}
	return false
}

func head(s string, n int) string { return s[:min(len(s), n)] }
