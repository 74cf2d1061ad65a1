package ledger

import (
	"slices"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Failures is how often an action did not help a machine, of what ended after a time. An end without a known result counts as one.
// What a person aborted does not: no harsher action follows from it.
func (l Ledger) Failures(machine Machine, action v1alpha1.Action, since time.Time) int {
	return l.count(machine, action, since, NotHelped, "")
}

// Attempts is how often an action was taken on a machine without a success, likewise: what a person aborted counts, too.
func (l Ledger) Attempts(machine Machine, action v1alpha1.Action, since time.Time) int {
	return l.count(machine, action, since, NotHelped, "", Aborted)
}

func (l Ledger) count(machine Machine, action v1alpha1.Action, since time.Time, results ...Result) int {
	n := 0
	for _, e := range l.Ended(machine) {
		if e.Action == action && slices.Contains(results, e.Result) && e.Ended.After(since) {
			n++
		}
	}
	return n
}

// ConsecutiveRefusals is how often an action was refused for a machine since it was last carried out there, of what ended after a
// time; and the last of them.
func (l Ledger) ConsecutiveRefusals(machine Machine, action v1alpha1.Action, since time.Time) (last Entry, n int) {
	ended := slices.DeleteFunc(l.Ended(machine), func(e Entry) bool {
		return e.Action != action || e.Result == Stopped || !e.Ended.After(since)
	})
	slices.SortStableFunc(ended, func(a, b Entry) int { return b.Ended.Compare(a.Ended) })
	for _, e := range ended {
		if e.Result != Refused {
			break
		}
		if n++; n == 1 {
			last = e
		}
	}
	return last, n
}

// Node is what tells which replacements may have led to a node.
type Node struct {
	Machine Machine
	// Group and Image are empty where the node does not tell.
	Group, Image string
	// Created is when the Node was created, UnhealthySince when it became unhealthy.
	Created, UnhealthySince time.Time
}

// ConsecutiveReplacements is how many replacements, one after the other, have led to an unhealthy node: that of a machine of its
// group and image, that of the machine that followed and was unhealthy again before the failure was forgotten, and so on. A node
// follows a replacement if it was created after that began; which node a group makes in whose place is not known. A node or an
// entry that does not tell its image may have any.
//
// Source: Cluster API's KubeadmControlPlane counts so, with its maxRetry and minHealthyPeriod.
func (l Ledger) ConsecutiveReplacements(n Node, memory time.Duration) int {
	most := 0
	for _, e := range l.Entries {
		switch {
		case e.Action != v1alpha1.ActionReplace || !e.Acted() || e.Group != n.Group || e.Machine().Equal(n.Machine):
		case e.Image != "" && n.Image != "" && e.Image != n.Image:
		case !n.Created.IsZero() && n.Created.Before(e.Began) || !e.Ongoing() && n.UnhealthySince.Sub(e.Ended) >= memory:
		default:
			most = max(most, e.ConsecutiveReplacements+1)
		}
	}
	return most
}
