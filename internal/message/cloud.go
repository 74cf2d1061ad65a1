package message

// What is known, or not, of those who run the machines.
const (
	CloudDryRunPassed ID = "CloudDryRunPassed" // call
	CloudNoDryRun     ID = "CloudNoDryRun"     // call
	CloudRefused      ID = "CloudRefused"      // call, words
	CloudUnanswered   ID = "CloudUnanswered"   // call, words
	CloudGone         ID = "CloudGone"         // machine
	CloudNoScaling    ID = "CloudNoScaling"    // machine
	CloudOtherMachine ID = "CloudOtherMachine" // words
	CloudNoLaunch     ID = "CloudNoLaunch"     // group
	CloudProtected    ID = "CloudProtected"    // machine, group

	CloudNoCredentials ID = "CloudNoCredentials" // words
	CloudNoRegion      ID = "CloudNoRegion"      //
	CloudNoCluster     ID = "CloudNoCluster"     // group
	CloudUnread        ID = "CloudUnread"        // what, words

	CloudAccessAllowed ID = "CloudAccessAllowed" // verb, resource
	CloudAccessDenied  ID = "CloudAccessDenied"  // verb, resource
	CloudHeld          ID = "CloudHeld"          // machine, annotation
	CloudNoOwner       ID = "CloudNoOwner"       // machine
	CloudNoKarpenter   ID = "CloudNoKarpenter"   //
	CloudNoRules       ID = "CloudNoRules"       // by
	CloudGKERepair     ID = "CloudGKERepair"     // group
)
