package message

// N501: pods that gave way.
const (
	ScarceNode ID = "ScarceNode" // place, n, workloads, others, total
	TitleN502  ID = "TitleN502"
	TitleN503  ID = "TitleN503"
	TitleN501  ID = "TitleN501"

	PreemptedBy            ID = "PreemptedBy"            // pods, n, by, known, failed, jobs
	CausePreempted         ID = "CausePreempted"         // n
	CausePriority          ID = "CausePriority"          // by, pod
	CauseRollout           ID = "CauseRollout"           // by
	CauseScaler            ID = "CauseScaler"            // scaler, by, nodes
	CauseRecommendation    ID = "CauseRecommendation"    // autoscaler, by
	CauseJobFailed         ID = "CauseJobFailed"         // failed, jobs
	CauseNeedless          ID = "CauseNeedless"          // pod, owner, by, node
	NotBudget              ID = "NotBudget"              // n
	UnknownPreemptor       ID = "UnknownPreemptor"       //
	RemedyPlaceholders     ID = "RemedyPlaceholders"     // by, cpu
	RemedyPlaceholdersCost ID = "RemedyPlaceholdersCost" // by, cpu, nodes, more, guests, n
	RemedyPlaceholdersRisk ID = "RemedyPlaceholdersRisk" // by, class, guests, n
)

// N502: what a DaemonSet's next growth would preempt.
const (
	NextStep         ID = "NextStep"         // set, more, nodes, now, next, n, workloads, lost
	CauseNextStep    ID = "CauseNextStep"    // set, more, nodes, now, next
	CauseNoRoom      ID = "CauseNoRoom"      // n
	RemedyShrink     ID = "RemedyShrink"     // asks, set, jobs
	RemedyShrinkCost ID = "RemedyShrinkCost" //
	RemedyShrinkRisk ID = "RemedyShrinkRisk" // jobs, crons
	UnknownNewNode   ID = "UnknownNewNode"   //
)
