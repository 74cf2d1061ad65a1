package guard

import "slices"

// untilActed are the checks that must allow not only when a repair starts but until its machine is acted on. A repair that has started
// continues when a window closes, a policy is paused, or pods have already moved.
var untilActed = []string{
	"lease", "fresh", "zone-state", "failing-together", "api-server", "zonal-shift", "one-machine", "control-plane", "do-not-disrupt", "competing",
}

// UntilActed is the worst verdict of the checks that must allow until the machine is acted on.
func (r Ruling) UntilActed() Named {
	var worst Named
	for _, verdict := range r.All {
		if slices.Contains(untilActed, verdict.Check) && (worst.Check == "" || worse(verdict.Verdict, worst.Verdict)) {
			worst = verdict
		}
	}
	return worst
}

// Checks are all checks that must allow before naosu acts on a node. Volumes and addresses have no check of their own: the simulation
// places pods by them.
func Checks() []Check {
	return []Check{
		{"paused", paused},
		{"lease", leading},
		{"fresh", fresh},
		{"mode", mode},
		{"in-hand", underRepair},
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
