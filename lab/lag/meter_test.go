package lag

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestMeterAfterPause reads in the place of a process that stood still: its timer has not fired when it goes on.
func TestMeterAfterPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(func() *usage { return nil })
		<-time.After(21 * time.Second)
		for range 2 { // the second is what the late timer then does
			if got, want := m.Read(), (Reading{20 * time.Second, 20 * time.Second}); got != want {
				t.Errorf("read %v, want %v", got, want)
			}
			m.take(m.sample())
		}
		<-time.After(recently + time.Second)
		m.due = time.Now()
		if got, want := m.Read(), (Reading{20 * time.Second, 0}); got != want {
			t.Errorf("read %v, want %v", got, want)
		}
	})
}

// TestMeterSum has a machine from which a hypervisor takes half the time, and reads at irregular moments.
func TestMeterSum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		samples := 0
		m := newMeter(func() *usage {
			samples++
			passed := time.Since(began)
			return &usage{processors: 1, all: passed, stolen: passed, threads: map[int]thread{1: {ran: passed / 2}}}
		})
		ctx, cancel := context.WithCancel(t.Context())
		go m.run(ctx)
		<-time.After(20*time.Second + period/3)
		passed := time.Since(began)
		for range 5 { // at once: one sample serves them
			if got := m.Read(); (got.Lost-passed/2).Abs() > time.Millisecond || (got.Recent-recently/2).Abs() > period {
				t.Errorf("lost %s of %s, and %s of the last %s; want half", got.Lost, passed, got.Recent, recently)
			}
		}
		if samples != 22 {
			t.Errorf("took %d samples in %s", samples, passed)
		}
		cancel()
		synctest.Wait()
	})
}

// TestMeterStoppedWhileSampling stops the process while it reads what it uses, in the first sample and in later ones.
func TestMeterStoppedWhileSampling(t *testing.T) {
	for stopped := range 5 {
		synctest.Test(t, func(t *testing.T) {
			samples := 0
			m := newMeter(func() *usage {
				if samples++; samples == stopped+1 {
					<-time.After(20 * time.Second)
				}
				return nil
			})
			ctx, cancel := context.WithCancel(t.Context())
			go m.run(ctx)
			<-time.After(30*time.Second + period/2)
			if got := m.Read().Lost; got < 19*time.Second || got > 20*time.Second {
				t.Errorf("stopped in sample %d for 20 s, it says that %s were lost", stopped, got)
			}
			cancel()
			synctest.Wait()
		})
	}
}
