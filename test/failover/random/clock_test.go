package random

import (
	"testing"
	"time"
	"unsafe"

	"k8s.io/utils/clock"
)

// processClock is what a process sees of the time: a monotonic clock, and the wall clock of its machine, which may be set.
type processClock struct {
	clock.RealClock
	p *process
}

func (c processClock) Now() time.Time {
	c.p.n.lock.Lock()
	defer c.p.n.lock.Unlock()
	return withMonotonic(time.Now(), time.Since(c.p.n.began), c.p.host.skew)
}

func (c processClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// seen is a time as a process saw it whose wall clock was right.
func (n *run) seen(at time.Time) time.Time { return withMonotonic(at, at.Sub(n.began), 0) }

// secondsTo1970 are those from 1885 on, from which a time.Time with a monotonic reading counts.
const secondsTo1970 = 2_682_288_000

// withMonotonic is what time.Now returns, outside of a bubble, where a monotonic clock shows a time and the wall clock is off by skew. In a bubble, times have no
// monotonic reading, and package time sets the wall clock of none.
func withMonotonic(at time.Time, monotonic, skew time.Duration) time.Time {
	at = at.Add(skew)
	bits := struct {
		wall uint64
		ext  int64
		loc  *time.Location
	}{1<<63 | uint64(at.Unix()+secondsTo1970)<<30 | uint64(at.Nanosecond()), int64(monotonic), nil}
	return *(*time.Time)(unsafe.Pointer(&bits))
}

// TestWithMonotonic shows that package time takes these times for what they are to be.
func TestWithMonotonic(t *testing.T) {
	at := time.Date(2026, 3, 4, 12, 0, 0, 5000, time.UTC)
	before, after := withMonotonic(at, time.Minute, time.Hour), withMonotonic(at.Add(time.Second), time.Minute+time.Second, -time.Hour)
	if !before.Round(0).Equal(at.Add(time.Hour)) {
		t.Errorf("the wall clock shows %s", before)
	}
	if passed := after.Sub(before); passed != time.Second || !after.After(before) {
		t.Errorf("%s have passed", passed)
	}
	if passed := after.Round(0).Sub(before.Round(0)); passed != time.Second-2*time.Hour {
		t.Errorf("by the wall clock, %s have passed", passed)
	}
}
