package message

var englishRebalance = sentences{
	PlanBalanced:    "All workloads are balanced; no pod needs to be evicted.",
	PlanNone:        "No plan: no evictions were found that would balance {{count .n \"workload\" \"workloads\"}}.",
	PlanMinimal:     "{{count .n \"eviction\" \"evictions\"}} in {{count .waves \"wave\" \"waves\"}}. No plan with the same effect needs fewer.",
	PlanIrreducible: "{{count .n \"eviction\" \"evictions\"}} in {{count .waves \"wave\" \"waves\"}}. Any plan with the same effect needs at least {{.bound}}.",
	PlanHowTo:       "Run the evictions of one wave, and wait until the pods created in their place are Ready before the next:",
	PlanInMotion:    "{{.workload}} stays as it is: some of its pods are starting, terminating, or on a node that is not Ready. Plan again when it is at rest.",
	PlanProtected:   "{{.workload}} stays as it is: none of the pods that would have to leave may be evicted, because of a PodDisruptionBudget, an annotation, a claim or data on the node.",
	PlanNoGain:      "{{.workload}} stays out of balance: there is no room for its pods elsewhere, or the scheduler would place them no better.",
	PlanHarmful:     "{{.workload}} stays as it is: in a simulated future, its evictions did not balance it, or harmed other pods.",
	ProgressPlan:    "planning evictions: {{.done}} of {{.total}} workloads",

	PlanHeadWave:     "WAVE",
	PlanHeadFrom:     "FROM",
	PlanHeadTo:       "TO (ONE OF)",
	PlanHeadWorkload: "WORKLOAD",
	PlanHeadNode:     "NODE",
	PlanHeadBefore:   "BEFORE",
	PlanHeadAfter:    "AFTER",
}
