package guard

import (
	"slices"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// maxConsecutiveReplacements is after how many replacements, one after the other, a machine that is unhealthy again is not replaced
// any more. Three nodes are also the brake's default.
const maxConsecutiveReplacements = 3

// replaceLoop denies another replacement where one machine after the other was replaced and the next was unhealthy again: the cause is
// their image or environment, which a person must repair.
func replaceLoop(p Proposal, f Facts) Verdict {
	if p.Action != v1alpha1.ActionReplace {
		return allow
	}
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	node := ledger.Node{Machine: p.Node.Machine(), Group: p.Node.Group, Image: p.Node.Image, Created: p.Node.Created, UnhealthySince: p.UnhealthySince}
	if n := f.Ledger.Value.ConsecutiveReplacements(node, repairpolicy.RememberFailure(&p.Policy)); n >= maxConsecutiveReplacements {
		return deny(ReplaceLoop, sentence.GuardReplaceLoop(n, "group/"+p.Node.Group, p.Node.Image))
	}
	return allow
}

// The daily limit of a group where the policy sets none: so many machines, or such a share of its nodes, whichever is more. They are the
// brake's defaults.
const (
	day           = 24 * time.Hour
	minPerDay     = 3
	percentPerDay = 20
)

// dailyLimit delays the reboot or replacement of another machine of a group that has reached its daily limit. Budgets limit how many are
// disrupted at once, this how many one after the other.
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
		own := e.Ongoing() && p.holder().Holds(e)
		if e.Group == p.Node.Group && e.Action != v1alpha1.ActionRestartService && e.Acted() && f.Now.Sub(e.Began) < day && !own {
			began = append(began, e.Began)
		}
	}
	limit := perDayLimit(p, f)
	if len(began) < limit {
		return allow
	}
	slices.SortFunc(began, time.Time.Compare)
	left := began[len(began)-limit].Add(day).Sub(f.Now)
	return delay(DailyLimit, left, sentence.GuardDailyLimit(len(began), "group/"+p.Node.Group, limit))
}

// perDayLimit is how many machines of the node's group may be rebooted or replaced within a day.
func perDayLimit(p Proposal, f Facts) int {
	if most := p.Policy.Budgets.MaxPerDay; most != nil {
		return max(1, int(*most))
	}
	total := 0
	for _, node := range f.Nodes.Value {
		if node.Group == p.Node.Group {
			total++
		}
	}
	return max(minPerDay, total*percentPerDay/100)
}
