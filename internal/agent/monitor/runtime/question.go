package runtime

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// given is when a call that is not answered is given up and made anew: the kubelet's own runtime-request-timeout. The
// runtime may have been started afresh, and not know of it.
const given = 2 * time.Minute

// question is asked again only when it was answered: a runtime that hangs is not made to hang in many places, and that it
// hangs is the answer.
type question[T any] struct {
	mu    sync.Mutex
	asked *asked[T]
}

type asked[T any] struct {
	since time.Time
	done  chan struct{}
	value T
	err   error
}

// ask asks, or waits on for the answer to what was asked. What was answered meanwhile is old, and asked again.
func (q *question[T]) ask(ctx context.Context, patience time.Duration, call func(context.Context) (T, error)) (T, error) {
	var none T
	a := q.underWay(call)
	enough := time.NewTimer(patience)
	defer enough.Stop()
	select {
	case <-a.done:
		q.forget(a)
		return a.value, a.err
	case <-enough.C:
		// The moment, not the time that has passed: it stays the same while it lasts.
		return none, fmt.Errorf("no answer since %s", a.since.UTC().Format(time.RFC3339))
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

func (q *question[T]) underWay(call func(context.Context) (T, error)) *asked[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if a := q.asked; a != nil {
		select {
		case <-a.done:
		default:
			return a
		}
	}
	a := &asked[T]{since: time.Now(), done: make(chan struct{})}
	q.asked = a
	go func() {
		defer close(a.done)
		ctx, cancel := context.WithTimeout(context.Background(), given)
		defer cancel()
		a.value, a.err = call(ctx)
	}()
	return a
}

func (q *question[T]) forget(a *asked[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.asked == a {
		q.asked = nil
	}
}
