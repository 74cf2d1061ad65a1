package storage

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A disk that hangs is asked once, however often the probe comes round, and is asked afresh once it answers.
func TestPatientAsksAHangingDiskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPatient[error]()
		var calls atomic.Int32
		thaw := make(chan struct{})
		hang := func() error { calls.Add(1); <-thaw; return nil }
		want := hangs{since: time.Now()}
		for i := range 3 {
			if _, err := p.ask(t.Context(), "/data", 10*time.Second, hang); !errors.Is(err, want) {
				t.Errorf("look %d: %v, want %v", i, err, want)
			}
		}
		if waited := time.Since(want.since); waited != 30*time.Second {
			t.Errorf("three looks took %v, want 30s", waited)
		}
		if _, err := p.ask(t.Context(), "/other", 10*time.Second, func() error { return nil }); err != nil {
			t.Errorf("another disk: %v", err)
		}
		if calls.Load() != 1 {
			t.Errorf("the hanging disk was asked %d times, want once", calls.Load())
		}
		close(thaw)
		broken := errors.New("broken")
		if answer, err := p.ask(t.Context(), "/data", 10*time.Second, func() error { return broken }); err != nil || !errors.Is(answer, broken) {
			t.Errorf("after the hang: %v, %v; want the answer to a question asked after it", answer, err)
		}
	})
}
