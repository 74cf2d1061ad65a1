package guard

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
)

// The longest that a policy can ask for, which is what one that does not say counts as asking for.
const (
	longestCoolDown = 7 * 24 * time.Hour
	// LongestMemory is after what time nobody asks any more what was done to a node.
	LongestMemory = 30 * 24 * time.Hour
)

// coolDown leaves a machine alone for a while after anything was done to it, and whatever has the name of a node to which
// it was: to wait once too often does little harm.
func coolDown(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	var left time.Duration
	byName := Machine{Node: p.Node.Name}
	for _, e := range slices.Concat(f.Ledger.Value.past(p.Node.Machine()), f.Ledger.Value.past(byName)) {
		left = max(left, e.Ended.Add(Rest(&p.Policy)).Sub(f.Now))
	}
	if left > 0 {
		return delay(CoolingDown, left, message.GuardCoolDown, message.Args{"node": "node/" + p.Node.Name, "left": left.Round(time.Second).String()})
	}
	return allow
}

// didNotHelp denies what has not been seen to help this machine as often as the policy's ladder allows: the next step is
// another action.
func didNotHelp(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	failed := f.Ledger.Value.Attempts(p.Node.Machine(), p.Action, f.Now.Add(-Memory(&p.Policy)))
	if failed >= Attempts(&p.Policy, p.Action) {
		return deny(DidNotHelp, message.GuardDidNotHelp, message.Args{"action": string(p.Action), "node": "node/" + p.Node.Name, "n": failed})
	}
	return allow
}

// Attempts is how often a policy's ladder allows an action on one node: once where the ladder does not have it.
func Attempts(policy *v1alpha1.NodeRepairPolicySpec, action v1alpha1.Action) int {
	for _, step := range policy.Escalation {
		if step.Action == action {
			return max(1, int(step.Attempts))
		}
	}
	return 1
}

// Memory is for how long a policy remembers that an action did not help.
func Memory(policy *v1alpha1.NodeRepairPolicySpec) time.Duration {
	return orElse(policy.RememberFailure, LongestMemory)
}

// Rest is for how long a policy leaves a node alone after a Remediation of it has ended.
func Rest(policy *v1alpha1.NodeRepairPolicySpec) time.Duration {
	return orElse(policy.CoolDown, longestCoolDown)
}

func orElse(d *metav1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}
