package guard

import (
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
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
		return delay(Paused, longRetry, sentence.GuardPaused())
	}
	return allow
}

func leading(_ Proposal, f Facts) Verdict {
	switch {
	case !f.Leading.known():
		return unknown("leading")
	case !f.Leading.Value:
		return deny(NotLeading, sentence.GuardNotLeading())
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
		return delay(Stale, shortRetry, sentence.GuardStaleEvidence(age.String()))
	case -age > ClockSkew: // It would count as fresh for as long as its clock is ahead.
		return delay(Stale, shortRetry, sentence.GuardFutureEvidence((-age).String()))
	}
	for _, fact := range f.gatheredTimes() {
		// What is from the future comes from a clock that is wrong.
		if age := f.Now.Sub(fact.at).Abs(); !fact.at.IsZero() && age > maxFactAge {
			return delay(Stale, shortRetry, sentence.GuardStale(fact.name, age.String()))
		}
	}
	return allow
}

func mode(p Proposal, f Facts) Verdict {
	switch {
	case p.Approval == v1alpha1.Rejected:
		return deny(Rejected, sentence.GuardRejected())
	case p.Policy.Mode != v1alpha1.ModeApprove && p.Policy.Mode != v1alpha1.ModeAuto:
		return deny(ReportOnly, sentence.GuardReportOnly())
	case p.Approval == v1alpha1.Approved:
		return allow
	case p.Policy.Mode == v1alpha1.ModeApprove:
		return delay(AwaitingApproval, longRetry, sentence.GuardNotApproved())
	case p.Policy.EarnAuto == nil:
		return allow
	case !f.AsForecast.known():
		return unknown("asForecast")
	case f.AsForecast.Value < int(*p.Policy.EarnAuto):
		return delay(AwaitingApproval, longRetry, sentence.GuardNotEarned(string(p.Action), int(*p.Policy.EarnAuto), f.AsForecast.Value))
	}
	return allow
}

// leaving delays where others remove the node or have shut it down: they may stop doing so.
func leaving(p Proposal, _ Facts) Verdict {
	if p.Node.Leaving != "" {
		return delay(NodeLeaving, longRetry, sentence.GuardLeaving("node/"+p.Node.Name, p.Node.Leaving))
	}
	return allow
}

func competing(_ Proposal, f Facts) Verdict {
	switch {
	case !f.Repairers.known():
		return unknown("repairers")
	case len(f.Repairers.Value) > 0:
		return deny(CompetingWith, sentence.GuardCompeting(message.ListOf(refNames(f.Repairers.Value))))
	}
	return allow
}
