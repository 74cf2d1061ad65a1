package guard

import (
	"slices"
	"time"

	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// coolDown delays after any disruption of the machine, and of another node of the same name: an unneeded delay does little harm.
func coolDown(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	var left time.Duration
	byName := ledger.Machine{Node: p.Node.Name}
	for _, e := range slices.Concat(f.Ledger.Value.Ended(p.Node.Machine()), f.Ledger.Value.Ended(byName)) {
		left = max(left, e.Ended.Add(repairpolicy.CoolDown(&p.Policy)).Sub(f.Now))
	}
	if left > 0 {
		return delay(CoolingDown, left, sentence.GuardCoolDown("node/"+p.Node.Name, left.Round(time.Second).String()))
	}
	return allow
}

// didNotHelp denies an action that failed to help this machine as often as the policy's escalation allows: the next step is another
// action.
func didNotHelp(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	failed := f.Ledger.Value.Attempts(p.Node.Machine(), p.Action, f.Now.Add(-repairpolicy.RememberFailure(&p.Policy)))
	if failed >= repairpolicy.AllowedAttempts(&p.Policy, p.Action) {
		return deny(DidNotHelp, sentence.GuardDidNotHelp(string(p.Action), "node/"+p.Node.Name, failed))
	}
	return allow
}
