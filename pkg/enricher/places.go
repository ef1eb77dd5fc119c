package enricher

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

const (
	// readsAtOnce is how many logs are read at the same time, of all namespaces.
	readsAtOnce = 16
	// readsPerNamespace is how many of them may be of one namespace: a kubelet that hangs, or logs that are very long, keep
	// only their own namespace waiting.
	readsPerNamespace = 2
	// waitingPerNamespace bounds the readings of a namespace that are under way or wait for their turn.
	waitingPerNamespace = 64
)

// places shares the readings of logs among namespaces.
type places struct {
	total *semaphore.Weighted

	mu         sync.Mutex
	namespaces map[string]*share
}

// share is one namespace's.
type share struct {
	reading *semaphore.Weighted
	users   int
}

func newPlaces() *places {
	return &places{total: semaphore.NewWeighted(readsAtOnce), namespaces: map[string]*share{}}
}

// join lines up for a reading in a namespace; nil means that too many are waiting. Who has joined must leave.
func (p *places) join(namespace string) *share {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.namespaces[namespace]
	if s == nil {
		s = &share{reading: semaphore.NewWeighted(readsPerNamespace)}
		p.namespaces[namespace] = s
	}
	if s.users >= waitingPerNamespace {
		return nil
	}
	s.users++
	return s
}

func (p *places) leave(namespace string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.namespaces[namespace]
	if s.users--; s.users == 0 {
		delete(p.namespaces, namespace)
	}
}

// with calls read when it is the share's turn.
func (p *places) with(ctx context.Context, s *share, read func()) error {
	if err := s.reading.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.reading.Release(1)
	if err := p.total.Acquire(ctx, 1); err != nil {
		return err
	}
	defer p.total.Release(1)
	read()
	return nil
}
