package report

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// TestWaitingEventsHoldNothingElse: of each of 400 snapshots one Event is left waiting, and it does not keep the other 63 in memory.
func TestWaitingEventsHoldNothingElse(t *testing.T) {
	q := newEventQueue(func() float64 { return 0 })
	reasons := map[reason.ID]reason.Reason{"AppCrash": {ID: "AppCrash", Severity: reason.Warning}}
	before := heap()
	for first := range 400 {
		var s evidence.Snapshot
		for i := range 64 {
			s.Standing = append(s.Standing, evidence.Standing{
				Reason: "AppCrash", Entity: fmt.Sprint("process-", first+i), Since: time.Unix(int64(first+i), 0),
				Raw: strings.Repeat("segfault ", 10) + fmt.Sprint(first+i),
			})
		}
		q.update(s, reasons)
	}
	grown := heap() - before
	if waiting, most := len(q.waiting), int64(1024); waiting != maxPast+64 || grown > most*int64(waiting) {
		t.Errorf("%d Events wait and take %d bytes, want %d and no more than %d bytes each", waiting, grown, maxPast+64, most)
	}
}

// heap is how many bytes are in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
