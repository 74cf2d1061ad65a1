package guard

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

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
	// Aborted is for one that a person aborted, or that gave up, after the machine was or may have been acted on: nobody has seen
	// whether it helped.
	Aborted Result = "Aborted"
	// Refused is for one that ended, before anything was done to the machine, since who was to do it refused.
	Refused Result = "Refused"
)

// Entry is one disruption: of a node, by a Remediation, for any concern.
type Entry struct {
	Remediation string `json:"remediation"`
	// UID is the Remediation's; empty in entries of versions that did not write it.
	UID    types.UID       `json:"uid,omitempty"`
	Node   string          `json:"node"`
	Zone   string          `json:"zone,omitempty"`
	Group  string          `json:"group,omitempty"`
	Action v1alpha1.Action `json:"action"`
	Began  time.Time       `json:"began"`
	// Ended is zero as long as it goes on.
	Ended  time.Time `json:"ended,omitzero"`
	Result Result    `json:"result,omitempty"`
	// Refusal is who refused and why, of what ended as Refused.
	Refusal string `json:"refusal,omitempty"`
	// Replacing is the UID of the Node, once somebody was asked to replace its machine: that cannot be taken back. The entry goes
	// on, however the Remediation ends, until the node is gone or a person uncordons it.
	Replacing types.UID `json:"replacing,omitempty"`

	// NodeUID is that of the Node, ProviderID the cloud's name for the machine and Image what it was started from, each empty
	// where it is not known, as in entries of older versions.
	NodeUID    types.UID `json:"nodeUID,omitempty"`
	ProviderID string    `json:"providerID,omitempty"`
	Image      string    `json:"image,omitempty"`
	// InARow is how many replacements, one after the other, had led to the node; see Ledger.InARow.
	InARow int `json:"inARow,omitempty"`
}

func (e Entry) machine() Machine { return Machine{e.Node, e.NodeUID, e.ProviderID} }

// acted says whether the machine was, is being, or may have been acted on.
func (e Entry) acted() bool {
	return e.Result == Helped || e.Result == NotHelped || e.Result == Aborted || e.Result == ""
}

// Holder is a Remediation, as the holder of an entry. Its name alone does not identify it: one that was deleted may be made
// again under the same name.
type Holder struct {
	Name string
	UID  types.UID
}

// HolderOf is a Remediation as a Holder.
func HolderOf(r *v1alpha1.Remediation) Holder { return Holder{r.Name, r.UID} }

// holds says whether an entry is a Remediation's. One without a UID is known by its name, as long as it goes on.
func (h Holder) holds(e Entry) bool {
	if h.UID != "" && e.UID != "" {
		return h.UID == e.UID
	}
	return h.Name == e.Remediation && e.ongoing()
}

func (e Entry) holder() Holder { return Holder{e.Remediation, e.UID} }

func (e Entry) ongoing() bool { return e.Ended.IsZero() }

// Rejection is a person's no to a repair of a node for certain evidence, of which there is no Remediation any more. It stands
// as long as the node has the evidence.
type Rejection struct {
	Node      types.UID              `json:"node"`
	Condition string                 `json:"condition"`
	Status    metav1.ConditionStatus `json:"status"`
	Since     metav1.Time            `json:"since"`
}

// Same says whether two rejections are of the same evidence.
func (r Rejection) Same(o Rejection) bool {
	return r.Node == o.Node && r.Condition == o.Condition && r.Status == o.Status && r.Since.Equal(&o.Since)
}

// Ledger is what naosu disrupts and has disrupted. There is one for all concerns: a budget that each concern counts for
// itself is no budget. It is a value; whoever keeps it must write it with a precondition on what was read.
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

// without is the ledger without some entries.
func (l Ledger) without(some func(Entry) bool) Ledger {
	return l.with(slices.DeleteFunc(slices.Clone(l.Entries), some))
}

// Reserve is the ledger with a disruption that begins. One whose Remediation is there already is not entered twice.
func (l Ledger) Reserve(e Entry) Ledger {
	if slices.ContainsFunc(l.Entries, e.holder().holds) {
		return l
	}
	return l.with(append(slices.Clip(l.Entries), e))
}

