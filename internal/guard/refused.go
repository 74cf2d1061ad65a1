package guard

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
)

const (
	// leastRest is how long what was refused rests where a policy's coolDown is shorter: the API's default of that.
	leastRest = 10 * time.Minute
	// mostDoublings keeps a duration from overflowing.
	mostDoublings = 10
)

// refused keeps back what was refused for this node before its pods are moved for it again: while whoever would do it says
// beforehand that it is still not let through, and for the policy's coolDown, which doubles with each refusal in a row.
func refused(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	memory := Memory(&p.Policy)
	last, n := f.Ledger.Value.refusals(p.Node.Machine(), p.Action, f.Now.Add(-memory))
	if n == 0 {
		return allow
	}
	args := message.Args{"action": string(p.Action), "node": "node/" + p.Node.Name, "words": last.Refusal}
	if p.May == v1alpha1.MayNo {
		return deny(ActionRefused, message.GuardRefused, args)
	}
	rest := min(max(Rest(&p.Policy), leastRest)<<min(n-1, mostDoublings), memory)
	if left := last.Ended.Add(rest).Sub(f.Now); left > 0 {
		return delay(ActionRefused, left, message.GuardRefused, args)
	}
	return allow
}

// refusals are how often an action was refused for a machine since it was last carried out there, of what ended after a time; and the
// last of them.
func (l Ledger) refusals(machine Machine, action v1alpha1.Action, since time.Time) (last Entry, n int) {
	past := slices.DeleteFunc(l.past(machine), func(e Entry) bool {
		return e.Action != action || e.Result == Stopped || !e.Ended.After(since)
	})
	slices.SortStableFunc(past, func(a, b Entry) int { return b.Ended.Compare(a.Ended) })
	for _, e := range past {
		if e.Result != Refused {
			break
		}
		if n++; n == 1 {
			last = e
		}
	}
	return last, n
}

// Refuse is the ledger with who refused a disruption that goes on, and why.
func (l Ledger) Refuse(by Holder, words string) Ledger {
	return l.edit(by, func(e *Entry) { e.Refusal = words })
}

// Replace is the ledger with a disruption that goes on as that of a node whose machine somebody is asked to replace.
func (l Ledger) Replace(by Holder, node types.UID) Ledger {
	return l.edit(by, func(e *Entry) { e.Replacing = node })
}

func (l Ledger) edit(by Holder, change func(*Entry)) Ledger {
	entries := slices.Clone(l.Entries)
	for i, e := range entries {
		if e.ongoing() && by.holds(e) {
			change(&entries[i])
		}
	}
	return l.with(entries)
}

// Replaces says whether a disruption goes on since somebody was asked to replace a node's machine.
func (l Ledger) Replaces(node types.UID) bool {
	return slices.ContainsFunc(l.Entries, func(e Entry) bool { return e.ongoing() && e.Replacing != "" && e.Replacing == node })
}
