package throwable

import (
	"sort"
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

// Limits that keep a hostile text from costing more than its own size.
const (
	maxPending = 400    // lines of a message before its first frame
	maxBlock   = 20_000 // lines of one trace
	keepFirst  = 64     // findings kept from the beginning of the text
	keepLast   = 192    // findings kept from its end
)

// Reader finds the failures in a text that is fed line by line.
type Reader struct {
	index int
	// record is the last log record, and age how many lines ago it began.
	record logtext.Line
	age    int
	// pending are the lines since one that may be the heading of a Java trace, and headed is the number of that line
	// where it was printed and not logged.
	pending []string
	headed  int
	// previous is the last raw line, asked for a heading where frames come unannounced.
	previous string
	// announced is what Python said just before a traceback: a thread's name, or that it ignores the exception.
	announced announcement

	java   *block
	python *block
	// interrupted is a trace between whose lines records of another writer stand; patience is how many more may.
	interrupted *block
	patience    int
	plain       plainReader
	kept        kept
	// spare and room are what traces that ended have left to build the next one in.
	spare *block
	room  []string
}

// block is a trace under construction.
type block struct {
	Found
	inMessage bool
	afterMark bool
	blank     bool
	boxed     bool
	grouped   bool
	// quoting is true for exceptions whose message carries a trace; worker once that may hold a worker's traceback.
	quoting bool
	worker  bool
	margin  int
	// closing is the class whose line ends a notebook's frames.
	closing string
	frames  int
}

// Feed reads the next line.
func (r *Reader) Feed(line logtext.Line) {
	r.index++
	r.age++
	if line.Starts() && r.carriesTrace(line) {
		line = logtext.Line{Text: line.Text}
	}
	if line.Starts() {
		r.startRecord(line)
		return
	}
	r.raw(line.Text)
}

// carriesTrace reports whether a record merely carries one line of a trace that is logged line by line.
func (r *Reader) carriesTrace(line logtext.Line) bool {
	switch javaKind(line.Text) {
	case frameLine, elisionLine, causeLine, suppressedLine:
		return r.java != nil || len(r.pending) > 0
	}
	if r.python != nil {
		return strings.HasPrefix(line.Text, "  ") || isChainMark(line.Text) ||
			!r.python.inMessage && r.python.frames > 0 && isThrownLine(line.Text)
	}
	return false
}

func (r *Reader) startRecord(line logtext.Line) {
	r.interrupt(line)
	r.close()
	r.record, r.age = line, 0
	r.announced = announcement{}
	if line.Level < logtext.Warn && len(r.pending) == 1 && strings.HasPrefix(r.pending[0], inThread) {
		return // another thread logged between an exception's heading and its frames
	}
	r.setPending("", 0)
	if line.Level >= logtext.Error {
		r.plain.record(r, line)
	}
	if _, _, _, ok := javaHeading(line.Text); ok || strings.Contains(line.Text, ": ") {
		r.setPending(line.Text, 0)
	}
	r.previous = line.Text
}

// raw reads a line that starts no record.
func (r *Reader) raw(text string) {
	r.resume(text)
	switch {
	case r.python != nil && r.python.takePython(text):
	case r.python == nil && r.java != nil && r.takeJava(text):
	default:
		r.closeTraces()
		r.begin(text)
	}
	r.previous = text
}

// begin looks at a raw line outside any trace.
func (r *Reader) begin(text string) {
	kind := javaKind(text)
	if r.plain.take(r, text, kind) || kind == otherLine && r.beginPython(text) {
		return
	}
	switch kind {
	case frameLine, causeLine, wrapLine:
		r.beginJava(text)
	case driverLine:
		if len(r.pending) > 0 {
			r.beginJava(text)
		}
	case blankLine, elisionLine:
		r.extend(text)
	default:
		if a, ok := announces(text); ok {
			r.announced = a
			return
		}
		r.announced = r.announced.older()
		if r.isNewHeading(text) {
			r.setPending(text, r.index)
			return
		}
		r.extend(text)
	}
}

// isNewHeading decides whether a line that looks like a heading begins another exception or belongs to the message
// of the pending one: a message may quote the traceback of a Python worker.
func (r *Reader) isNewHeading(text string) bool {
	thread, class, _, ok := javaHeading(text)
	if !ok {
		return false
	}
	if len(r.pending) == 0 || thread != "" {
		return true
	}
	before := strings.TrimRight(r.pending[len(r.pending)-1], " \t")
	if strings.HasSuffix(before, ":") || strings.HasSuffix(before, "message=") {
		return false
	}
	return !strings.Contains(r.pending[0], tracebackTop) || isQualified(bare(class)) && len(r.pending) > maxPending/2
}

func (r *Reader) extend(text string) {
	if len(r.pending) == 0 {
		return
	}
	if len(r.pending) >= maxPending {
		r.setPending("", 0)
		return
	}
	r.pending = append(r.pending, text)
}

// setPending begins a new heading. The one before it was an exception without frames: printed by its toString, or
// cut off.
func (r *Reader) setPending(text string, headed int) {
	if f, ok := frameless(r.pending, r.headed); ok {
		r.add(f)
	}
	r.pending, r.headed = r.pending[:0], headed
	if text != "" {
		r.pending = append(r.pending, text)
	}
}

// close ends whatever is under construction.
func (r *Reader) close() {
	r.closeTraces()
	r.plain.flush(r)
}

func (r *Reader) closeTraces() {
	if b := r.python; b != nil {
		r.python = nil
		r.add(b.Found)
	}
	if b := r.java; b != nil {
		r.java, r.spare = nil, b
		r.add(b.Found)
	}
}

func (r *Reader) add(f Found) {
	if dropped := r.kept.add(f); cap(dropped.Lines) > 0 {
		r.room = dropped.Lines[:0]
	}
}

// Found ends the text and returns what was found, in order: the first and the last findings where there are many.
func (r *Reader) Found() []Found {
	r.close()
	r.endInterrupted()
	r.setPending("", 0)
	var told []Found
	for _, f := range r.kept.list() {
		if f.parse(); f.tells() {
			told = append(told, f)
		}
	}
	sort.SliceStable(told, func(i, j int) bool { return told[i].Index < told[j].Index })
	return told
}

// parse reads the exception out of a trace's lines. It waits until the end, since most findings of a log that is full
// of them are dropped again.
func (f *Found) parse() {
	if f.Exception != nil {
		return
	}
	f.Lines = trimBlank(f.Lines)
	if f.Kind == Python {
		f.Exception = ParsePython(f.Lines)
	} else {
		f.Exception = ParseJava(f.Lines)
	}
}

// tells is false for frames alone, whose heading lies before the beginning of the text: they name no failure.
func (f *Found) tells() bool {
	return f.Exception != nil && (f.Class != "" || strings.TrimSpace(f.Message) != "")
}

// Line is the number of the last line read.
func (r *Reader) Line() int { return r.index }

func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