// Settle is the ledger with a disruption ended. What has ended before stays as it was noted.
func (l Ledger) Settle(by Holder, at time.Time, result Result) Ledger {
	entries := slices.Clone(l.Entries)
	for i, e := range entries {
		if by.holds(e) && e.ongoing() {
			entries[i].Ended, entries[i].Result = at, result
		}
	}
	return l.with(entries)
}

// Prune is the ledger without what ended before a time.
func (l Ledger) Prune(before time.Time) Ledger {
	return l.without(func(e Entry) bool { return !e.ongoing() && e.Ended.Before(before) })
}

// Release is the ledger without a disruption that was reserved and never begun.
func (l Ledger) Release(by Holder) Ledger {
	return l.without(func(e Entry) bool { return e.ongoing() && by.holds(e) })
}

// Forget is the ledger without some of what is over, the oldest first. What goes on is never forgotten.
func (l Ledger) Forget(some int) Ledger {
	var over []int
	for i, e := range l.Entries {
		if !e.ongoing() {
			over = append(over, i)
		}
	}
	slices.SortStableFunc(over, func(a, b int) int { return l.Entries[a].Ended.Compare(l.Entries[b].Ended) })
	over = over[:min(some, len(over))]
	var kept []Entry
	for i, e := range l.Entries {
		if !slices.Contains(over, i) {
			kept = append(kept, e)
		}
	}
	return l.with(kept)
}

// Reject is the ledger with a rejection.
func (l Ledger) Reject(r Rejection) Ledger {
	if !l.Rejected(r) {
		l.Rejections = append(slices.Clip(l.Rejections), r)
	}
	return l
}

// Rejected says whether the ledger has a rejection.
func (l Ledger) Rejected(r Rejection) bool { return slices.ContainsFunc(l.Rejections, r.Same) }

// Outdate is the ledger without the rejections that stand no more.
func (l Ledger) Outdate(stands func(Rejection) bool) Ledger {
	l.Rejections = slices.DeleteFunc(slices.Clone(l.Rejections), func(r Rejection) bool { return !stands(r) })
	return l
}

// Of is the entry of a Remediation.
func (l Ledger) Of(holder Holder) (Entry, bool) {
	at := slices.IndexFunc(l.Entries, holder.holds)
	if at < 0 {
		return Entry{}, false
	}
	return l.Entries[at], true
}

// Ongoing is the disruption by a Remediation, if it goes on.
func (l Ledger) Ongoing(by Holder) (Entry, bool) {
	e, found := l.Of(by)
	if !found || !e.ongoing() {
		return Entry{}, false
	}
	return e, true
}

// others are what goes on besides a Remediation.
func (l Ledger) others(than Holder) []Entry {
	return l.without(func(e Entry) bool { return !e.ongoing() || than.holds(e) }).Entries
}

// past is what was done to a machine and is over.
func (l Ledger) past(machine Machine) []Entry {
	return l.without(func(e Entry) bool { return e.ongoing() || !machine.Same(e.machine()) }).Entries
}

// Failures is how often an action did not help a machine, of what ended after a time. An end without a known result has not
// been seen to help. What a person aborted is no failure: no harsher action follows from it.
func (l Ledger) Failures(machine Machine, action v1alpha1.Action, since time.Time) int {
	return l.count(machine, action, since, func(r Result) bool { return r == NotHelped || r == "" })
}

// Attempts is how often an action was taken on a machine and not seen to help, likewise: what a person aborted is one.
func (l Ledger) Attempts(machine Machine, action v1alpha1.Action, since time.Time) int {
	return l.Failures(machine, action, since) + l.count(machine, action, since, func(r Result) bool { return r == Aborted })
}

func (l Ledger) count(machine Machine, action v1alpha1.Action, since time.Time, of func(Result) bool) int {
	n := 0
	for _, e := range l.past(machine) {
		if e.Action == action && of(e.Result) && e.Ended.After(since) {
			n++
		}
	}
	return n
}
