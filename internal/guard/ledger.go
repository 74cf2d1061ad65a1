package guard

import (
	"slices"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Result is how a disruption ended.
type Result string

// How a disruption ended.
const (
	Helped    Result = "Helped"
	NotHelped Result = "NotHelped"
	// Stopped is for one that ended before anything was done to the machine.
	Stopped Result = "Stopped"
)

// Entry is one disruption: of a node, by a Remediation, for any concern.
type Entry struct {
	Remediation string          `json:"remediation"`
	Node        string          `json:"node"`
	Zone        string          `json:"zone,omitempty"`
	Group       string          `json:"group,omitempty"`
	Action      v1alpha1.Action `json:"action"`
	Began       time.Time       `json:"began"`
	// Ended is zero as long as it goes on.
	Ended  time.Time `json:"ended,omitzero"`
	Result Result    `json:"result,omitempty"`
}

// Ledger is what naosu disrupts and has disrupted. There is one for all concerns: a budget that each concern counts for
// itself is no budget. It is a value; whoever keeps it must write it with a precondition on what was read.
type Ledger struct {
	Entries []Entry `json:"entries"`
}

// Reserve is the ledger with a disruption that begins. One whose Remediation is there already is not entered twice.
func (l Ledger) Reserve(e Entry) Ledger {
	if slices.ContainsFunc(l.Entries, func(o Entry) bool { return o.Remediation == e.Remediation }) {
		return l
	}
	return Ledger{append(slices.Clip(l.Entries), e)}
}

// Settle is the ledger with a disruption ended. What has ended before stays as it was noted.
func (l Ledger) Settle(remediation string, at time.Time, result Result) Ledger {
	entries := slices.Clone(l.Entries)
	for i, e := range entries {
		if e.Remediation == remediation && e.Ended.IsZero() {
			entries[i].Ended, entries[i].Result = at, result
		}
	}
	return Ledger{entries}
}

// Prune is the ledger without what ended before a time.
func (l Ledger) Prune(before time.Time) Ledger {
	return Ledger{slices.DeleteFunc(slices.Clone(l.Entries), func(e Entry) bool {
		return !e.Ended.IsZero() && e.Ended.Before(before)
	})}
}

// Release is the ledger without a disruption that was reserved and never begun.
func (l Ledger) Release(remediation string) Ledger {
	return Ledger{slices.DeleteFunc(slices.Clone(l.Entries), func(e Entry) bool {
		return e.Ended.IsZero() && e.Remediation == remediation
	})}
}

// Forget is the ledger without some of what is over, the oldest first. What goes on is never forgotten.
func (l Ledger) Forget(some int) Ledger {
	over := slices.DeleteFunc(slices.Clone(l.Entries), func(e Entry) bool { return e.Ended.IsZero() })
	slices.SortStableFunc(over, func(a, b Entry) int { return a.Ended.Compare(b.Ended) })
	forgotten := map[string]bool{}
	for _, e := range over[:min(some, len(over))] {
		forgotten[e.Remediation] = true
	}
	return Ledger{slices.DeleteFunc(slices.Clone(l.Entries), func(e Entry) bool { return forgotten[e.Remediation] })}
}

// Ongoing is the disruption by a Remediation, if it goes on.
func (l Ledger) Ongoing(remediation string) (Entry, bool) {
	at := slices.IndexFunc(l.Entries, func(e Entry) bool { return e.Ended.IsZero() && e.Remediation == remediation })
	if at < 0 {
		return Entry{}, false
	}
	return l.Entries[at], true
}

// others are what goes on besides a Remediation.
func (l Ledger) others(remediation string) []Entry {
	return slices.DeleteFunc(slices.Clone(l.Entries), func(e Entry) bool {
		return !e.Ended.IsZero() || e.Remediation == remediation
	})
}

// past is what was done to a node and is over, without a Remediation's own.
func (l Ledger) past(node, remediation string) []Entry {
	return slices.DeleteFunc(slices.Clone(l.Entries), func(e Entry) bool {
		return e.Ended.IsZero() || e.Node != node || e.Remediation == remediation
	})
}

// Failures is how often an action did not help a node, of what ended after a time, without a Remediation's own. An end
// without a known result has not been seen to help.
func (l Ledger) Failures(node, remediation string, action v1alpha1.Action, since time.Time) int {
	failed := 0
	for _, e := range l.past(node, remediation) {
		if e.Action == action && e.Result != Helped && e.Result != Stopped && e.Ended.After(since) {
			failed++
		}
	}
	return failed
}
