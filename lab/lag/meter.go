package lag

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// period lies between two samples.
	period = time.Second
	// fresh is how old the last sample may be for a Reading not to need another.
	fresh = 50 * time.Millisecond
	// recently is how far back Reading.Recent goes.
	recently = 10 * time.Second
)

// Reading is what a Meter shows. All are real time.
type Reading struct {
	// Lost is how much time this process has lost since the meter was started.
	Lost time.Duration
	// Recent is the part of it that was lost in the last ten seconds.
	Recent time.Duration
}

// Meter measures how much time this process loses. Its methods may be called at the same time.
type Meter struct {
	// usage is nil where it cannot be read.
	usage func() *usage

	mu   sync.Mutex
	last sample
	// due is when the timer should fire.
	due    time.Time
	lost   time.Duration
	losses []loss
}

// loss is one that was seen at a moment.
type loss struct {
	at   time.Time
	time time.Duration
}

// Start measures until ctx ends. Where /proc cannot be read, only a process that stood still is seen.
func Start(ctx context.Context) *Meter {
	m := newMeter(readUsage())
	go m.run(ctx)
	return m
}

func newMeter(usage func() *usage) *Meter {
	m := &Meter{usage: usage}
	m.last = m.sample()
	m.due = m.last.at.Add(period)
	return m
}

func readUsage() func() *usage {
	r, err := newReader()
	return func() *usage {
		if err != nil {
			return nil
		}
		u, failure := r.read()
		if failure != nil {
			return nil
		}
		return u
	}
}

func (m *Meter) run(ctx context.Context) {
	timer := time.NewTimer(period)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		m.Read()
		timer.Reset(time.Until(m.next()))
	}
}

// next says when the timer should fire again: a period after the last sample was begun. Counted from its end, a process that
// was stopped while it took the sample would have lost nothing.
func (m *Meter) next() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.due = m.last.at.Add(period)
	return m.due
}

// Read is what was lost up to now.
func (m *Meter) Read() Reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.last.at) >= fresh {
		m.take(m.sample())
	}
	r := Reading{Lost: m.lost}
	for _, l := range m.losses {
		r.Recent += l.time
	}
	return r
}

// take adds what was lost before a new sample.
func (m *Meter) take(now sample) {
	l := loss{at: now.at, time: lost(m.last, now, m.due)}
	m.last = now
	m.lost += l.time
	m.losses = slices.DeleteFunc(m.losses, func(l loss) bool { return now.at.Sub(l.at) > recently })
	if l.time > 0 {
		m.losses = append(m.losses, l)
	}
}

func (m *Meter) sample() sample { return sample{at: time.Now(), usage: m.usage()} }
