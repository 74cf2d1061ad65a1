package testbed_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// TestPoll waits in vain: the pauses grow from a twentieth of a second to the longest, and the last error is returned.
func TestPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var at []time.Time
		missing := errors.New("it is missing")
		err := testbed.Poll(ctx, time.Second, func() error { at = append(at, time.Now()); return missing })
		if !errors.Is(err, missing) || len(at) < 60 {
			t.Fatalf("after %d checks: %v", len(at), err)
		}
		first, last := at[1].Sub(at[0]), at[len(at)-1].Sub(at[len(at)-2])
		if first != 50*time.Millisecond || last != time.Second || len(at) > 80 {
			t.Errorf("%d checks, with a pause of %v at first and of %v at last", len(at), first, last)
		}
	})
}

func TestPollEnds(t *testing.T) {
	checks := 0
	err := testbed.Poll(t.Context(), time.Second, func() error {
		if checks++; checks < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if err != nil || checks != 3 {
		t.Errorf("after %d checks: %v", checks, err)
	}
}
