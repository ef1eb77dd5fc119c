package throwable

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

// maxContinuation is how many lines a record or a launcher's error may go on.
const maxContinuation = 40

// plainReader reads failures that are no traces.
type plainReader struct {
	open  *Found
	crash bool // open is a fatal message of the JVM, whose lines begin with #
	lines int
	want  int // lines that belong to a launcher's error, its own not counted
}

// record opens a finding for a record of level ERROR or FATAL. A trace that follows takes its place.
func (p *plainReader) record(r *Reader, line logtext.Line) {
	p.flush(r)
	p.open = &Found{
		Exception: &Exception{Message: line.Text}, Kind: Record, Lines: []string{line.Text}, Level: line.Level,
		Logger: line.Logger, Record: line.Text, Index: r.index,
	}
	p.lines, p.want = 0, maxContinuation
}

// drop forgets the open record, because a trace tells more.
func (p *plainReader) drop() {
	if p.open != nil && p.open.Kind == Record {
		p.open = nil
	}
}

// flush ends the open finding.
func (p *plainReader) flush(r *Reader) {
	if p.open == nil {
		return
	}
	f := *p.open
	p.open = nil
	switch {
	case p.crash:
		f.Exception = crashOf(f.Lines)
		p.crash = false
	case f.Kind == R:
		f.Exception = rException(f.Lines)
	case f.Kind == Record:
		f.Exception = recordException(f.Lines)
	}
	r.add(f)
}

// take reads a raw line, and reports whether it belongs to a failure that is no trace.
func (p *plainReader) take(r *Reader, text string, kind lineKind) bool {
	if p.crash {
		if strings.HasPrefix(text, "#") {
			p.append(text)
			return true
		}
		p.flush(r)
	}
	if kind != otherLine {
		p.proceed(r, text, kind)
		return false
	}
	if strings.HasPrefix(text, "# ") && isCrash(text) {
		p.start(r, JVM, text, maxContinuation)
		p.crash = true
		return true
	}
	if e, ok := jvmLine(text); ok {
		p.start(r, JVM, text, 0)
		p.open.Exception = e
		p.flush(r)
		return true
	}
	if p.takeR(r, text) || p.takeLauncher(r, text) {
		return true
	}
	p.proceed(r, text, kind)
	return false
}

func (p *plainReader) start(r *Reader, kind Kind, text string, want int) {
	p.flush(r)
	p.open = &Found{
		Exception: &Exception{Message: text}, Kind: kind, Lines: []string{text}, Index: r.index, Uncaught: true,
	}
	p.lines, p.want = 0, want
}

func (p *plainReader) append(text string) {
	if p.lines < maxContinuation {
		p.open.Lines = append(p.open.Lines, text)
		p.lines++
	}
}

// proceed adds a further line to an open record or launcher's error. The line may still begin a trace: it is not
// claimed.
func (p *plainReader) proceed(r *Reader, text string, kind lineKind) {
	if p.open == nil {
		return
	}
	if p.lines >= p.want {
		p.flush(r)
		return
	}
	if kind != otherLine && kind != blankLine || isTracebackTop(text) {
		return
	}
	p.append(text)
	if p.open.Kind == Launcher && strings.TrimSpace(text) != "" {
		p.open.Message = strings.TrimSpace(p.open.Message + " " + strings.Trim(text, " \t│╰─╯"))
	}
}

// takeR reads R's errors: "Error in call : text" or "Error: text", confirmed by "Execution halted".
func (p *plainReader) takeR(r *Reader, text string) bool {
	if text == "Execution halted" && p.open != nil && p.open.Kind == R {
		p.open.Uncaught = true
		p.flush(r)
		return true
	}
	if !startsR(text) {
		return false
	}
	if _, python := announces(text); python {
		return false
	}
	p.start(r, R, text, maxContinuation)
	p.open.Uncaught = false
	return true
}

// recordException reads the exception that a record names without a trace, else takes the record's words.
func recordException(lines []string) *Exception {
	class, message, ok := "", "", false
	if _, class, message, ok = javaHeading(lines[0]); !ok {
		class, message, ok = embedded(lines[0])
	}
	if !ok {
		return &Exception{Message: strings.Join(lines, "\n")}
	}
	x := newException(class)
	x.Message = strings.Join(append([]string{message}, lines[1:]...), "\n")
	return x
}

func startsR(text string) bool {
	return strings.HasPrefix(text, "Error in ") || strings.HasPrefix(text, "Error: ") && launcherSign(text) == nil
}

// rException takes the Java exception out of an R error where there is one.
func rException(lines []string) *Exception {
	text := strings.Join(lines, "\n")
	for _, l := range lines {
		if class, message, ok := embedded(" " + strings.TrimSpace(l)); ok {
			return &Exception{Class: class, Message: message}
		}
	}
	if _, said, ok := strings.Cut(text, " : "); ok && strings.HasPrefix(text, "Error in ") {
		text = said
	}
	return &Exception{Message: strings.TrimSpace(strings.TrimPrefix(text, "Error: "))}
}
