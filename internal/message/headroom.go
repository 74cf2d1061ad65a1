package message

// What naosu headroom prints.
const (
	HeadroomSummary        ID = "HeadroomSummary"        // failures, costly, unknown
	HeadroomNode           ID = "HeadroomNode"           // group, kind
	HeadroomTwoNodes       ID = "HeadroomTwoNodes"       //
	HeadroomZone           ID = "HeadroomZone"           // zone
	HeadroomRotation       ID = "HeadroomRotation"       // group
	HeadroomStep           ID = "HeadroomStep"           // daemonSet, requests, nodes
	HeadroomStepRoom       ID = "HeadroomStepRoom"       // failure, n, size, free
	HeadroomSteps          ID = "HeadroomSteps"          //
	HeadroomUnknownStep    ID = "HeadroomUnknownStep"    // daemonSet
	HeadroomBurst          ID = "HeadroomBurst"          // workload, more
	HeadroomHeadFailure    ID = "HeadroomHeadFailure"    //
	HeadroomHeadCases      ID = "HeadroomHeadCases"      //
	HeadroomHeadWait       ID = "HeadroomHeadWait"       //
	HeadroomHeadPreempted  ID = "HeadroomHeadPreempted"  //
	HeadroomHeadLost       ID = "HeadroomHeadLost"       //
	HeadroomHeadFate       ID = "HeadroomHeadFate"       //
	HeadroomHeadReason     ID = "HeadroomHeadReason"     //
	HeadroomHeadRoom       ID = "HeadroomHeadRoom"       //
	HeadroomHeadNodes      ID = "HeadroomHeadNodes"      //
	HeadroomHeadPrice      ID = "HeadroomHeadPrice"      //
	HeadroomHeadPolicy     ID = "HeadroomHeadPolicy"     //
	HeadroomHeadMode       ID = "HeadroomHeadMode"       //
	HeadroomHeadCovered    ID = "HeadroomHeadCovered"    //
	HeadroomHeadWanted     ID = "HeadroomHeadWanted"     //
	HeadroomHeadBound      ID = "HeadroomHeadBound"      //
	HeadroomHeadPending    ID = "HeadroomHeadPending"    //
	HeadroomHeadProtected  ID = "HeadroomHeadProtected"  //
	HeadroomHeadExposed    ID = "HeadroomHeadExposed"    //
	HeadroomHeadZones      ID = "HeadroomHeadZones"      //
	HeadroomNotSized       ID = "HeadroomNotSized"       //
	HeadroomHelpless       ID = "HeadroomHelpless"       // n
	HeadroomMoreNodes      ID = "HeadroomMoreNodes"      //
	HeadroomReserveUnknown ID = "HeadroomReserveUnknown" //
	HeadroomGiveBack       ID = "HeadroomGiveBack"       // free, n, sizes, back
	HeadroomUnread         ID = "HeadroomUnread"         // failure, kinds
	HeadroomTooMany        ID = "HeadroomTooMany"        // failure, most
	HeadroomFailed         ID = "HeadroomFailed"         // failure
	HeadroomUnplayed       ID = "HeadroomUnplayed"       // failure, n
	HeadroomMadeWay        ID = "HeadroomMadeWay"        // by
	HeadroomBurstRemedy    ID = "HeadroomBurstRemedy"    // most
	ProgressHeadroom       ID = "ProgressHeadroom"       // done, total
	ErrHeadroomFailOn      ID = "ErrHeadroomFailOn"      // on, n
	ErrHeadroomUnknown     ID = "ErrHeadroomUnknown"     // n
)
