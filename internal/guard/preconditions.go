package guard

import (
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/message"
)

const (
	// maxFactAge is how old a fact may be: a watch is seconds behind, and one that is more hangs.
	maxFactAge = time.Minute
	// maxEvidenceAge is how long ago the evidence may have been confirmed.
	maxEvidenceAge = reason.EvidenceAge
	// ClockSkew is how far the clocks of two machines may be apart before a time of one of them is not trusted.
	ClockSkew = time.Minute
)

func paused(p Proposal, _ Facts) Verdict {
	if p.Policy.Paused {
		return delay(Paused, longRetry, message.GuardPaused, nil)
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

// fresh checks how old facts are; a missing fact is for the check that needs it.
func fresh(p Proposal, f Facts) Verdict {
	if f.Now.IsZero() || p.Confirmed.IsZero() {
		return unknown("time")
	}
	switch age := f.Now.Sub(p.Confirmed); {
	case age > maxEvidenceAge:
		return delay(Stale, shortRetry, message.GuardStaleEvidence, message.Args{"age": age.String()})
	case -age > ClockSkew: // It would count as fresh for as long as its clock is ahead.
		return delay(Stale, shortRetry, message.GuardFutureEvidence, message.Args{"ahead": (-age).String()})
	}
	for _, fact := range f.gatheredTimes() {
		// What is from the future comes from a clock that is wrong.
		if age := f.Now.Sub(fact.at).Abs(); !fact.at.IsZero() && age > maxFactAge {
			return delay(Stale, shortRetry, message.GuardStale, message.Args{"fact": fact.name, "age": age.String()})
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
		return delay(AwaitingApproval, longRetry, message.GuardNotApproved, nil)
	case p.Policy.EarnAuto == nil:
		return allow
	case !f.AsForecast.known():
		return unknown("asForecast")
	case f.AsForecast.Value < int(*p.Policy.EarnAuto):
		return delay(AwaitingApproval, longRetry, message.GuardNotEarned, message.Args{"action": string(p.Action), "n": f.AsForecast.Value, "wanted": int(*p.Policy.EarnAuto)})
	}
	return allow
}

// leaving delays where others remove the node or have shut it down: they may stop doing so.
func leaving(p Proposal, _ Facts) Verdict {
	if p.Node.Leaving != "" {
		return delay(NodeLeaving, longRetry, message.GuardLeaving, message.Args{"node": "node/" + p.Node.Name, "by": p.Node.Leaving})
	}
	return allow
}

func competing(_ Proposal, f Facts) Verdict {
	switch {
	case !f.Repairers.known():
		return unknown("repairers")
	case len(f.Repairers.Value) > 0:
		return deny(CompetingWith, message.GuardCompeting, message.Args{"repairers": refNames(f.Repairers.Value)})
	}
	return allow
}
