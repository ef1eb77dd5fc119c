package throwable

import "strings"

const (
	duringHandling = "During handling of the above exception, another exception occurred:"
	directCause    = "The above exception was the direct cause of the following exception:"
)

func isTracebackTop(s string) bool { return strings.Contains(s, "Traceback (most recent call last)") }

// opensTraceback is false for an exception's line that goes on with the traceback of another process.
func opensTraceback(s string) bool { return isTracebackTop(s) && !isThrownLine(s) }

func isChainMark(s string) bool {
	s = strings.TrimSpace(s)
	return s == duringHandling || s == directCause
}

// ParsePython parses one traceback with all that it chains. It returns nil where the lines hold no exception.
func ParsePython(lines []string) *Exception {
	var last *Exception
	implicit := false
	for len(lines) > 0 {
		section, mark, rest := untilMark(lines)
		lines = rest
		if e := parseSection(section); e != nil {
			if last != nil {
				e = chainBelow(e, last, implicit)
			}
			last = e
		}
		implicit = strings.TrimSpace(mark) == duringHandling
	}
	return last
}

// chainBelow makes the earlier exception the cause of the later one, unless that carries its own from the JVM.
func chainBelow(later, earlier *Exception, implicit bool) *Exception {
	if later.Cause == nil && later.Remote == nil {
		later.Cause, later.Implicit = earlier, implicit
	}
	return later
}

func untilMark(lines []string) (section []string, mark string, rest []string) {
	for i, l := range lines {
		if isChainMark(l) {
			return lines[:i], l, lines[i+1:]
		}
	}
	return lines, "", nil
}

// parseSection parses one traceback: frames, then "Class: message", then the rest of the message.
func parseSection(lines []string) *Exception {
	if len(lines) > 0 && isBox(lines[0]) {
		return parseRich(lines)
	}
	lines, grouped := ungroup(lines)
	margin := sectionMargin(lines)
	var frames []string
	for i, l := range lines {
		if opensTraceback(l) || strings.TrimSpace(l) == "" {
			continue
		}
		if indent(l) > margin || len(frames) == 0 && isPythonFrame(l) {
			frames = append(frames, strings.TrimSpace(l))
			continue
		}
		if len(frames) == 0 && i > 0 && !isThrownLine(l) {
			continue
		}
		said := lines[i:]
		if grouped {
			said = lines[i : i+1]
		}
		e := exceptionAt(said, margin)
		if e == nil {
			continue
		}
		e.Frames = frames
		if grouped {
			e.Cause = firstOfGroup(lines[i+1:])
		}
		return e
	}
	return nil
}

// sectionMargin is the indentation of the traceback's heading, or of its exception line where there is none.
func sectionMargin(lines []string) int {
	for _, l := range lines {
		if strings.HasPrefix(strings.TrimLeft(l, " "), "Traceback ") {
			return indent(l)
		}
	}
	return 0
}

func isThrownLine(l string) bool {
	class, _, ok := heading(strings.TrimSpace(l))
	return ok && looksThrown(class)
}

func isPythonFrame(s string) bool {
	t := strings.TrimLeft(s, " ")
	return strings.HasPrefix(t, `File "`) && strings.Contains(t, `", line `)
}

// exceptionAt parses "Class: message" and the lines of its message.
func exceptionAt(lines []string, margin int) *Exception {
	class, message, ok := heading(strings.TrimSpace(lines[0]))
	if !ok {
		return nil
	}
	var more []string
	for _, l := range lines[1:] {
		more = append(more, cutMargin(l, margin))
	}
	e := &Exception{Class: class}
	e.Message, e.Cause = javaPart(message, more)
	if e.Cause == nil {
		e.Remote = workerIn(e.Message)
		e.Message = beforeWorker(e.Message)
		if e.Remote == nil {
			e.Remote = taskIn(e.Message)
		}
	}
	return e
}

func cutMargin(l string, margin int) string {
	if n := min(indent(l), margin); n > 0 {
		return l[n:]
	}
	return l
}

// javaPart splits the message of an exception that carries a Java trace: Py4J writes ": class: text" on a line of
// its own, PySpark "JVM stacktrace:" before one.
func javaPart(message string, more []string) (string, *Exception) {
	for i, l := range more {
		var trace []string
		switch {
		case strings.HasPrefix(l, ": "):
			trace = append([]string{l[2:]}, more[i+1:]...)
		case strings.TrimSpace(l) == jvmStack && i+1 < len(more):
			trace = more[i+1:]
		default:
			continue
		}
		if e := ParseJava(trace); e != nil && (e.Class != "" || len(e.Frames) > 0) {
			return joinMessage(message, more[:i]), e
		}
	}
	return joinMessage(message, more), nil
}

func joinMessage(first string, more []string) string {
	return strings.TrimSpace(strings.Join(append([]string{first}, more...), "\n"))
}

// workerIn finds the traceback of a Python worker in a PythonException's message.
func workerIn(message string) *Exception {
	at := strings.Index(message, tracebackTop)
	if at < 0 {
		return nil
	}
	return ParsePython(strings.Split(message[at:], "\n"))
}

func beforeWorker(message string) string {
	if at := strings.Index(message, tracebackTop); at > 0 {
		return strings.TrimSpace(message[:at])
	}
	return message
}
