package message

// What is common to the findings about nodes and workloads.
const (
	AndMore          ID = "AndMore"          // n
	UnknownMachine   ID = "UnknownMachine"   // node
	CauseNodeSilent  ID = "CauseNodeSilent"  // node
	CauseNodeGone    ID = "CauseNodeGone"    // node
	CauseNodeUp      ID = "CauseNodeUp"      // node
	UnknownKubelet   ID = "UnknownKubelet"   // node
	UnknownNotJudged ID = "UnknownNotJudged" //
)

// N104: a VolumeAttachment is stuck.
const (
	TitleN102 ID = "TitleN102"
	TitleN103 ID = "TitleN103"
	TitleN104 ID = "TitleN104"

	AttachmentStuck         ID = "AttachmentStuck"         // attachment, claim, node, gone, up, waiting
	CauseAttached           ID = "CauseAttached"           // volume, claim, node
	CauseStillUsed          ID = "CauseStillUsed"          // pods, n, node
	CauseAttachmentReturns  ID = "CauseAttachmentReturns"  // attachment
	CauseForceDetach        ID = "CauseForceDetach"        // node, gone, up
	NotWaitingForAttachment ID = "NotWaitingForAttachment" // unplaced
	UnknownDetachSince      ID = "UnknownDetachSince"
)

// N201: a node is down. The IDs that begin with Down are the fates of its pods; those that end in Part count them.
const (
	TitleN201 ID = "TitleN201"

	NodeDown          ID = "NodeDown"          // node, parts
	CauseNodeNotReady ID = "CauseNodeNotReady" // node, why

	DownOverdue     ID = "DownOverdue"     // pods, n, at
	DownTerminating ID = "DownTerminating" // pods, n, at
	DownStateful    ID = "DownStateful"    // pods, n, at
	DownAttached    ID = "DownAttached"    // pods, n, at
	DownMoves       ID = "DownMoves"       // pods, n, at
	DownForgotten   ID = "DownForgotten"   // pods, n, at
	DownStays       ID = "DownStays"       // pods, n, at
	DownUntold      ID = "DownUntold"      // pods, n, at

	DownOverduePart     ID = "DownOverduePart"     // n, at
	DownTerminatingPart ID = "DownTerminatingPart" // n, at
	DownStatefulPart    ID = "DownStatefulPart"    // n, at
	DownAttachedPart    ID = "DownAttachedPart"    // n, at
	DownMovesPart       ID = "DownMovesPart"       // n, at
	DownForgottenPart   ID = "DownForgottenPart"   // n, at
	DownStaysPart       ID = "DownStaysPart"       // n, at
	DownUntoldPart      ID = "DownUntoldPart"      // n, at
	DownAddressPart     ID = "DownAddressPart"     // n

	DownAddressSubnets  ID = "DownAddressSubnets"  // n, node, nodes, subnets, pods
	DownAddressLimit    ID = "DownAddressLimit"    // n, node, nodes, pods
	DownAddressOnceGone ID = "DownAddressOnceGone" // n, node, nodes, pods

	RemedyOutOfService     ID = "RemedyOutOfService"     // node, untaint
	RemedyOutOfServiceCost ID = "RemedyOutOfServiceCost" // node, untaint
	RemedyOutOfServiceRisk ID = "RemedyOutOfServiceRisk" // node, untaint
)

// N205: pods that were deleted and do not go.
const (
	TitleN205 ID = "TitleN205"

	StuckTerminating ID = "StuckTerminating" // pods, n, node, blocked
	CauseDeleted     ID = "CauseDeleted"     // n
	StuckFinalizer   ID = "StuckFinalizer"   // n
	StuckNodeGone    ID = "StuckNodeGone"    // node
	StuckNodeDown    ID = "StuckNodeDown"    // node, n
	StuckKubelet     ID = "StuckKubelet"     // node, n

	CauseStatefulBlocked  ID = "CauseStatefulBlocked"  // blocked
	CauseVolumeHeld       ID = "CauseVolumeHeld"       // pod, waits, n
	CauseNobodyBlocked    ID = "CauseNobodyBlocked"    // n
	DaemonSetWaits        ID = "DaemonSetWaits"        // owner, node
	RecreateWaits         ID = "RecreateWaits"         // owner
	JobWaitsToEnd         ID = "JobWaitsToEnd"         // owner, cron
	JobWaitsToReplace     ID = "JobWaitsToReplace"     // owner, cron
	RemedyForceDelete     ID = "RemedyForceDelete"     // pod, node
	RemedyForceDeleteCost ID = "RemedyForceDeleteCost" // pod, node
	RemedyForceDeleteRisk ID = "RemedyForceDeleteRisk" // pod, node
)

