package throwable

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

// beginJava opens a trace at its first frame, cause or stack: the heading and its message are pending, stand in the line
// before, or are missing.
func (r *Reader) beginJava(text string) {
	b := r.newBlock()
	b.Kind, b.Index = Java, r.index
	lines := r.pending
	if len(lines) > 0 {
		b.Index -= len(lines)
	} else if _, _, ok := embedded(r.previous); ok {
		lines = []string{r.previous}
	}
	if len(lines) > 0 {
		lines = r.fromHeading(lines)
	}
	b.Headless = len(lines) == 0
	read := len(lines)
	if read > 0 {
		b.Thread, lines[0] = threadOff(lines[0])
		b.Uncaught = b.Thread == "main"
	}
	if b.Thread == "" {
		r.attribute(&b.Found, read)
	}
	if p := r.plain.open; p != nil && p.Kind == Launcher {
		b.Uncaught, b.Record = true, p.Message
		r.plain.open = nil
	}
	lines = append(lines, text)
	b.Lines = lines
	b.inMessage = javaKind(text) == causeLine
	r.pending, r.headed, r.java = r.pending[:0], 0, b
}

// newBlock takes the memory of the last trace, which a log that is full of them needs again and again.
func (r *Reader) newBlock() *block {
	b := r.spare
	if b == nil {
		return &block{}
	}
	r.spare = nil
	*b = block{}
	return b
}

// maxFrameless is how many lines of message an exception without frames may have.
const maxFrameless = 20

// frameless makes a finding of a heading that no frame followed, if it surely is one: the runtime named the thread, or
// the class is named as exceptions are.
func frameless(pending []string, headed int) (Found, bool) {
	if len(pending) == 0 || headed == 0 {
		return Found{}, false
	}
	thread, class, _, ok := javaHeading(pending[0])
	if !ok || thread == "" && (!namedThrown(class) || !isQualified(bare(class))) {
		return Found{}, false
	}
	f := Found{Kind: Java, Index: headed, Thread: thread, Uncaught: thread == "main", Frameless: true}
	_, first := threadOff(pending[0])
	f.Lines = []string{first}
	for _, l := range pending[1:min(len(pending), maxFrameless)] {
		if strings.TrimSpace(l) == "" {
			break
		}
		f.Lines = append(f.Lines, l)
	}
	return f, true
}

// fromHeading drops what stands before the heading: the text of a record, or of a line that mentions the exception
// at its end.
func (r *Reader) fromHeading(lines []string) []string {
	if r.headed != 0 {
		return r.copied(lines)
	}
	for i, l := range lines {
		if _, _, _, ok := javaHeading(l); ok {
			return r.copied(lines[i:])
		}
		if i > 0 {
			continue
		}
		if class, message, ok := embedded(l); ok && (len(lines) == 1 || !anyHeading(lines[1:])) {
			return append([]string{joinHeading(class, message)}, lines[1:]...)
		}
	}
	if class, message, ok := embedded(r.previous); ok {
		return []string{joinHeading(class, message)}
	}
	return nil
}

// copied makes room for the frames to come.
func (r *Reader) copied(lines []string) []string {
	const frames = 6
	room := r.room
	r.room = nil
	if cap(room) == 0 {
		room = make([]string, 0, len(lines)+frames)
	}
	return append(room, lines...)
}

func anyHeading(lines []string) bool {
	for _, l := range lines {
		if _, _, _, ok := javaHeading(l); ok {
			return true
		}
	}
	return false
}

func joinHeading(class, message string) string {
	if message == "" {
		return class
	}
	return class + ": " + message
}

// attribute tells which record carries a trace of which so many lines were already read. What follows an INFO record
// was printed, not logged: the program's own stack prints look the same.
func (r *Reader) attribute(f *Found, lines int) {
	if r.record.Level < logtext.Warn || r.age > lines+1 {
		return
	}
	f.Level, f.Logger, f.Record = r.record.Level, r.record.Logger, r.record.Text
	r.plain.drop()
}

// takeJava adds a line to the open trace, or reports that it does not belong there.
func (r *Reader) takeJava(text string) bool {
	b := r.java
	if len(b.Lines) >= maxBlock {
		return javaKind(text) != otherLine
	}
	switch javaKind(text) {
	case frameLine, elisionLine, circularLine, driverLine:
		b.inMessage, b.blank = false, false
	case causeLine, wrapLine, suppressedLine:
		b.inMessage, b.blank, b.frames = true, false, 0
	case blankLine:
		if b.blank && !b.inMessage {
			return false
		}
		b.blank = true
	default:
		if !b.takesText(text) {
			return false
		}
	}
	b.Lines = append(b.Lines, text)
	return true
}

// takesText accepts a further line of a cause's message, and the rest of a frame that was wrapped.
func (b *block) takesText(text string) bool {
	if b.inMessage {
		b.frames++
		_, _, _, heads := javaHeading(text)
		return b.frames < maxPending && !(heads && strings.HasPrefix(text, inThread))
	}
	return !b.blank && isOpenFrame(b.Lines[len(b.Lines)-1])
}
