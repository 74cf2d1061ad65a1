package ledger

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Retention is how long what has ended is kept: the longest that a policy may remember a failure.
const Retention = 30 * 24 * time.Hour

// Ledger holds the disruptions that are ongoing and those that ended lately. It is a value; whoever stores it must write it with a
// precondition on what was read.
type Ledger struct {
	Entries []Entry `json:"entries"`
	// Rejections are those that a person gave by deleting a proposal, or by uncordoning a node that was being drained.
	Rejections []Rejection `json:"rejections,omitempty"`
}

// with is the ledger with other entries.
func (l Ledger) with(entries []Entry) Ledger {
	l.Entries = entries
	return l
}

// without is the ledger without the entries that match.
func (l Ledger) without(matches func(Entry) bool) Ledger {
	return l.with(slices.DeleteFunc(slices.Clone(l.Entries), matches))
}

// edit is the ledger with a Remediation's ongoing entry changed.
func (l Ledger) edit(by Holder, change func(*Entry)) Ledger {
	entries := slices.Clone(l.Entries)
	for i, e := range entries {
		if e.Ongoing() && by.Holds(e) {
			change(&entries[i])
		}
	}
	return l.with(entries)
}

// Reserve is the ledger with a disruption that begins. A Remediation that has an entry gets no second one.
func (l Ledger) Reserve(e Entry) Ledger {
	if slices.ContainsFunc(l.Entries, e.Holder().Holds) {
		return l
	}
	return l.with(append(slices.Clip(l.Entries), e))
}

// End is the ledger with a disruption ended. An entry that ended before stays as it was.
func (l Ledger) End(by Holder, at time.Time, result Result) Ledger {
	return l.edit(by, func(e *Entry) { e.Ended, e.Result = at, result })
}

// Release is the ledger without a disruption that was reserved and never began.
func (l Ledger) Release(by Holder) Ledger {
	return l.without(func(e Entry) bool { return e.Ongoing() && by.Holds(e) })
}

// SetRefusal is the ledger with who refused an ongoing disruption, and why.
func (l Ledger) SetRefusal(by Holder, refusal string) Ledger {
	return l.edit(by, func(e *Entry) { e.Refusal = refusal })
}

// SetReplacing is the ledger with an ongoing disruption as that of a node whose machine an actuator was asked to replace.
func (l Ledger) SetReplacing(by Holder, node types.UID) Ledger {
	return l.edit(by, func(e *Entry) { e.Replacing = node })
}

// IsReplacing says whether a disruption is ongoing because an actuator was asked to replace the node's machine.
func (l Ledger) IsReplacing(node types.UID) bool {
	return slices.ContainsFunc(l.Entries, func(e Entry) bool { return e.Ongoing() && e.Replacing != "" && e.Replacing == node })
}

// Prune is the ledger without what ended before a time.
func (l Ledger) Prune(before time.Time) Ledger {
	return l.without(func(e Entry) bool { return !e.Ongoing() && e.Ended.Before(before) })
}

// DropOldest is the ledger without the n entries that ended first. Ongoing ones are never dropped.
func (l Ledger) DropOldest(n int) Ledger {
	var ended []int
	for i, e := range l.Entries {
		if !e.Ongoing() {
			ended = append(ended, i)
		}
	}
	slices.SortStableFunc(ended, func(a, b int) int { return l.Entries[a].Ended.Compare(l.Entries[b].Ended) })
	ended = ended[:min(n, len(ended))]
	var kept []Entry
	for i, e := range l.Entries {
		if !slices.Contains(ended, i) {
			kept = append(kept, e)
		}
	}
	return l.with(kept)
}

// Entry is the entry of a Remediation.
func (l Ledger) Entry(holder Holder) (Entry, bool) {
	at := slices.IndexFunc(l.Entries, holder.Holds)
	if at < 0 {
		return Entry{}, false
	}
	return l.Entries[at], true
}

// Ongoing is the entry of a Remediation, if it is ongoing.
func (l Ledger) Ongoing(by Holder) (Entry, bool) {
	e, found := l.Entry(by)
	if !found || !e.Ongoing() {
		return Entry{}, false
	}
	return e, true
}

// OngoingExcept are the ongoing entries of all other Remediations.
func (l Ledger) OngoingExcept(holder Holder) []Entry {
	return l.without(func(e Entry) bool { return !e.Ongoing() || holder.Holds(e) }).Entries
}

// Ended are the ended entries of a machine.
func (l Ledger) Ended(machine Machine) []Entry {
	return l.without(func(e Entry) bool { return e.Ongoing() || !machine.Equal(e.Machine()) }).Entries
}
