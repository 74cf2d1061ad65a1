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

// The forecast on a page, and what the verb refuses.
const (
	ForecastCounts       ID = "ForecastCounts"       // counts, budgets, findings, seeds
	CountLost            ID = "CountLost"            // n
	CountWaiting         ID = "CountWaiting"         // n
	CountDelayed         ID = "CountDelayed"         // n
	CountPreempted       ID = "CountPreempted"       // n
	CountMoved           ID = "CountMoved"           // n
	CountCreated         ID = "CountCreated"         // n
	CountEnded           ID = "CountEnded"           // n
	CountStays           ID = "CountStays"           // n
	ForecastMore         ID = "ForecastMore"         // n
	ForecastMoreBudgets  ID = "ForecastMoreBudgets"  // n
	ForecastMoreFindings ID = "ForecastMoreFindings" // n
	ForecastBy           ID = "ForecastBy"           // by
	ForecastChance       ID = "ForecastChance"       // percent, seeds
	ForecastNodes        ID = "ForecastNodes"        // n
	ForecastOthers       ID = "ForecastOthers"       // name, n
	ForecastStep         ID = "ForecastStep"         // autoscaler, nodes, more
	ForecastBudget       ID = "ForecastBudget"       // allowed, disrupted
	HeadLost             ID = "HeadLost"             //
	HeadWaiting          ID = "HeadWaiting"          //
	HeadDelayed          ID = "HeadDelayed"          //
	HeadPreempted        ID = "HeadPreempted"        //
	HeadBudgets          ID = "HeadBudgets"          //
	HeadThen             ID = "HeadThen"             //
	HeadMoved            ID = "HeadMoved"            //
	HeadCreated          ID = "HeadCreated"          //
	HeadEnded            ID = "HeadEnded"            //
	HeadNotPlayed        ID = "HeadNotPlayed"        //
	ColumnNamespace      ID = "ColumnNamespace"      //
	ColumnFrom           ID = "ColumnFrom"           //
	ColumnTo             ID = "ColumnTo"             //
	ColumnBy             ID = "ColumnBy"             //
	ColumnChance         ID = "ColumnChance"         //
	ColumnSubject        ID = "ColumnSubject"        //
	ColumnState          ID = "ColumnState"          //
	ColumnPod            ID = "ColumnPod"            //
	ColumnNode           ID = "ColumnNode"           //
	ColumnUntil          ID = "ColumnUntil"          //
	ColumnWhy            ID = "ColumnWhy"            //
	ColumnBudget         ID = "ColumnBudget"         //
	ProgressFuture       ID = "ProgressFuture"       //
	ErrAskWhatif         ID = "ErrAskWhatif"         // verb, choices
	ErrTaintRemedy       ID = "ErrTaintRemedy"       //
	ErrQuantityRemedy    ID = "ErrQuantityRemedy"    //
	ErrPatchRemedy       ID = "ErrPatchRemedy"       //
	ErrNumberRemedy      ID = "ErrNumberRemedy"      // least
	ErrNoNumber          ID = "ErrNoNumber"          // given
	ErrManifestRemedy    ID = "ErrManifestRemedy"    //
	ErrNoManifest        ID = "ErrNoManifest"        // from
	ErrManifestSpace     ID = "ErrManifestSpace"     // names, more
	ErrStdinTwice        ID = "ErrStdinTwice"        //
	ErrNotOfChange       ID = "ErrNotOfChange"       // verb
	ErrCannotForetell    ID = "ErrCannotForetell"    // kinds, from
	ErrWhatifFailOn      ID = "ErrWhatifFailOn"      // on, n
	ErrNoStep            ID = "ErrNoStep"            // set
	ErrNoName            ID = "ErrNoName"            // given
	ErrNoComma           ID = "ErrNoComma"           // given
	ErrCommaRemedy       ID = "ErrCommaRemedy"       //
	ErrThing             ID = "ErrThing"             // namespace
	ErrGone              ID = "ErrGone"              //
	ErrGoneRemedy        ID = "ErrGoneRemedy"        //
	ErrNear              ID = "ErrNear"              // near
	ErrNoneThere         ID = "ErrNoneThere"         // kind, namespace
)
