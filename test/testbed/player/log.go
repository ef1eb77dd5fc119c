package player

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/virtual-kubelet/virtual-kubelet/errdefs"
	"github.com/virtual-kubelet/virtual-kubelet/node/api"

	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

// GetContainerLogs serves the log of a pod's driver container, as a kubelet does.
func (p *Player) GetContainerLogs(ctx context.Context, namespace, name, container string, opts api.ContainerLogOpts) (io.ReadCloser, error) {
	a := p.find(namespace, name)
	if a == nil {
		return nil, errdefs.NotFound(fmt.Sprintf("pod %q not found", name))
	}
	pod := a.Snapshot()
	if container != script.DriverContainer(pod) {
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	if !script.Started(pod) && script.Terminated(pod) == nil {
		return nil, errdefs.InvalidInputf("container %q in pod %q is waiting to start: ContainerCreating", container, name)
	}
	return a.log.reader(ctx, opts), nil
}

// logBuffer holds a log that may still grow.
type logBuffer struct {
	mu     sync.Mutex
	text   []byte
	closed bool
	grown  chan struct{}
}

func (b *logBuffer) write(text []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, text...)
	b.wake()
}

// close ends the log: those who follow it read to its end.
func (b *logBuffer) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.wake()
}

func (b *logBuffer) wake() {
	if b.grown != nil {
		close(b.grown)
		b.grown = nil
	}
}

func (b *logBuffer) tail(n int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.text[max(0, len(b.text)-n):])
}

// after gives the text behind a position, whether the log has ended, and a channel that closes when it grows.
func (b *logBuffer) after(at int) ([]byte, bool, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.grown == nil {
		b.grown = make(chan struct{})
	}
	return b.text[at:], b.closed, b.grown
}

func (b *logBuffer) reader(ctx context.Context, opts api.ContainerLogOpts) io.ReadCloser {
	text, _, _ := b.after(0)
	start := 0
	if opts.Tail > 0 {
		start = len(text) - len(script.LastLines(text, opts.Tail))
	}
	r := &logReader{ctx: ctx, buffer: b, at: start, limit: -1, follow: opts.Follow, end: len(text)}
	if opts.LimitBytes > 0 {
		r.limit = opts.LimitBytes
	}
	if opts.Timestamps {
		return io.NopCloser(bytes.NewReader(stamp(text[start:])))
	}
	return r
}

// logReader reads a log from a position, to where it ended when it was opened or for as long as it grows.
type logReader struct {
	ctx     context.Context
	buffer  *logBuffer
	at, end int
	limit   int
	follow  bool
}

func (r *logReader) Read(p []byte) (int, error) {
	for {
		text, closed, grown := r.buffer.after(r.at)
		if !r.follow {
			text, closed = text[:r.end-r.at], true
		}
		if r.limit >= 0 {
			text = text[:min(len(text), r.limit)]
			closed = closed || r.limit == 0
		}
		if len(text) > 0 {
			n := copy(p, text)
			r.at += n
			if r.limit >= 0 {
				r.limit -= n
			}
			return n, nil
		}
		if closed {
			return 0, io.EOF
		}
		select {
		case <-r.ctx.Done():
			return 0, r.ctx.Err()
		case <-grown:
		}
	}
}

func (r *logReader) Close() error { return nil }

func stamp(text []byte) []byte {
	now := time.Now().UTC().Format(time.RFC3339Nano) + " "
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		out.WriteString(now)
		out.Write(line)
	}
	return out.Bytes()
}
