package message

// What is said of HeadroomPolicies.
const (
	HeadroomPolicyCovered          ID = "HeadroomPolicyCovered"          //
	HeadroomPolicyLacks            ID = "HeadroomPolicyLacks"            // failures, because
	HeadroomPolicyLack             ID = "HeadroomPolicyLack"             // failure, n, requests
	HeadroomPolicyUnknown          ID = "HeadroomPolicyUnknown"          // failures, because
	HeadroomPolicyReportOnly       ID = "HeadroomPolicyReportOnly"       // wanted
	HeadroomPolicyNotBound         ID = "HeadroomPolicyNotBound"         // n
	HeadroomPolicyNotHeld          ID = "HeadroomPolicyNotHeld"          //
	HeadroomPolicyMaximum          ID = "HeadroomPolicyMaximum"          // wanted, most
	HeadroomPolicyNeedsNodes       ID = "HeadroomPolicyNeedsNodes"       // n
	HeadroomPolicyNotSized         ID = "HeadroomPolicyNotSized"         //
	HeadroomPolicyUnread           ID = "HeadroomPolicyUnread"           // kinds
	HeadroomPolicyNotFound         ID = "HeadroomPolicyNotFound"         // names
	HeadroomPolicyNoClass          ID = "HeadroomPolicyNoClass"          // class
	HeadroomPolicyForbidden        ID = "HeadroomPolicyForbidden"        // namespace
	HeadroomPolicyNotPermitted     ID = "HeadroomPolicyNotPermitted"     //
	HeadroomPolicyGrowth           ID = "HeadroomPolicyGrowth"           // daemonSet, requests
	HeadroomPolicyBurst            ID = "HeadroomPolicyBurst"            // workload
	HeadroomPolicyAmount           ID = "HeadroomPolicyAmount"           // n, requests
	HeadroomPolicyResized          ID = "HeadroomPolicyResized"          // amount
	HeadroomPolicyGivenBack        ID = "HeadroomPolicyGivenBack"        //
	HeadroomPolicyUncovered        ID = "HeadroomPolicyUncovered"        // policy, unknown
	HeadroomPolicyZonesUncovered   ID = "HeadroomPolicyZonesUncovered"   // policy, unknown
	HeadroomPolicyZonesUnprocessed ID = "HeadroomPolicyZonesUnprocessed" // policy
	HeadroomPolicyUnprocessed      ID = "HeadroomPolicyUnprocessed"      // policy
	HeadroomPolicyMoreFailures     ID = "HeadroomPolicyMoreFailures"     // n
	HeadroomPolicyZonesUnread      ID = "HeadroomPolicyZonesUnread"      //
	HeadroomPolicyZonesNotModelled ID = "HeadroomPolicyZonesNotModelled" // zones
	HeadroomPolicyZoneLacking      ID = "HeadroomPolicyZoneLacking"      //
	HeadroomPolicyZoneStarting     ID = "HeadroomPolicyZoneStarting"     //
	HeadroomPolicyZoneResizing     ID = "HeadroomPolicyZoneResizing"     //
	HeadroomPolicyZoneAutoscaler   ID = "HeadroomPolicyZoneAutoscaler"   //
	HeadroomPolicyZoneMaximum      ID = "HeadroomPolicyZoneMaximum"      //
	HeadroomPolicyZoneNoGroup      ID = "HeadroomPolicyZoneNoGroup"      //
	HeadroomPolicyZoneFailed       ID = "HeadroomPolicyZoneFailed"       //
	HeadroomPolicyZoneUnread       ID = "HeadroomPolicyZoneUnread"       //
	HeadroomPolicyZoneNotPermitted ID = "HeadroomPolicyZoneNotPermitted" //
)
