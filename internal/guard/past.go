package guard

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/message"
)

// The longest that a policy can ask for, which is what one that does not say counts as asking for.
const (
	longestCoolDown = 7 * 24 * time.Hour
	longestMemory   = 30 * 24 * time.Hour
)

// coolDown leaves a node alone for a while after anything was done to it.
func coolDown(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	var left time.Duration
	for _, e := range f.Ledger.Value.past(p.Node.Name, p.Remediation) {
		left = max(left, e.Ended.Add(orElse(p.Policy.CoolDown, longestCoolDown)).Sub(f.Now))
	}
	if left > 0 {
		return delay(CoolingDown, left, message.GuardCoolDown, message.Args{"node": "node/" + p.Node.Name, "left": left.Round(time.Second).String()})
	}
	return allow
}

// didNotHelp denies what has not helped this node as often as the policy's ladder allows: the next step is another action.
func didNotHelp(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	attempts := 1
	for _, step := range p.Policy.Escalation {
		if step.Action == p.Action {
			attempts = max(1, int(step.Attempts))
		}
	}
	since, failed := f.Now.Add(-orElse(p.Policy.RememberFailure, longestMemory)), 0
	for _, e := range f.Ledger.Value.past(p.Node.Name, p.Remediation) {
		// An end without a known result has not been seen to help.
		if e.Action == p.Action && e.Result != Helped && e.Result != Stopped && e.Ended.After(since) {
			failed++
		}
	}
	if failed >= attempts {
		return deny(DidNotHelp, message.GuardDidNotHelp, message.Args{"action": string(p.Action), "node": "node/" + p.Node.Name, "n": failed})
	}
	return allow
}

func orElse(d *metav1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}
