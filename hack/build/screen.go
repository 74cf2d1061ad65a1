package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// screen writes to a terminal, where a line of progress is written over the one before it, or to a log, which gets such
// a line now and then.
type screen struct {
	out      *os.File
	terminal bool

	mu      sync.Mutex
	updated time.Time
}

// logEvery is how often a log, which cannot be written over, gets a line of progress.
const logEvery = 20 * time.Second

func newScreen(out *os.File) *screen {
	info, err := out.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	return &screen{out: out, terminal: terminal, updated: time.Now()}
}

// announce writes a line that stays.
func (s *screen) announce(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(line + "\n")
}

// update writes a line that the next one replaces.
func (s *screen) update(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminal {
		s.write(line)
	} else if time.Since(s.updated) >= logEvery {
		s.updated = time.Now()
		s.write(line + "\n")
	}
}

// clear removes the line that would have been replaced.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write("")
}

func (s *screen) write(text string) {
	if s.terminal {
		text = "\r\x1b[K" + text
	}
	fmt.Fprint(s.out, text)
}

// every updates the line each second until the returned function is called.
func (s *screen) every(line func(time.Time) string) (stop func()) {
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				s.update(line(now))
			}
		}
	})
	return func() { close(done); ended.Wait() }
}
