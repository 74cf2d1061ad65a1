package message

// What a change would do: why a pod's fate is what it is, and what was not played.
const (
	FateUnschedulable ID = "FateUnschedulable" // why
	FateNoNode        ID = "FateNoNode"        //
	FateBare          ID = "FateBare"          //
	FateMirror        ID = "FateMirror"        //
	FateDaemon        ID = "FateDaemon"        //
	FateSurplus       ID = "FateSurplus"       // owner
	FateScaled        ID = "FateScaled"        //
	FateRolled        ID = "FateRolled"        //
	FateOrdered       ID = "FateOrdered"       // pod
	FateJobOver       ID = "FateJobOver"       // job
	FateJobPolicy     ID = "FateJobPolicy"     // job
	FateJobFailed     ID = "FateJobFailed"     // job, limit
	FateJobIndex      ID = "FateJobIndex"      // job, limit
	FateJobSibling    ID = "FateJobSibling"    // job
	FateRelease       ID = "FateRelease"       // node
	FateHangs         ID = "FateHangs"         // node
	FateHeld          ID = "FateHeld"          // node
	FateOnceGone      ID = "FateOnceGone"      //
	FateDetach        ID = "FateDetach"        // volume, node
	FateBlocked       ID = "FateBlocked"       // budget, healthy, desired
	FateUnwanted      ID = "FateUnwanted"      //
	FateBudgets       ID = "FateBudgets"       // budgets

	GapNotJudged   ID = "GapNotJudged"   // what
	GapAttempts    ID = "GapAttempts"    // attempts
	GapScheduler   ID = "GapScheduler"   // scheduler
	GapOwner       ID = "GapOwner"       // kind, name
	GapChoice      ID = "GapChoice"      // group
	GapOnDelete    ID = "GapOnDelete"    // set
	GapRollout     ID = "GapRollout"     // set, left
	GapImmediate   ID = "GapImmediate"   // claim, class
	GapAutoscaler  ID = "GapAutoscaler"  // autoscaler
	GapAutoscaling ID = "GapAutoscaling" //
	GapKind        ID = "GapKind"        // what
	GapCronJob     ID = "GapCronJob"     // job
	GapTimes       ID = "GapTimes"       //
)
