package logtext

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// Level is the severity of a log record.
type Level int

// The levels. None is raw output: a print, a trace, the continuation of a record.
const (
	None Level = iota
	Debug
	Info
	Warn
	Error
	Fatal
)

// Line is one line of output.
type Line struct {
	// Text without prefixes, header and line end. Invalid UTF-8 is kept as it came.
	Text string
	// Level of the record that the line starts; None where it starts none.
	Level Level
	// Logger of that record, where one can be told.
	Logger string
}

// Starts reports whether the line starts a record.
func (l Line) Starts() bool { return l.Level != None }

// MaxLine is how long a line may be, in bytes, before its middle is cut out.
const MaxLine = 16 * 1024

const (
	keepHead = 12 * 1024
	keepTail = 3 * 1024
	cutMark  = " ... "
)

// Lines yields the lines of raw output one by one. It holds no more than one of them.
func Lines(raw string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		prefix := commonPrefix(raw)
		blank := false
		for part := range unwoven(raw, prefix) {
			if strings.TrimSpace(part) == "" {
				if blank {
					continue
				}
				blank = true
			} else {
				blank = false
			}
			if !emit(part, yield) {
				return
			}
		}
	}
}

// unwoven yields the cleaned lines, each whole.
func unwoven(raw, prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var w weaver
		for part := range physical(raw) {
			if !yield(w.take(clean(part, prefix))) {
				return
			}
		}
		if w.waiting {
			yield(w.head)
		}
	}
}

// emit yields one cleaned line, or several where it is a structured record.
func emit(text string, yield func(Line) bool) bool {
	if looksStructured(text) {
		if lines := structured(text); lines != nil {
			for _, l := range lines {
				if !yield(shorten(l)) {
					return false
				}
			}
			return true
		}
	}
	return yield(shorten(header(text)))
}

// physical splits at line ends. A lone carriage return (a progress bar drawn over itself) ends a line too.
func physical(raw string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(raw) > 0 {
			line := raw
			if end := strings.IndexByte(raw, '\n'); end >= 0 {
				line, raw = raw[:end], raw[end+1:]
			} else {
				raw = ""
			}
			line = strings.TrimRight(line, "\r")
			for {
				head, rest, more := strings.Cut(line, "\r")
				if !yield(head) {
					return
				}
				if !more {
					break
				}
				line = rest
			}
		}
	}
}

func shorten(l Line) Line {
	if len(l.Text) <= MaxLine {
		return l
	}
	l.Text = HeadAndTail(l.Text, keepHead, keepTail)
	return l
}

// HeadAndTail keeps the first and last bytes of s, cut on rune boundaries, with a mark between them.
func HeadAndTail(s string, head, tail int) string {
	if len(s) <= head+tail+len(cutMark) {
		return s
	}
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	at := len(s) - tail
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[:head] + cutMark + s[at:]
}
