package inflight

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A disk that hangs is asked once, however often, and is asked afresh once it answers; its late answer is not taken for today's.
func TestHangIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Calls[int]
		var calls atomic.Int32
		release := make(chan struct{})
		f := func(context.Context) (int, error) {
			n := calls.Add(1)
			if n == 1 {
				<-release
			}
			return int(n), nil
		}
		want := NoAnswerError{Since: time.Now()}
		for i := range 3 {
			if _, err := c.Do(t.Context(), "/data", 10*time.Second, f); !errors.Is(err, want) {
				t.Errorf("call %d: %v, want %v", i, err, want)
			}
		}
		if waited := time.Since(want.Since); waited != 30*time.Second {
			t.Errorf("three calls took %v, want 30s", waited)
		}
		if other, err := c.Do(t.Context(), "/other", 10*time.Second, func(context.Context) (int, error) { return 7, nil }); other != 7 || err != nil {
			t.Errorf("another disk: %d, %v", other, err)
		}
		if calls.Load() != 1 {
			t.Errorf("the hanging disk was asked %d times, want once", calls.Load())
		}
		close(release)
		if got, err := c.Do(t.Context(), "/data", 10*time.Second, f); got != 2 || err != nil {
			t.Errorf("after the hang it is the answer of call %d, %v; want that of one made after it", got, err)
		}
	})
}

// Many who ask at once get an answer each that is of a call begun after they asked, and no two calls are in flight.
func TestTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Calls[time.Time]
		var inFlight atomic.Int32
		var asking sync.WaitGroup
		for range 5 {
			asking.Go(func() {
				asked := time.Now()
				began, err := c.Do(t.Context(), "", time.Minute, func(context.Context) (time.Time, error) {
					if n := inFlight.Add(1); n != 1 {
						t.Errorf("%d calls in flight", n)
					}
					defer inFlight.Add(-1)
					began := time.Now()
					<-time.After(time.Second)
					return began, nil
				})
				if err != nil || began.Before(asked) {
					t.Errorf("began %v before it was asked, %v", asked.Sub(began), err)
				}
			})
		}
		asking.Wait()
	})
}

// A call that is never answered is given up at last: who was asked may be gone, and its successor not know of it.
func TestGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Calls[int]{GiveUp: 2 * time.Minute}
		began := time.Now()
		never := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
		if _, err := c.Do(t.Context(), "", c.GiveUp-time.Second, never); !errors.Is(err, NoAnswerError{Since: began}) {
			t.Errorf("at first: %v", err)
		}
		// The first ends after one second, and another begins.
		if _, err := c.Do(t.Context(), "", 2*time.Second, never); !errors.Is(err, NoAnswerError{Since: began.Add(c.GiveUp)}) {
			t.Errorf("after %v: %v", c.GiveUp, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Do(ctx, "", time.Second, never); !errors.Is(err, context.Canceled) {
			t.Errorf("asked by one who leaves: %v", err)
		}
		if got, err := c.Do(t.Context(), "", 2*c.GiveUp, func(context.Context) (int, error) { return 1, nil }); got != 1 || err != nil {
			t.Errorf("after the call that was left behind: %d, %v", got, err)
		}
		if _, err := c.Do(t.Context(), "", 2*c.GiveUp, never); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("whoever waits longer than the call: %v", err)
		}
	})
}
