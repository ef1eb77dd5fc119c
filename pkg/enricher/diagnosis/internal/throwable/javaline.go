package throwable

import "strings"

// lineKind is what a line can be within a Java trace.
type lineKind int

const (
	otherLine lineKind = iota
	blankLine
	frameLine
	elisionLine // "... 12 more"
	causeLine
	wrapLine // logback's root-cause-first order
	suppressedLine
	circularLine
	driverLine // Spark's "Driver stacktrace:"
)

const (
	causedBy     = "Caused by: "
	wrappedBy    = "Wrapped by: "
	suppressed   = "Suppressed: "
	circular     = "[CIRCULAR REFERENCE"
	driverStack  = "Driver stacktrace:"
	jvmStack     = "JVM stacktrace:"
	tracebackTop = "Traceback (most recent call last):"
)

// javaKind classifies a line by plain comparisons.
func javaKind(line string) lineKind {
	s := unindented(line)
	if s == "" {
		return blankLine
	}
	switch s[0] {
	case 'a':
		if isFrame(s) {
			return frameLine
		}
	case '.':
		if isElision(s) {
			return elisionLine
		}
	case 'C':
		if strings.HasPrefix(s, causedBy) {
			return causeLine
		}
	case 'W':
		if strings.HasPrefix(s, wrappedBy) {
			return wrapLine
		}
	case 'S':
		if strings.HasPrefix(s, suppressed) {
			return suppressedLine
		}
	case '[':
		if strings.HasPrefix(s, circular) {
			return circularLine
		}
	case 'D':
		if strings.TrimRight(s, " \t") == driverStack {
			return driverLine
		}
	}
	return otherLine
}

// isFrame accepts "at pkg.Class.method(File.java:1)", with a module before, a jar behind, or cut off by a wrap.
func isFrame(s string) bool {
	rest, ok := strings.CutPrefix(s, "at ")
	if !ok {
		return false
	}
	end := strings.IndexByte(rest, '(')
	if end < 0 {
		return strings.IndexByte(rest, ' ') < 0 && strings.Count(rest, ".") >= 2
	}
	return end > 0 && strings.IndexByte(rest[:end], ' ') < 0 && strings.IndexByte(rest[:end], '.') >= 0
}

// isElision accepts "... 12 more" and logback's "... 12 common frames omitted".
func isElision(s string) bool {
	rest, ok := strings.CutPrefix(s, "... ")
	if !ok || rest == "" || rest[0] < '0' || rest[0] > '9' {
		return false
	}
	rest = strings.TrimLeft(rest, "0123456789")
	return strings.HasPrefix(rest, " more") || strings.HasPrefix(rest, " common frames omitted")
}

func isOpenFrame(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "at ") && strings.Count(s, "(") > strings.Count(s, ")") ||
		strings.HasPrefix(s, "at ") && !strings.Contains(s, "(")
}

func indent(s string) int { return len(s) - len(unindented(s)) }

// unindented is asked of every line several times, which strings.TrimLeft is slow at.
func unindented(s string) string {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return s[i:]
}
