package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// sparkCondition finds the Spark error condition and SQLSTATE of the reported exception, else of the nearest cause
// that has one.
func sparkCondition(e *throwable.Exception) (name, state string) {
	for _, link := range e.Chain() {
		if name, state = conditionIn(link.Message); name != "" {
			return name, state
		}
	}
	return "", ""
}

// conditionIn parses "[MAIN.SUB] text SQLSTATE: 42P01". The bracket counts only at the start, in capitals.
func conditionIn(message string) (name, state string) {
	s := strings.TrimLeft(message, " \n\t")
	if !strings.HasPrefix(s, "[") {
		return "", ""
	}
	end := strings.IndexByte(s, ']')
	if end < 3 || end > 200 || !isCondition(s[1:end]) {
		return "", ""
	}
	return s[1:end], stateIn(ownPart(s[end:]))
}

// ownPart is a message without the traces that are printed below it.
func ownPart(s string) string {
	for _, mark := range []string{"\nJVM stacktrace:", "\nCaused by: "} {
		s, _, _ = strings.Cut(s, mark)
	}
	return s
}

func isCondition(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isCapital(c) && c != '_' && c != '.' {
			return false
		}
	}
	return s[0] >= 'A' && s[0] <= 'Z' && strings.ContainsRune(s, '_') || strings.HasPrefix(s, "_LEGACY_ERROR")
}

// isCapital accepts capitals and digits.
func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

const stateMark = "SQLSTATE: "

// stateIn is the last SQLSTATE of a message: those before it belong to the failures that the message quotes.
func stateIn(s string) string {
	at := strings.LastIndex(s, stateMark)
	if at < 0 {
		return ""
	}
	s = s[at+len(stateMark):]
	if len(s) < 5 {
		return ""
	}
	for i := range 5 {
		if !isCapital(s[i]) {
			return ""
		}
	}
	if len(s) > 5 && isCapital(s[5]) {
		return ""
	}
	return s[:5]
}
