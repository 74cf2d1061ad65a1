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
	PlanHeadWhy      ID = "PlanHeadWhy"     //
	WhyNotAdmitted   ID = "WhyNotAdmitted"  //
	WhyAffinity      ID = "WhyAffinity"     //
	WhyAntiAffinity  ID = "WhyAntiAffinity" //
	WhySpread        ID = "WhySpread"       //
	WhyNodeShare     ID = "WhyNodeShare"    //
	WhyZoneShare     ID = "WhyZoneShare"    //
	WhyOverutilized  ID = "WhyOverutilized" //
	WhyMakesRoom     ID = "WhyMakesRoom"    //
	PlanHeadTo       ID = "PlanHeadTo"
	PlanHeadWorkload ID = "PlanHeadWorkload"
	PlanHeadNode     ID = "PlanHeadNode"
	PlanHeadBefore   ID = "PlanHeadBefore"
	PlanHeadAfter    ID = "PlanHeadAfter"
	PlanHeadResource ID = "PlanHeadResource"
	PlanHeadMost     ID = "PlanHeadMost"

	PlanNoneForNodes  ID = "PlanNoneForNodes"  // workloads, nodes
	PlanNodeInMotion  ID = "PlanNodeInMotion"  // node
	PlanNodeProtected ID = "PlanNodeProtected" // node
	PlanNodeNoGain    ID = "PlanNodeNoGain"    // node
	PlanNodeHarmful   ID = "PlanNodeHarmful"   // node
	PlanNodeLimit     ID = "PlanNodeLimit"     // node

	PlanConsolidated         ID = "PlanConsolidated"         // pool
	PlanScaledDown           ID = "PlanScaledDown"           //
	PlanConsolidationUnknown ID = "PlanConsolidationUnknown" // kind
)

// What is said of RebalancePolicies, and recorded of their Remediations.
const (
	RebalanceEvidence      ID = "RebalanceEvidence"      // workloads
	RebalanceNodesEvidence ID = "RebalanceNodesEvidence" // nodes, workloads
	RebalanceReplaced      ID = "RebalanceReplaced"      // pod, node, new
	RebalanceElsewhere     ID = "RebalanceElsewhere"     // pod, node, new, nodes
	RebalanceNotEvicted    ID = "RebalanceNotEvicted"    // pod, within, words
	RebalanceProtected     ID = "RebalanceProtected"     // pod
	RebalanceNotReplaced   ID = "RebalanceNotReplaced"   // pod, within
	RebalanceBegan         ID = "RebalanceBegan"         // remediation, pods, policy
	RebalanceAsForecast    ID = "RebalanceAsForecast"    // pods
	RebalanceOtherwise     ID = "RebalanceOtherwise"     // pods
	RebalanceStopped       ID = "RebalanceStopped"       // done, all
	RebalanceChanged       ID = "RebalanceChanged"       //
	RebalanceNotNeeded     ID = "RebalanceNotNeeded"     //
	RebalanceNoWorkloads   ID = "RebalanceNoWorkloads"   //
	RebalanceNoPlan        ID = "RebalanceNoPlan"        // reasons
	PlanLimitReached       ID = "PlanLimitReached"       // workload
)

// What naosu rebalance apply prints.
const (
	ApplyFrom         ID = "ApplyFrom"         //
	ApplyFromRemedy   ID = "ApplyFromRemedy"   //
	ApplyFirst        ID = "ApplyFirst"        // n, all
	ApplyNoPlan       ID = "ApplyNoPlan"       //
	ApplyOther        ID = "ApplyOther"        // remediation, phase, command
	ApplyNoController ID = "ApplyNoController" //
	ApplyLeaseUnknown ID = "ApplyLeaseUnknown" // problem
	ApplyNotConfirmed ID = "ApplyNotConfirmed" // command
	ApplyForbidden    ID = "ApplyForbidden"    // user, problem
	ApplyNotApproved  ID = "ApplyNotApproved"  // remediation, command
	ApplyDone         ID = "ApplyDone"         // remediation, pods, command
)
