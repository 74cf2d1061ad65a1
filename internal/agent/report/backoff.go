package report

import (
	"errors"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// How long to wait after a refusal: the first time about a second, then twice as long each time up to a minute. With the
// half of it that is left to chance, the agents of 5,000 nodes make some 110 requests a second while the API server is
// away, and are all back in the minute after it is.
const (
	firstWait = time.Second
	longest   = time.Minute
)

// backoff says when to try again.
type backoff struct {
	chance func() float64 // from 0 to 1
	wait   time.Duration
	until  time.Time
}

// failed puts the next try off.
func (b *backoff) failed(now time.Time, err error) {
	b.wait = min(max(2*b.wait, firstWait), longest)
	wait := b.wait/2 + time.Duration(b.chance()*float64(b.wait/2))
	if refused, is := errors.AsType[*kube.Error](err); is {
		// The server says when it will have time; all that it tells so must not come at that moment together.
		wait += refused.RetryAfter
	}
	b.until = now.Add(wait)
}

func (b *backoff) succeeded() { b.wait, b.until = 0, time.Time{} }
