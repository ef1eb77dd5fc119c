package evidence

import (
	"bytes"
	"io"
)

// maxLine is the longest line kept whole, in bytes. Of a longer one the head and the tail are kept: the head names the
// logger or exception, the tail often the cause.
const maxLine = 16 << 10

var elided = []byte(" ...(cut)... ")

// tail is an io.Writer that keeps the last bytes of what is written to it, in bounded memory.
type tail struct {
	ring []byte
	next int
	full bool

	line  int    // bytes of the current line so far
	rest  []byte // the last bytes of a line that is too long
	start int
}

func newTail(size int) *tail { return &tail{ring: make([]byte, 0, size)} }

// ReadTail reads r to its end and returns the last bytes of it, at most size, with long lines shortened. What had arrived
// before an error is returned with it.
func ReadTail(r io.Reader, size int) ([]byte, error) {
	kept := newTail(size)
	_, err := io.Copy(kept, r)
	return kept.Bytes(), err
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			t.addToLine(p)
			break
		}
		t.addToLine(p[:end])
		t.endLine()
		p = p[end+1:]
	}
	return written, nil
}

func (t *tail) addToLine(p []byte) {
	if room := maxLine/2 - t.line; room > 0 {
		head := min(room, len(p))
		t.keep(p[:head])
		t.line += head
		p = p[head:]
	}
	t.line += len(p)
	t.addToRest(p)
}

func (t *tail) addToRest(p []byte) {
	if len(p) > maxLine/2 {
		p = p[len(p)-maxLine/2:]
	}
	t.rest = append(t.rest, p...)
	if excess := len(t.rest) - t.start - maxLine/2; excess > 0 {
		t.start += excess
	}
	if t.start > maxLine {
		t.rest = append(t.rest[:0], t.rest[t.start:]...)
		t.start = 0
	}
}

func (t *tail) endLine() {
	t.flushRest()
	t.keep([]byte{'\n'})
}

func (t *tail) flushRest() {
	if t.line > maxLine {
		t.keep(elided)
	}
	t.keep(t.rest[t.start:])
	t.rest, t.start, t.line = t.rest[:0], 0, 0
}

func (t *tail) keep(p []byte) {
	if len(p) > cap(t.ring) {
		p = p[len(p)-cap(t.ring):]
	}
	for len(p) > 0 {
		if len(t.ring) < cap(t.ring) {
			n := min(cap(t.ring)-len(t.ring), len(p))
			t.ring = append(t.ring, p[:n]...)
			p = p[n:]
			continue
		}
		t.full = true
		n := copy(t.ring[t.next:], p)
		t.next = (t.next + n) % len(t.ring)
		p = p[n:]
	}
}

// Bytes returns what was kept, in order.
func (t *tail) Bytes() []byte {
	t.flushRest()
	if !t.full {
		return t.ring
	}
	return append(append(make([]byte, 0, len(t.ring)), t.ring[t.next:]...), t.ring[:t.next]...)
}
