package guard

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLedger(t *testing.T) {
	first, second := Entry{Remediation: "r1", Node: "n1", Began: now}, Entry{Remediation: "r2", Node: "n2", Began: now}
	begun := Ledger{}.Reserve(first).Reserve(second)
	over := begun.Settle("r1", now.Add(time.Hour), NotHelped)
	ended := first
	ended.Ended, ended.Result = now.Add(time.Hour), NotHelped
	for name, tc := range map[string]struct {
		got  Ledger
		want []Entry
	}{
		"a Remediation is entered once":   {begun.Reserve(Entry{Remediation: "r1", Node: "n9"}), []Entry{first, second}},
		"one is settled":                  {over, []Entry{ended, second}},
		"what has ended stays as it was":  {over.Settle("r1", now.Add(2*time.Hour), Helped), []Entry{ended, second}},
		"nobody's end":                    {begun.Settle("r3", now, Helped), []Entry{first, second}},
		"what ended of late is kept":      {over.Prune(now.Add(time.Hour)), []Entry{ended, second}},
		"what ended long ago is not":      {over.Prune(now.Add(2 * time.Hour)), []Entry{second}},
		"what never began is released":    {begun.Release("r1"), []Entry{second}},
		"what was done is not":            {over.Release("r1"), []Entry{ended, second}},
		"what is over is forgotten":       {over.Forget(2), []Entry{second}},
		"the older first":                 {over.Settle("r2", now, Helped).Forget(1), []Entry{ended}},
		"a value is not changed by using": {begun, []Entry{first, second}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got.Entries); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOngoing(t *testing.T) {
	begun := Ledger{}.Reserve(Entry{Remediation: "r1", Node: "n1", Began: now})
	if e, ok := begun.Ongoing("r1"); !ok || e.Node != "n1" {
		t.Errorf("Ongoing: %v, %t", e, ok)
	}
	if _, ok := begun.Ongoing("r2"); ok {
		t.Error("one that never began goes on")
	}
	if _, ok := begun.Settle("r1", now, Helped).Ongoing("r1"); ok {
		t.Error("one that has ended goes on")
	}
}
