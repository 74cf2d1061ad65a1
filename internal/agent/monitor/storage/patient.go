package storage

import (
	"context"
	"sync"
	"time"
)

// patient asks what a sick disk may never answer. A system call that hangs cannot be taken back: so only one is under way
// for a key at a time, however often it is asked, and a hang costs one thread.
type patient[T any] struct {
	mu    sync.Mutex
	asked map[string]question[T]
}

type question[T any] struct {
	since  time.Time
	answer chan T // of one element: whoever answers late does not wait
}

func newPatient[T any]() *patient[T] { return &patient[T]{asked: map[string]question[T]{}} }

// hangs says that something has not answered.
type hangs struct{ since time.Time }

// Error names the moment, not the time that has passed, so that it stays the same while it lasts.
func (h hangs) Error() string { return "no answer since " + h.since.UTC().Format(time.RFC3339) }

// ask has something done and waits for its answer. What is still under way from an earlier time is waited for first; if
// that answers now, it is asked afresh. The error is hangs, or ctx's.
func (p *patient[T]) ask(ctx context.Context, key string, patience time.Duration, do func() T) (T, error) {
	end := time.NewTimer(patience)
	defer end.Stop()
	for {
		q, begun := p.begin(key, do)
		select {
		case answer := <-q.answer:
			p.end(key)
			if begun {
				return answer, nil
			}
		case <-end.C:
			var none T
			return none, hangs{since: q.since}
		case <-ctx.Done():
			var none T
			return none, ctx.Err()
		}
	}
}

// begin has it done unless that is under way.
func (p *patient[T]) begin(key string, do func() T) (q question[T], begun bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q, under := p.asked[key]; under {
		return q, false
	}
	q = question[T]{since: time.Now(), answer: make(chan T, 1)}
	p.asked[key] = q
	go func() { q.answer <- do() }()
	return q, true
}

func (p *patient[T]) end(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asked, key)
}
