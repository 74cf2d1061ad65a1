package runtime

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// However often a runtime is asked that does not answer, one call is under way; its late answer is not taken for today's.
func TestQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q question[int]
		var calls atomic.Int32
		release := make(chan struct{})
		call := func(context.Context) (int, error) {
			mine := calls.Add(1)
			if mine == 1 {
				<-release
			}
			return int(mine), nil
		}
		began := time.Now().UTC().Format(time.RFC3339)
		for range 3 {
			if _, err := q.ask(t.Context(), time.Second, call); err == nil || err.Error() != "no answer since "+began {
				t.Errorf("not answered: %v", err)
			}
		}
		if under := calls.Load(); under != 1 {
			t.Errorf("%d calls under way", under)
		}
		close(release)
		synctest.Wait()
		if got, err := q.ask(t.Context(), time.Second, call); got != 2 || err != nil {
			t.Errorf("asked again it gives the answer of call %d, %v", got, err)
		}
	})
}

// A call that is never answered is given up at last: who was asked may be gone, and its successor not know of it.
func TestQuestionIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q question[int]
		never := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
		if _, err := q.ask(t.Context(), given-time.Second, never); err == nil || !strings.HasPrefix(err.Error(), "no answer since") {
			t.Errorf("at first: %v", err)
		}
		if _, err := q.ask(t.Context(), 2*time.Second, never); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", given, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := q.ask(ctx, time.Second, never); !errors.Is(err, context.Canceled) {
			t.Errorf("asked by one who leaves: %v", err)
		}
		if _, err := q.ask(t.Context(), 2*given, never); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call that was left behind: %v", err)
		}
	})
}
