package kube

import (
	"errors"
	"time"
)

// Backoff is an exponential backoff: the wait is First, then twice as long each time, up to Longest. Half of each wait is random, so that the
// agents of thousands of nodes do not try again at the same time.
type Backoff struct {
	First, Longest time.Duration
	// Random returns a random number from 0 to 1.
	Random func() float64
	// Until is when to try again; zero is at once.
	Until time.Time

	wait time.Duration
}

// Failed delays the next try.
func (b *Backoff) Failed(now time.Time, err error) {
	b.wait = min(max(2*b.wait, b.First), b.Longest)
	wait := b.wait/2 + time.Duration(b.Random()*float64(b.wait/2))
	if refused, is := errors.AsType[*Error](err); is {
		// Retry-After; all clients that are given it must not come at that moment.
		wait += refused.RetryAfter
	}
	b.Until = now.Add(wait)
}

// Succeeded resets the backoff.
func (b *Backoff) Succeeded() { b.wait, b.Until = 0, time.Time{} }
