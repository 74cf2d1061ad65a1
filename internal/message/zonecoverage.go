package message

// Zone coverage of HeadroomPolicies.
const (
	ZonesCoveredAll       ID = "ZonesCoveredAll"       // n
	ZonesNoVolumes        ID = "ZonesNoVolumes"        //
	ZonesNotCovered       ID = "ZonesNotCovered"       // zones, because
	ZoneUnread            ID = "ZoneUnread"            // kinds
	ZoneUnfit             ID = "ZoneUnfit"             // zone, pods, because
	ZoneNotAsked          ID = "ZoneNotAsked"          // group, from, to
	ZoneLacking           ID = "ZoneLacking"           // group, to, seconds
	ZoneNodeStarting      ID = "ZoneNodeStarting"      // group
	ZoneGroupUpdating     ID = "ZoneGroupUpdating"     // group
	ZoneResizing          ID = "ZoneResizing"          // remediation
	ZoneKarpenter         ID = "ZoneKarpenter"         // group
	ZoneAutoscaler        ID = "ZoneAutoscaler"        // group, zones
	ZonePlaceholders      ID = "ZonePlaceholders"      // n
	ZonePlaceholdersAsked ID = "ZonePlaceholdersAsked" // n
	ZonePlaceholdersSoon  ID = "ZonePlaceholdersSoon"  // n, seconds
	ZoneAutoscalerAdds    ID = "ZoneAutoscalerAdds"    //
	ZoneAutoscalerUnknown ID = "ZoneAutoscalerUnknown" // group
	ZoneMaximum           ID = "ZoneMaximum"           // group, to, n, max
	ZoneTooMany           ID = "ZoneTooMany"           // group, more, n, most
	ZoneNoGroup           ID = "ZoneNoGroup"           // zone
	ZoneGroupElsewhere    ID = "ZoneGroupElsewhere"    // group, zones
	ZoneLaunchSuspended   ID = "ZoneLaunchSuspended"   // group
	ZoneGroupUnread       ID = "ZoneGroupUnread"       // group, permission, err
	ZoneNoAccess          ID = "ZoneNoAccess"          //
	ZoneResizeFailed      ID = "ZoneResizeFailed"      // remediation, because
	ZoneResizeRests       ID = "ZoneResizeRests"       // remediation, because, minutes
	ZoneResizeBegan       ID = "ZoneResizeBegan"       // remediation, group, to, zone
	ZoneEvidence          ID = "ZoneEvidence"          // zone, workloads
	ZoneNotNeeded         ID = "ZoneNotNeeded"         // zone
	ZoneGroupResized      ID = "ZoneGroupResized"      // group, from, to, min
	ZoneGroupLarger       ID = "ZoneGroupLarger"       // group, to
	ZoneGroupChanged      ID = "ZoneGroupChanged"      // group
	ZoneResizeRefused     ID = "ZoneResizeRefused"     // group, permission, err
	ZoneResizeNotAnswered ID = "ZoneResizeNotAnswered" // group, err
	ZoneUpdateFailed      ID = "ZoneUpdateFailed"      // group, err
	ZoneUpdateUnread      ID = "ZoneUpdateUnread"      // outcome, permission, err
	ZoneNodeReady         ID = "ZoneNodeReady"         // node, zone
	ZoneElsewhere         ID = "ZoneElsewhere"         // group, nodes, zone
	ZoneNoNode            ID = "ZoneNoNode"            // group, zone, within
	ZoneNotModelled       ID = "ZoneNotModelled"       // pods
	ZoneNodeNotEnough     ID = "ZoneNodeNotEnough"     // node, zone
	ZoneNotAskedAny       ID = "ZoneNotAskedAny"       //
)
