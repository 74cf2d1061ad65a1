package guard

import (
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/message"
)

const (
	// factAge is how old a fact may be: a watch is seconds behind, and more than this is a watch that hangs.
	factAge = time.Minute
	// evidenceAge is how long ago the evidence may have been confirmed.
	evidenceAge = reason.EvidenceAge
	// ClockSkew is how far clocks of different machines may be apart before what one of them says is not to be relied on.
	ClockSkew = time.Minute
)

func paused(p Proposal, _ Facts) Verdict {
	if p.Policy.Paused {
		return delay(Paused, later, message.GuardPaused, nil)
	}
	return allow
}

func leading(_ Proposal, f Facts) Verdict {
	switch {
	case !f.Leading.known():
		return unknown("leading")
	case !f.Leading.Value:
		return deny(NotLeading, message.GuardNotLeading, nil)
	}
	return allow
}

// fresh looks at how old things are; that a fact is missing is for the check that needs it.
func fresh(p Proposal, f Facts) Verdict {
	if f.Now.IsZero() || p.Confirmed.IsZero() {
		return unknown("time")
	}
	switch age := f.Now.Sub(p.Confirmed); {
	case age > evidenceAge:
		return delay(Stale, soon, message.GuardStaleEvidence, message.Args{"age": age.String()})
	case -age > ClockSkew: // It would count as fresh for as long as its clock is ahead.
		return delay(Stale, soon, message.GuardFutureEvidence, message.Args{"ahead": (-age).String()})
	}
	for _, fact := range f.ages() {
		// What is from the future comes from a clock that is wrong.
		if age := f.Now.Sub(fact.at).Abs(); !fact.at.IsZero() && age > factAge {
			return delay(Stale, soon, message.GuardStale, message.Args{"fact": fact.name, "age": age.String()})
		}
	}
	return allow
}

func mode(p Proposal, f Facts) Verdict {
	switch {
	case p.Approval == v1alpha1.Rejected:
		return deny(Rejected, message.GuardRejected, nil)
	case p.Policy.Mode != v1alpha1.ModeApprove && p.Policy.Mode != v1alpha1.ModeAuto:
		return deny(ReportOnly, message.GuardReportOnly, nil)
	case p.Approval == v1alpha1.Approved:
		return allow
	case p.Policy.Mode == v1alpha1.ModeApprove:
		return delay(AwaitingApproval, later, message.GuardNotApproved, nil)
	case p.Policy.EarnAuto == nil:
		return allow
	case !f.AsForecast.known():
		return unknown("asForecast")
	case f.AsForecast.Value < int(*p.Policy.EarnAuto):
		return delay(AwaitingApproval, later, message.GuardNotEarned, message.Args{"action": string(p.Action), "n": f.AsForecast.Value, "wanted": int(*p.Policy.EarnAuto)})
	}
	return allow
}

// leaving waits where others remove the node or have shut it down: they may let it go.
func leaving(p Proposal, _ Facts) Verdict {
	if p.Node.Leaving != "" {
		return delay(NodeLeaving, later, message.GuardLeaving, message.Args{"node": "node/" + p.Node.Name, "by": p.Node.Leaving})
	}
	return allow
}

func competing(_ Proposal, f Facts) Verdict {
	switch {
	case !f.Repairers.known():
		return unknown("repairers")
	case len(f.Repairers.Value) > 0:
		return deny(CompetingWith, message.GuardCompeting, message.Args{"repairers": names(f.Repairers.Value)})
	}
	return allow
}
