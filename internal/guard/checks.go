package guard

// Checks are all that must allow before naosu acts on a node. Volumes and addresses have no check of their own: they are
// among what the simulation places pods by.
func Checks() []Check {
	return []Check{
		{"paused", paused},
		{"lease", leading},
		{"fresh", fresh},
		{"mode", mode},
		{"in-hand", inHand},
		{"budgets", budgets},
		{"zone-state", zoneState},
		{"failing-together", failingTogether},
		{"api-server", apiServer},
		{"zonal-shift", zonalShift},
		{"disruption-budgets", disruptionBudgets},
		{"capacity", capacity},
		{"last-replica", lastReplica},
		{"cool-down", coolDown},
		{"did-not-help", didNotHelp},
		{"window", window},
		{"do-not-disrupt", doNotDisrupt},
		{"competing", competing},
	}
}
