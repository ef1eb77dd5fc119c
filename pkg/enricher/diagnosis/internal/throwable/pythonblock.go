package throwable

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

// announcement is what Python says in the line before a traceback.
type announcement struct {
	thread  string
	ignored bool
	age     int
}

// announces parses the lines that Python writes before a traceback which does not end the program.
func announces(text string) (announcement, bool) {
	switch {
	case strings.HasPrefix(text, "Exception ignored in"),
		strings.HasPrefix(text, "Error in atexit._run_exitfuncs"),
		strings.HasPrefix(text, "--- Logging error ---"),
		strings.HasPrefix(text, "Exception occurred during processing of request from"):
		return announcement{ignored: true}, true
	case strings.HasPrefix(text, inThread):
		return announcement{}, false // Java's, which names the exception on the same line
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "Exception in thread ")
	name, colon := strings.CutSuffix(rest, ":")
	return announcement{thread: name}, ok && colon
}

// older forgets an announcement that no traceback followed.
func (a announcement) older() announcement {
	a.age++
	if a.age > 3 {
		return announcement{}
	}
	return a
}

// beginPython opens a traceback.
func (r *Reader) beginPython(text string) bool {
	top := isTracebackTop(text)
	if !top && !isPythonFrame(text) {
		return false
	}
	// A heading that is followed by another traceback is all there is of its own: two processes wrote.
	cutOff := top && len(r.pending) == 1 && strings.HasSuffix(r.pending[0], tracebackTop)
	if len(r.pending) > 0 && strings.Contains(r.pending[0], tracebackTop) && !cutOff || top && quotedByJava(text) {
		return false
	}
	b := &block{Found: Found{Kind: Python, Index: r.index}}
	b.boxed = top && isBox(text)
	b.grouped = strings.Contains(text, "Exception Group Traceback")
	b.Headless = !top
	if at := strings.Index(text, "Traceback ("); top && !b.boxed && !b.grouped {
		if name := strings.TrimSpace(text[:at]); name != "" {
			b.closing = notebookClass(name)
			text = text[at:]
		}
		b.margin = indent(text)
	}
	r.attributePython(&b.Found)
	b.takePython(text)
	r.setPending("", 0)
	r.python = b
	return true
}

// notebookClass is the class in IPython's heading "ValueError      Traceback (most recent call last)", which announces
// the line that ends its frames; "" where another text stands before it.
func notebookClass(name string) string {
	if nameEnd(name) == len(name) && namedThrown(name) {
		return name
	}
	return ""
}

// quotedByJava reports whether a traceback's heading stands in the message of a Java exception on the same line.
func quotedByJava(text string) bool {
	at := strings.Index(text, "Traceback (")
	if name := strings.TrimSpace(text[:at]); name == "" || notebookClass(name) != "" {
		return false
	}
	if _, _, _, ok := javaHeading(text[:at]); ok {
		return true
	}
	_, _, ok := embedded(text[:at])
	return ok
}

// attributePython tells a logged traceback from one that ended the program. The JVM logs just before Python prints,
// so a record of a Java class does not own the traceback that follows it.
func (r *Reader) attributePython(f *Found) {
	f.Thread, f.Ignored = r.announced.thread, r.announced.ignored
	r.announced = announcement{}
	if r.age == 1 && ownsTraceback(r.record) {
		f.Level, f.Logger, f.Record = r.record.Level, r.record.Logger, r.record.Text
		r.plain.drop()
	}
	f.Uncaught = f.Level == logtext.None && f.Thread == "" && !f.Ignored
}

// ownsTraceback: Python's logging names its logger; the JVM's own warnings on standard error do not.
func ownsTraceback(record logtext.Line) bool {
	if record.Level < logtext.Warn || isJavaLogger(record.Logger) {
		return false
	}
	return record.Level >= logtext.Error || record.Logger != ""
}

// isJavaLogger: the JVM's loggers are named by classes, Python's by modules.
func isJavaLogger(name string) bool {
	simple := SimpleName(name)
	return simple != "" && simple[0] >= 'A' && simple[0] <= 'Z'
}

