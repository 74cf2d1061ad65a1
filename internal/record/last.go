package record

import (
	"sync"
	"time"

	"github.com/naosu-dev/naosu/internal/ledger"
)

// LastLedger caches how many disruptions were ongoing when this process last read or wrote the ledger. The zero value is ready to use.
type LastLedger struct {
	mu      sync.Mutex
	known   bool
	ongoing int
	at      time.Time
}

// Ongoing is how many disruptions were ongoing, and when; known is false if the ledger was not read yet, or is damaged.
func (l *LastLedger) Ongoing() (n int, at time.Time, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ongoing, l.at, l.known
}

// update stores the state of the ledger at a time, unless a later one is stored: of concurrent requests, the one that began first may
// end last.
func (l *LastLedger) update(read ledger.Ledger, at time.Time) {
	ongoing := 0
	for _, e := range read.Entries {
		if e.Ended.IsZero() {
			ongoing++
		}
	}
	l.set(true, ongoing, at)
}

// invalidate is update for a damaged ledger.
func (l *LastLedger) invalidate(at time.Time) { l.set(false, 0, at) }

func (l *LastLedger) set(known bool, ongoing int, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !at.Before(l.at) {
		l.known, l.ongoing, l.at = known, ongoing, at
	}
}
