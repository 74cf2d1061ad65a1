// Package inflight guards against calls that may never return, as those to a disk or a container runtime that hangs.
package inflight

import (
	"context"
	"sync"
	"time"
)

// Calls has at most one call in flight for each key, however often Do is called: a hang costs one goroutine. The zero value is ready for use.
type Calls[T any] struct {
	// GiveUp is how long after its begin a call's context ends, so that the call can be made anew. Zero is never: a system call that
	// hangs cannot be taken back.
	GiveUp time.Duration

	mu    sync.Mutex
	byKey map[string]*call[T]
}

// call is one that is in flight, or has returned once done is closed.
type call[T any] struct {
	since  time.Time
	done   chan struct{}
	result T
	err    error
}

// NoAnswerError is the error of a call that has not returned.
type NoAnswerError struct {
	// Since is when the call began.
	Since time.Time
}

// Error names the moment, not the time that has passed, so that it stays the same while the call hangs.
func (e NoAnswerError) Error() string { return "no answer since " + e.Since.UTC().Format(time.RFC3339) }

// Do calls f and returns its result. A call for the key that is already in flight is waited for first, and its result, which is of an earlier
// moment, is dropped. The error is NoAnswerError if there is no result within wait, ctx's error if ctx ends earlier, or else f's. The context
// that f is given does not end with ctx.
func (c *Calls[T]) Do(ctx context.Context, key string, wait time.Duration, f func(context.Context) (T, error)) (T, error) {
	var none T
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	for {
		current, begun := c.begin(key, f)
		select {
		case <-current.done:
			c.forget(key, current)
			if begun {
				return current.result, current.err
			}
		case <-timeout.C:
			return none, NoAnswerError{Since: current.since}
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
}

// begin is the call in flight for a key, and whether it has begun just now.
func (c *Calls[T]) begin(key string, f func(context.Context) (T, error)) (_ *call[T], begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if current, is := c.byKey[key]; is {
		return current, false
	}
	current := &call[T]{since: time.Now(), done: make(chan struct{})}
	if c.byKey == nil {
		c.byKey = map[string]*call[T]{}
	}
	c.byKey[key] = current
	go func() {
		defer close(current.done)
		ctx := context.Background()
		if c.GiveUp > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, c.GiveUp)
			defer cancel()
		}
		current.result, current.err = f(ctx)
	}()
	return current, true
}

// forget drops a call that has returned, unless a later one has taken its place.
func (c *Calls[T]) forget(key string, returned *call[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[key] == returned {
		delete(c.byKey, key)
	}
}
