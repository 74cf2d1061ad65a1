package guard

import (
	"slices"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
)

// mostInARow is after how many replacements, one after the other, a machine that is ill again is not replaced any more. Three
// are a pattern for the brake by default, too.
const mostInARow = 3

// InARow is how many replacements, one after the other, have led to a node that is ill since a time: that of a machine of its
// group and image, that of one that came after it and was ill again before its failure was forgotten, and so on. A node came
// after a replacement if it was made after that began: which one came in whose place is not known, as a group makes them. A
// node or an entry that does not tell its image may have any.
//
// Source: Cluster API's KubeadmControlPlane counts so, with its maxRetry and minHealthyPeriod.
func (l Ledger) InARow(n Node, since time.Time, memory time.Duration) int {
	most := 0
	for _, e := range l.Entries {
		switch {
		case e.Action != v1alpha1.ActionReplace || !e.acted() || e.Group != n.Group || e.machine().Same(n.Machine()):
		case e.Image != "" && n.Image != "" && e.Image != n.Image:
		case !n.Created.IsZero() && n.Created.Before(e.Began) || !e.ongoing() && since.Sub(e.Ended) >= memory:
		default:
			most = max(most, e.InARow+1)
		}
	}
	return most
}

// replaceLoop denies another replacement where one machine after the other was replaced and the next was ill again: what
// ails them is what they are made of or stand in, and a person must see to it.
func replaceLoop(p Proposal, f Facts) Verdict {
	if p.Action != v1alpha1.ActionReplace {
		return allow
	}
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	if n := f.Ledger.Value.InARow(p.Node, p.IllSince, Memory(&p.Policy)); n >= mostInARow {
		return deny(ReplaceLoop, message.GuardReplaceLoop, message.Args{"group": "group/" + p.Node.Group, "image": p.Node.Image, "n": n})
	}
	return allow
}

// The limit of a group for a day where the policy gives none: so many machines, or such a share of its nodes, whichever is
// more. They are the brake's defaults.
const (
	day           = 24 * time.Hour
	leastPerDay   = 3
	percentPerDay = 20
)

// dailyLimit delays what reboots or replaces a machine of a group of which so many were within a day. Budgets bound how many
// are out at once, this how many one after the other.
func dailyLimit(p Proposal, f Facts) Verdict {
	switch {
	case !p.disrupts():
		return allow
	case !f.Ledger.known():
		return unknown("ledger")
	case !f.Nodes.known():
		return unknown("nodes")
	}
	var began []time.Time
	for _, e := range f.Ledger.Value.Entries {
		own := e.ongoing() && p.holder().holds(e)
		if e.Group == p.Node.Group && e.Action != v1alpha1.ActionRestartService && e.acted() && f.Now.Sub(e.Began) < day && !own {
			began = append(began, e.Began)
		}
	}
	limit := perDay(p, f)
	if len(began) < limit {
		return allow
	}
	slices.SortFunc(began, time.Time.Compare)
	left := began[len(began)-limit].Add(day).Sub(f.Now)
	return delay(DailyLimit, left, message.GuardDailyLimit, message.Args{"group": "group/" + p.Node.Group, "n": len(began), "limit": limit})
}

// perDay is how many machines of the node's group may be rebooted or replaced within a day.
func perDay(p Proposal, f Facts) int {
	if most := p.Policy.Budgets.MaxPerDay; most != nil {
		return max(1, int(*most))
	}
	total := 0
	for _, node := range f.Nodes.Value {
		if node.Group == p.Node.Group {
			total++
		}
	}
	return max(leastPerDay, total*percentPerDay/100)
}