// takePython adds a line to the traceback, or reports that it does not belong there.
func (b *block) takePython(text string) bool {
	if len(b.Lines) >= maxBlock {
		return false
	}
	if strings.HasPrefix(text, `> File "`) { // loguru points at the frame that logs
		text = " " + text[1:]
	}
	if !b.boxed && !b.inMessage && isValue(text) {
		return true
	}
	ok := false
	switch {
	case b.boxed:
		ok = b.takeBoxed(text)
	case b.grouped:
		ok = len(b.Lines) == 0 || strings.HasPrefix(strings.TrimSpace(text), "|") || strings.HasPrefix(strings.TrimSpace(text), "+")
	case isChainMark(text):
		b.inMessage, b.afterMark, b.blank, b.frames, ok = false, true, false, 0, true
	case b.inMessage:
		ok = b.takeMessage(text)
	default:
		ok = b.takeFrame(text)
	}
	if ok {
		b.Lines = append(b.Lines, text)
	}
	return ok
}

// isValue accepts the lines in which loguru shows the values of variables. They are no part of a traceback, and any of
// them may be a secret.
func isValue(text string) bool {
	t := strings.TrimLeft(text, " ")
	return strings.HasPrefix(t, "│") || strings.HasPrefix(t, "└")
}

// takeFrame accepts frames, source lines and carets; the first line back at the margin is the exception itself.
func (b *block) takeFrame(text string) bool {
	if strings.TrimSpace(text) == "" {
		return true
	}
	if opensTraceback(text) {
		ok := len(b.Lines) == 0 || b.afterMark
		b.afterMark = false
		if ok && isBox(text) {
			b.boxed = true
		}
		return ok
	}
	if indent(text) > b.margin || b.closing != "" && !strings.HasPrefix(text, b.closing) {
		b.frames++
		return true
	}
	if b.frames == 0 && !isThrownLine(text) {
		return false
	}
	if _, _, ok := heading(strings.TrimSpace(text)); !ok {
		return false
	}
	b.inMessage = true
	b.quoting = quotes(text)
	b.worker = strings.Contains(text, "PythonException")
	return true
}

// takeMessage accepts the further lines of the exception's message. Only the exceptions that quote a trace go on
// behind an empty line.
func (b *block) takeMessage(text string) bool {
	if strings.HasPrefix(text, inThread) || isPythonWarning(text) {
		return false
	}
	if _, ok := announces(text); ok {
		return false
	}
	if b.quoting {
		b.worker = b.worker || strings.HasPrefix(text, ": ") || strings.HasPrefix(text, jvmStack)
		return !isTracebackTop(text) || b.worker
	}
	if isTracebackTop(text) || b.blank {
		return false
	}
	b.blank = strings.TrimSpace(text) == ""
	return true
}

// isPythonWarning accepts "/lib/x.py:12: FutureWarning: text" and "sys:1: ResourceWarning: text", which Python prints
// at any time.
func isPythonWarning(text string) bool {
	at := strings.Index(text, "Warning: ")
	if at < 0 {
		return false
	}
	name := strings.LastIndexByte(text[:at], ' ') + 1
	return name > 2 && text[name-2] == ':' && text[name-3] >= '0' && text[name-3] <= '9'
}

// quotes reports whether the exception's message carries a Java trace or a worker's traceback.
func quotes(exceptionLine string) bool {
	return strings.HasPrefix(exceptionLine, "py4j.") || strings.HasPrefix(exceptionLine, "pyspark.") ||
		strings.Contains(exceptionLine, "Py4JJavaError") || strings.Contains(exceptionLine, "PythonException")
}

// takeBoxed accepts the box that rich draws and the exception below it.
func (b *block) takeBoxed(text string) bool {
	if b.inMessage {
		if isTracebackTop(text) || isChainMark(text) {
			return true
		}
		if strings.TrimSpace(text) == "" {
			b.inMessage, b.blank = false, true
			return true
		}
		return true
	}
	switch {
	case isBox(text):
		b.blank = false
		return len(b.Lines) == 0 || isTracebackTop(text)
	case isBoxSide(text), isBoxEnd(text):
		return true
	case isChainMark(text), strings.TrimSpace(text) == "":
		return true
	}
	if b.blank {
		return false
	}
	_, _, ok := heading(strings.TrimSpace(text))
	b.inMessage = ok
	return ok
}
