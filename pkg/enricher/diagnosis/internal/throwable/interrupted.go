package throwable

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

// maxInterruption is how many records may stand between the lines of one trace.
const maxInterruption = 8

// interrupt keeps a trace that nobody logged open while another process writes records into the same log: the JVM and
// its Python process share one. Records of errors end it, since lines that follow may be their own; a traceback is
// told from the JVM's traces.
func (r *Reader) interrupt(record logtext.Line) {
	b := r.python
	if b == nil {
		b = r.java
	}
	if b != nil && b.Level == logtext.None && b.outlasts(record) {
		r.interrupted, r.patience = b, maxInterruption
		r.python, r.java = nil, nil
		return
	}
	if r.interrupted == nil {
		return
	}
	if r.patience--; r.patience < 0 || !r.interrupted.outlasts(record) {
		r.endInterrupted()
	}
}

// outlasts reports whether a trace may go on behind a record.
func (b *block) outlasts(record logtext.Line) bool {
	return record.Level < logtext.Warn || b.Kind == Python && !b.inMessage && isJavaLogger(record.Logger)
}

// resume goes on with the interrupted trace, if the line clearly belongs to it.
func (r *Reader) resume(text string) {
	b := r.interrupted
	if b == nil {
		return
	}
	if b.continues(text) {
		r.interrupted = nil
		if b.Kind == Python {
			r.python = b
		} else {
			r.java = b
		}
		return
	}
	r.endInterrupted()
}

func (r *Reader) endInterrupted() {
	if r.interrupted != nil {
		r.add(r.interrupted.Found)
		r.interrupted = nil
	}
}

func (b *block) continues(text string) bool {
	if b.Kind == Java {
		kind := javaKind(text)
		return kind == frameLine || kind == causeLine || kind == elisionLine || kind == driverLine
	}
	if isChainMark(text) {
		return true
	}
	if b.inMessage || javaKind(text) != otherLine || isOfJVM(text) {
		return false
	}
	return indent(text) > b.margin || b.frames > 0 && isThrownLine(text)
}

// isOfJVM reports whether a line begins like a Java exception of a package that Python has none of.
func isOfJVM(text string) bool {
	for _, p := range []string{"java.", "javax.", "scala.", "org.apache.", "com.", "io.netty.", "io.fabric8."} {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}
