package record

import (
	"sync"
	"time"

	"github.com/naosu-dev/naosu/internal/ledger"
)

// LastLedger is what is known of the ledger without asking: how it was when this process last read or wrote it. The zero value
// is ready to use, and knows nothing.
type LastLedger struct {
	mu      sync.Mutex
	known   bool
	ongoing int
	at      time.Time
}

// Ongoing is how many disruptions went on, and when; known is false if the ledger was not read yet, or is damaged.
func (l *LastLedger) Ongoing() (n int, at time.Time, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ongoing, l.at, l.known
}

// note keeps what the ledger was at a time, unless something later is kept: of requests that run at once, the one that began
// first may end last.
func (l *LastLedger) note(read ledger.Ledger, at time.Time) {
	ongoing := 0
	for _, e := range read.Entries {
		if e.Ended.IsZero() {
			ongoing++
		}
	}
	l.set(true, ongoing, at)
}

// forget is note for a ledger that cannot be understood.
func (l *LastLedger) forget(at time.Time) { l.set(false, 0, at) }

func (l *LastLedger) set(known bool, ongoing int, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !at.Before(l.at) {
		l.known, l.ongoing, l.at = known, ongoing, at
	}
}
