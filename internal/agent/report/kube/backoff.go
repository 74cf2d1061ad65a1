package kube

import (
	"errors"
	"time"
)

// Backoff says when to try again what failed: after First, then twice as long each time, up to Longest. Half of each wait is
// left to chance, so that the agents of thousands of nodes do not come back together.
type Backoff struct {
	First, Longest time.Duration
	// Chance is from 0 to 1.
	Chance func() float64
	// Until is when to try again; zero is at once.
	Until time.Time

	wait time.Duration
}

// Failed puts the next try off.
func (b *Backoff) Failed(now time.Time, err error) {
	b.wait = min(max(2*b.wait, b.First), b.Longest)
	wait := b.wait/2 + time.Duration(b.Chance()*float64(b.wait/2))
	if refused, is := errors.AsType[*Error](err); is {
		// The server says when it will have time; all that it tells so must not come at that moment together.
		wait += refused.RetryAfter
	}
	b.Until = now.Add(wait)
}

// Succeeded begins anew.
func (b *Backoff) Succeeded() { b.wait, b.Until = 0, time.Time{} }
