package record

import (
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/ledger"
)

// Of requests that run at once the answers may come in any order: what was asked for last counts.
func TestLastLedger(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	with := func(ongoing int) ledger.Ledger {
		l := ledger.Ledger{Entries: []ledger.Entry{{Remediation: "over", Ended: at(1)}}}
		for range ongoing {
			l.Entries = append(l.Entries, ledger.Entry{Remediation: "goes on"})
		}
		return l
	}
	for name, tc := range map[string]struct {
		do    func(*LastLedger)
		n     int
		at    time.Time
		known bool
	}{
		"never read": {func(*LastLedger) {}, 0, time.Time{}, false},
		"empty":      {func(l *LastLedger) { l.update(with(0), at(5)) }, 0, at(5), true},
		"an older answer comes last": {func(l *LastLedger) {
			l.update(with(2), at(6))
			l.update(with(1), at(5))
		}, 2, at(6), true},
		"at the same moment": {func(l *LastLedger) {
			l.update(with(2), at(6))
			l.update(with(1), at(6))
		}, 1, at(6), true},
		"damaged": {func(l *LastLedger) {
			l.update(with(2), at(6))
			l.invalidate(at(7))
		}, 0, at(7), false},
		"mended": {func(l *LastLedger) {
			l.invalidate(at(7))
			l.update(with(3), at(8))
		}, 3, at(8), true},
	} {
		t.Run(name, func(t *testing.T) {
			var l LastLedger
			tc.do(&l)
			if n, at, known := l.Ongoing(); n != tc.n || !at.Equal(tc.at) || known != tc.known {
				t.Errorf("%d at %v, known %v; want %d at %v, known %v", n, at, known, tc.n, tc.at, tc.known)
			}
		})
	}
}
