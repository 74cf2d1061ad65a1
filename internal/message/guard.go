package message

// Why the guard does not let a repair go on.
const (
	GuardUnknown        ID = "GuardUnknown"        // fact
	GuardStale          ID = "GuardStale"          // fact, age
	GuardStaleEvidence  ID = "GuardStaleEvidence"  // age
	GuardFutureEvidence ID = "GuardFutureEvidence" // ahead

	GuardPaused      ID = "GuardPaused"      //
	GuardNotLeading  ID = "GuardNotLeading"  //
	GuardReportOnly  ID = "GuardReportOnly"  //
	GuardNotApproved ID = "GuardNotApproved" //
	GuardNotEarned   ID = "GuardNotEarned"   // action, n, wanted
	GuardRejected    ID = "GuardRejected"    //
	GuardCompeting   ID = "GuardCompeting"   // repairers

	GuardInHand     ID = "GuardInHand"     // node, by
	GuardLeaving    ID = "GuardLeaving"    // node, by
	GuardReplacing  ID = "GuardReplacing"  // by, node
	GuardBudgetZero ID = "GuardBudgetZero" // scope, budget, total
	GuardBudgetFull ID = "GuardBudgetFull" // scope, n, limit

	GuardZone       ID = "GuardZone"       // zone, n, total
	GuardPattern    ID = "GuardPattern"    // patterns, n, total
	GuardAPIServer  ID = "GuardAPIServer"  //
	GuardLeases     ID = "GuardLeases"     // n, total
	GuardZonalShift ID = "GuardZonalShift" // zones

	GuardNewNode        ID = "GuardNewNode"        // node, left
	GuardMachineClaimed ID = "GuardMachineClaimed" // nodes, machine
	GuardControlPlane   ID = "GuardControlPlane"   // nodes
	// GuardControlPlaneStuck is of nodes that would wait for each other.
	GuardControlPlaneStuck ID = "GuardControlPlaneStuck" // nodes

	GuardDisruptionBudget ID = "GuardDisruptionBudget" // budgets, in, futures
	GuardPodsLost         ID = "GuardPodsLost"         // n, pods, in, futures
	GuardPodsWait         ID = "GuardPodsWait"         // n, pods, in, futures
	GuardPodsPreempted    ID = "GuardPodsPreempted"    // n, pods, in, futures
	GuardPodsGuessed      ID = "GuardPodsGuessed"      // n, pods
	GuardLastReplica      ID = "GuardLastReplica"      // n, pods
	GuardLocalData        ID = "GuardLocalData"        // n, pods
	GuardNodeAnnotation   ID = "GuardNodeAnnotation"   // node, annotation
	GuardPodAnnotation    ID = "GuardPodAnnotation"    // n, pods

	GuardCoolDown   ID = "GuardCoolDown"   // node, left
	GuardRefused    ID = "GuardRefused"    // action, node, words
	GuardDidNotHelp ID = "GuardDidNotHelp" // action, node, n
	GuardDwell      ID = "GuardDwell"      // node, ago, dwell
	GuardWindow     ID = "GuardWindow"     // opens

	GuardReplaceLoop ID = "GuardReplaceLoop" // n, group, image
	GuardDailyLimit  ID = "GuardDailyLimit"  // n, group, limit
)
