package guard

import "slices"

// throughout are the checks that must allow not only when a repair begins but until its machine is acted on. What has
// begun may go on when a window closes, a policy is paused, or pods have already moved.
var throughout = []string{
	"lease", "fresh", "zone-state", "failing-together", "api-server", "zonal-shift", "one-machine", "control-plane", "do-not-disrupt", "competing",
}

// Throughout is the worst verdict of those checks that must allow until the machine is acted on.
func (r Ruling) Throughout() Named {
	var worst Named
	for _, verdict := range r.All {
		if slices.Contains(throughout, verdict.Check) && (worst.Check == "" || worse(verdict.Verdict, worst.Verdict)) {
			worst = verdict
		}
	}
	return worst
}

// Checks are all that must allow before naosu acts on a node. Volumes and addresses have no check of their own: they are
// among what the simulation places pods by.
func Checks() []Check {
	return []Check{
		{"paused", paused},
		{"lease", leading},
		{"fresh", fresh},
		{"mode", mode},
		{"in-hand", inHand},
		{"leaving", leaving},
		{"budgets", budgets},
		{"zone-state", zoneState},
		{"failing-together", failingTogether},
		{"api-server", apiServer},
		{"zonal-shift", zonalShift},
		{"new-node", newNode},
		{"one-machine", oneMachine},
		{"control-plane", controlPlane},
		{"disruption-budgets", disruptionBudgets},
		{"capacity", capacity},
		{"last-replica", lastReplica},
		{"local-data", localData},
		{"refused", refused},
		{"cool-down", coolDown},
		{"did-not-help", didNotHelp},
		{"replace-loop", replaceLoop},
		{"daily-limit", dailyLimit},
		{"window", window},
		{"do-not-disrupt", doNotDisrupt},
		{"competing", competing},
	}
}
