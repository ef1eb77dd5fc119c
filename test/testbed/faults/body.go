package faults

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

var errCut = errors.New("cut by the proxy")

type kindKey struct{}

func withKind(ctx context.Context, kind Kind) context.Context {
	return context.WithValue(ctx, kindKey{}, kind)
}

// firstPart is how much of a body arrives before it is cut or hangs, in bytes.
const firstPart = 64

// spoil makes what goes wrong with the answer.
func (p *Proxy) spoil(response *http.Response) error {
	ctx := response.Request.Context()
	kind, _ := ctx.Value(kindKey{}).(Kind)
	switch kind {
	case AnswerLost:
		return errors.Join(errCut, response.Body.Close())
	case AnswerCut:
		response.Body = &cutBody{ReadCloser: response.Body, left: firstPart}
	case Hang:
		response.Body = &cutBody{ReadCloser: response.Body, left: firstPart, hang: ctx.Done()}
	case WatchDropped:
		response.Body = dropAfter(response.Body, time.Duration(p.dice.between(0, int64(p.delay))))
	case WatchStale:
		response.Body = newLateBody(ctx, response.Body, time.Duration(p.dice.between(0, int64(p.delay))))
	}
	return nil
}

// cutBody ends with an error after some bytes, at once or when hang closes.
type cutBody struct {
	io.ReadCloser
	left int
	hang <-chan struct{}
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		if b.hang != nil {
			<-b.hang
		}
		return 0, errCut
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// droppedBody is closed under its reader's hands.
type droppedBody struct {
	io.ReadCloser
	timer *time.Timer
}

func dropAfter(body io.ReadCloser, d time.Duration) io.ReadCloser {
	return &droppedBody{ReadCloser: body, timer: time.AfterFunc(d, func() { _ = body.Close() })}
}

func (b *droppedBody) Close() error {
	b.timer.Stop()
	return b.ReadCloser.Close()
}

// lateBody hands on what it reads after a delay, in order.
type lateBody struct {
	source io.ReadCloser
	ctx    context.Context
	chunks chan chunk
	rest   []byte
	err    error
}

type chunk struct {
	due  time.Time
	data []byte
	err  error
}

// lateChunks bounds what is held back; a source that is faster waits.
const lateChunks = 1024

func newLateBody(ctx context.Context, source io.ReadCloser, delay time.Duration) io.ReadCloser {
	b := &lateBody{source: source, ctx: ctx, chunks: make(chan chunk, lateChunks)}
	go b.fill(delay)
	return b
}

func (b *lateBody) fill(delay time.Duration) {
	for {
		buffer := make([]byte, 32<<10)
		n, err := b.source.Read(buffer)
		select {
		case b.chunks <- chunk{due: time.Now().Add(delay), data: buffer[:n], err: err}:
		case <-b.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (b *lateBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *lateBody) next() error {
	select {
	case <-b.ctx.Done():
		return b.ctx.Err()
	case c := <-b.chunks:
		select {
		case <-b.ctx.Done():
			return b.ctx.Err()
		case <-time.After(time.Until(c.due)):
		}
		b.rest, b.err = c.data, c.err
		return nil
	}
}

func (b *lateBody) Close() error { return b.source.Close() }