// N202: failover slower than it need be.
const (
	TitleN202 ID = "TitleN202"

	SlowFailover                ID = "SlowFailover"                // workloads, n, total, half, single
	SlowFailoverIdentity        ID = "SlowFailoverIdentity"        // workloads, n, total, half, single
	SlowFailoverVolume          ID = "SlowFailoverVolume"          // workloads, n, total, half, single
	CauseSilence                ID = "CauseSilence"                // silence
	CauseDefaultToleration      ID = "CauseDefaultToleration"      // wait
	CauseHalf                   ID = "CauseHalf"                   // single
	CauseSingleAttach           ID = "CauseSingleAttach"           //
	NotTied                     ID = "NotTied"                     // n
	RemedyTolerate              ID = "RemedyTolerate"              // workload, wait
	RemedyFailoverPolicy        ID = "RemedyFailoverPolicy"        // workloads, wait
	RemedyFailoverPolicyCost    ID = "RemedyFailoverPolicyCost"    //
	RemedyFailoverPolicyOff     ID = "RemedyFailoverPolicyOff"     // workloads, wait
	RemedyFailoverPolicyOffCost ID = "RemedyFailoverPolicyOffCost" //
	RemedyTolerateRisk          ID = "RemedyTolerateRisk"          // workload, wait
	RemedyRolloutCost           ID = "RemedyRolloutCost"           // workload
)

// N203: lopsided after recovery.
const (
	TitleN203 ID = "TitleN203"

	Lopsided            ID = "Lopsided"            // node, workloads, fullest, lost, total, at, back
	CauseUnevenSpread   ID = "CauseUnevenSpread"   //
	CauseCameLater      ID = "CauseCameLater"      // node, at, back
	CauseNothingMoves   ID = "CauseNothingMoves"   //
	NotClosed           ID = "NotClosed"           // node
	RemedyEvict         ID = "RemedyEvict"         // pod, workload, i, of
	RemedyPlanRebalance ID = "RemedyPlanRebalance" // workload
	RemedyEvictCost     ID = "RemedyEvictCost"     // pod
	RemedyEvictRisk     ID = "RemedyEvictRisk"     // pod
)

// N204: one node or zone holds every replica.
const (
	TitleN204 ID = "TitleN204"

	ConcentratedOnNode ID = "ConcentratedOnNode" // workloads, n
	ConcentratedInZone ID = "ConcentratedInZone" // workloads, n
	CauseConcentration ID = "CauseConcentration" //
	CauseUnspread      ID = "CauseUnspread"      // key
	CauseSpreadIgnored ID = "CauseSpreadIgnored" // key
	RemedySpread       ID = "RemedySpread"       // workload, key
	RemedySpreadRisk   ID = "RemedySpreadRisk"   // workload, key
)

// N102: the last node of a zone, and N103: the loss of a zone.
const (
	LastNode         ID = "LastNode"         // workloads, n, zones, nodes, count
	CauseVolumesLive ID = "CauseVolumesLive" // workloads, zones
	CauseOneNode     ID = "CauseOneNode"     // zones, nodes
	CauseMayGo       ID = "CauseMayGo"       //
	CauseGroupStands ID = "CauseGroupStands" // group, n
	UnknownMinimum   ID = "UnknownMinimum"   // group, zones

	ScarceZone         ID = "ScarceZone"         // place, n, workloads, others, total
	CauseWouldWait     ID = "CauseWouldWait"     // n, requested, short
	CauseNoPlaceholder ID = "CauseNoPlaceholder" // holders, held
	RemedyHeadroom     ID = "RemedyHeadroom"     // group, to, max, place
	RemedyHeadroomRisk ID = "RemedyHeadroomRisk" // anyMax
	RootedInZone       ID = "RootedInZone"       // workloads, n, zones
	CauseNoCopy        ID = "CauseNoCopy"        //
)
