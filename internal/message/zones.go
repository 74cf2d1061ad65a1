package message

// N101: a pod pending on a volume in a zone without a usable node. A code's title has the ID "Title" and the code.
const (
	TitleN101 ID = "TitleN101"

	StrandedNoNode   ID = "StrandedNoNode"   // pod, claims, zones
	StrandedUnusable ID = "StrandedUnusable" // pod, claims, zones, why
	StrandedUnmade   ID = "StrandedUnmade"   // pod, claims, zones, why
	StrandedApart    ID = "StrandedApart"    // pod, claims

	CauseUnscheduled   ID = "CauseUnscheduled"   //
	CauseClaim         ID = "CauseClaim"         // claim, volume
	CauseClaimUnmade   ID = "CauseClaimUnmade"   // claim
	CauseVolumeZone    ID = "CauseVolumeZone"    // zones
	CauseClassZone     ID = "CauseClassZone"     // class, zones
	CauseNoNode        ID = "CauseNoNode"        // zones
	CauseNodesUnusable ID = "CauseNodesUnusable" // zones, nodes, why
	CauseApart         ID = "CauseApart"         //
	CauseGroupFilled   ID = "CauseGroupFilled"   // group, free, all, resource
	CauseGroup         ID = "CauseGroup"         // total, suited, groups, excluded
	CauseGroupNone     ID = "CauseGroupNone"     // total, zones, excluded
	CauseAutoscaler    ID = "CauseAutoscaler"    // reasons
	CauseAutoscalerMax ID = "CauseAutoscalerMax" // n, others
	CauseGroupSizes    ID = "CauseGroupSizes"    // group, zones, min, desired, max
	CauseGroupStarting ID = "CauseGroupStarting" // group, nodes, desired
	CauseGroupMaximum  ID = "CauseGroupMaximum"  // group, zone, to, max
	GroupStands        ID = "GroupStands"        // group, nodes, zones
	GroupElsewhere     ID = "GroupElsewhere"     // group, zones

	ObstacleCordoned ID = "ObstacleCordoned" // n
	ObstacleNotReady ID = "ObstacleNotReady" // n
	ObstacleTainted  ID = "ObstacleTainted"  // n
	ObstacleSelector ID = "ObstacleSelector" // n
	ObstacleLabel    ID = "ObstacleLabel"    // n
	ObstacleFull     ID = "ObstacleFull"     // n, of
	ObstacleVolume   ID = "ObstacleVolume"   // n
	ObstacleStorage  ID = "ObstacleStorage"  // n
	ObstacleInUse    ID = "ObstacleInUse"    // n
	ObstacleTogether ID = "ObstacleTogether" // n
	ObstacleApart    ID = "ObstacleApart"    // n
	ObstacleDomain   ID = "ObstacleDomain"   // n
	ObstacleSpread   ID = "ObstacleSpread"   // n
	ObstacleDevice   ID = "ObstacleDevice"   // n
	ObstacleOther    ID = "ObstacleOther"    // n
	ObstaclePort     ID = "ObstaclePort"     // n
	ObstacleLimit    ID = "ObstacleLimit"    // n

	NotAttachment       ID = "NotAttachment"       // claim, node, gone
	NotAttachmentNone   ID = "NotAttachmentNone"   // claim
	NotClaimFree        ID = "NotClaimFree"        // claim, driver
	NotClaimUnmade      ID = "NotClaimUnmade"      // claim
	NotClaimUnmounted   ID = "NotClaimUnmounted"   // claim, namespace, driver
	UnknownGroupZones   ID = "UnknownGroupZones"   // group, zones
	UnknownGroupBounds  ID = "UnknownGroupBounds"  // group
	UnknownEmptyGroups  ID = "UnknownEmptyGroups"  //
	UnknownGroupsAtZero ID = "UnknownGroupsAtZero" // n, groups, zones
	UnknownGroup        ID = "UnknownGroup"        // node
	UnknownDriver       ID = "UnknownDriver"       // driver, node
	UnknownNodePool     ID = "UnknownNodePool"     // group, zones

	RemedyResize       ID = "RemedyResize"       // group, to, max, each, zones
	RemedyResizeCost   ID = "RemedyResizeCost"   // more, type
	RemedyResizeRisk   ID = "RemedyResizeRisk"   // each, anyZone, anyMax
	RemedyUncordon     ID = "RemedyUncordon"     // node, zone
	RemedyUncordonCost ID = "RemedyUncordonCost" //
	RemedyUncordonRisk ID = "RemedyUncordonRisk" //
)
