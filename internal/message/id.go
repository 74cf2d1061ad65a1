package message

// The state of a pod, in a sentence.
const (
	PodRunning    ID = "PodRunning"    // pod, node
	PodNotReady   ID = "PodNotReady"   // pod, node, why
	PodFinished   ID = "PodFinished"   // pod
	PodFailed     ID = "PodFailed"     // pod, why
	PodDeleting   ID = "PodDeleting"   // pod
	PodGated      ID = "PodGated"      // pod, gates
	PodUnseen     ID = "PodUnseen"     // pod, scheduler
	PodPending    ID = "PodPending"    // pod, why
	PodNominated  ID = "PodNominated"  // pod, node
	PodNotStarted ID = "PodNotStarted" // pod, node, why
	PodUnknown    ID = "PodUnknown"    // pod, state
)

// What an answer does not rest on.
const (
	KindForbidden   ID = "KindForbidden"   // kind, code
	KindAbsent      ID = "KindAbsent"      // kind, code
	FitNotModelled  ID = "FitNotModelled"  //
	PodNotModelled  ID = "PodNotModelled"  //
	OtherScheduler  ID = "OtherScheduler"  // scheduler
	ClaimUnbound    ID = "ClaimUnbound"    // claim
	VolumeElsewhere ID = "VolumeElsewhere" // claim, volume
)

// N101: a pod pending on a volume in a zone without a usable node.
const (
	StrandedNoNode   ID = "StrandedNoNode"   // pod, volumes, zones
	StrandedUnusable ID = "StrandedUnusable" // pod, volumes, zones, nodes, why
	StrandedUnmade   ID = "StrandedUnmade"   // pod, claims, zones, nodes
	StrandedApart    ID = "StrandedApart"    // pod, volumes

	CauseUnscheduled   ID = "CauseUnscheduled"   // pod
	CauseClaim         ID = "CauseClaim"         // claim, volume
	CauseClaimUnmade   ID = "CauseClaimUnmade"   // claim, class
	CauseVolumeZone    ID = "CauseVolumeZone"    // volume, zones
	CauseClassZone     ID = "CauseClassZone"     // class, zones
	CauseNoNode        ID = "CauseNoNode"        // zones
	CauseNodesUnusable ID = "CauseNodesUnusable" // zones, nodes, why
	CauseApart         ID = "CauseApart"         //
	CauseGroup         ID = "CauseGroup"         // total, suited, groups, excluded
	CauseGroupNone     ID = "CauseGroupNone"     // total, zones, excluded
	CauseAutoscaler    ID = "CauseAutoscaler"    //
	GroupStands        ID = "GroupStands"        // group, nodes, zones

	ObstacleCordoned ID = "ObstacleCordoned" // n
	ObstacleNotReady ID = "ObstacleNotReady" // n
	ObstacleTainted  ID = "ObstacleTainted"  // n
	ObstacleSelector ID = "ObstacleSelector" // n
	ObstacleLabel    ID = "ObstacleLabel"    // n

	NotAttachment      ID = "NotAttachment"      // attachment, node, gone
	NotAttachmentNone  ID = "NotAttachmentNone"  // volume
	NotClaimFree       ID = "NotClaimFree"       // claim, volume, driver
	NotClaimUnmade     ID = "NotClaimUnmade"     // claim
	NotClaimUnmounted  ID = "NotClaimUnmounted"  // claims, driver
	UnknownGroupZones  ID = "UnknownGroupZones"  // group, zones
	UnknownGroupBounds ID = "UnknownGroupBounds" // group
	UnknownEmptyGroups ID = "UnknownEmptyGroups" //
	UnknownGroup       ID = "UnknownGroup"       // node
	UnknownNodePool    ID = "UnknownNodePool"    // group, zones

	RemedyResize       ID = "RemedyResize"       // group, to, zones, each
	RemedyResizeCost   ID = "RemedyResizeCost"   // more, type
	RemedyResizeRisk   ID = "RemedyResizeRisk"   //
	RemedyUncordon     ID = "RemedyUncordon"     // node, zone
	RemedyUncordonCost ID = "RemedyUncordonCost" //
	RemedyUncordonRisk ID = "RemedyUncordonRisk" //
)

// Words of the text printer.
const (
	HeadCauses      ID = "HeadCauses"
	HeadRuledOut    ID = "HeadRuledOut"
	HeadUnknown     ID = "HeadUnknown"
	HeadRemedy      ID = "HeadRemedy"
	HeadNotModelled ID = "HeadNotModelled"
	LabelCost       ID = "LabelCost"
	LabelRisk       ID = "LabelRisk"
	LabelFill       ID = "LabelFill" // parts
	LabelUnverified ID = "LabelUnverified"
	LabelVerified   ID = "LabelVerified"
	LabelAgo        ID = "LabelAgo" // age
	LabelNone       ID = "LabelNone"
)
