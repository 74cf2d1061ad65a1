package message

// What naosu rebalance plan prints.
const (
	PlanBalanced    ID = "PlanBalanced"    //
	PlanNone        ID = "PlanNone"        // n
	PlanMinimal     ID = "PlanMinimal"     // n, waves
	PlanIrreducible ID = "PlanIrreducible" // n, waves, bound
	PlanHowTo       ID = "PlanHowTo"       //
	PlanInMotion    ID = "PlanInMotion"    // workload
	PlanProtected   ID = "PlanProtected"   // workload
	PlanNoGain      ID = "PlanNoGain"      // workload
	PlanHarmful     ID = "PlanHarmful"     // workload
	ProgressPlan    ID = "ProgressPlan"    // done, total

	PlanHeadWave     ID = "PlanHeadWave"
	PlanHeadFrom     ID = "PlanHeadFrom"
	PlanHeadTo       ID = "PlanHeadTo"
	PlanHeadWorkload ID = "PlanHeadWorkload"
	PlanHeadNode     ID = "PlanHeadNode"
	PlanHeadBefore   ID = "PlanHeadBefore"
	PlanHeadAfter    ID = "PlanHeadAfter"
)
