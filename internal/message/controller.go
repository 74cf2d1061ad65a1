package message

// What the controller writes into the status of policies and Remediations, and into Events.
const (
	EventProposed ID = "EventProposed" // action, node, remediation, rule

	PolicyReady           ID = "PolicyReady"           //
	PolicyPaused          ID = "PolicyPaused"          //
	PolicyNoNodes         ID = "PolicyNoNodes"         //
	PolicyInvalidSelector ID = "PolicyInvalidSelector" // invalid
	PolicyCompeting       ID = "PolicyCompeting"       // repairers
	PolicyNoActuator      ID = "PolicyNoActuator"      // action, actuator, why

	FailoverReady           ID = "FailoverReady"           //
	FailoverPaused          ID = "FailoverPaused"          //
	FailoverNoPods          ID = "FailoverNoPods"          //
	FailoverInvalidSelector ID = "FailoverInvalidSelector" // invalid
	FailoverNotChanged      ID = "FailoverNotChanged"      // words

	PermissionNobody     ID = "PermissionNobody"     // machine, gaps
	PermissionNotAsked   ID = "PermissionNotAsked"   // actuator
	PermissionUnanswered ID = "PermissionUnanswered" // actuator, words
	PermissionRBAC       ID = "PermissionRBAC"       // verb, resource
	PermissionAutomate   ID = "PermissionAutomate"   //
	PermissionAgent      ID = "PermissionAgent"      //
	PermissionNoAgent    ID = "PermissionNoAgent"    //
	PermissionLeft       ID = "PermissionLeft"       // asked, kinds
	PermissionGroups     ID = "PermissionGroups"     // groups, why
	PermissionUngrouped  ID = "PermissionUngrouped"  //

	DrillSeen      ID = "DrillSeen"      // reason, condition
	DrillSilent    ID = "DrillSilent"    // node, after
	DrillNotRun    ID = "DrillNotRun"    // words
	DrillNoNode    ID = "DrillNoNode"    // node
	DrillNoPolicy  ID = "DrillNoPolicy"  // node
	DrillNoRule    ID = "DrillNoRule"    // condition, status, reason
	DrillNone      ID = "DrillNone"      // policy, rule
	DrillMatched   ID = "DrillMatched"   // policy, rule, action, after
	DrillAssessed  ID = "DrillAssessed"  // n
	DrillUnplayed  ID = "DrillUnplayed"  // words
	DrillAllowed   ID = "DrillAllowed"   //
	DrillHeld      ID = "DrillHeld"      // held: DrillHeldBy each
	DrillHeldBy    ID = "DrillHeldBy"    // check, why
	DrillDenied    ID = "DrillDenied"    // check, why
	DrillUnjudged  ID = "DrillUnjudged"  // check, why
	DrillWouldAct  ID = "DrillWouldAct"  // actuator, action, why
	DrillMayNot    ID = "DrillMayNot"    // actuator, action, why
	DrillNotProven ID = "DrillNotProven" // actuator, action, why
	DrillPassed    ID = "DrillPassed"    //
	DrillFailed    ID = "DrillFailed"    // step, why

	ErrNoDefinitions           ID = "ErrNoDefinitions"           // host
	ErrNamespaceName           ID = "ErrNamespaceName"           // given
	ErrNamespaceNameRemedy     ID = "ErrNamespaceNameRemedy"     //
	ErrAddress                 ID = "ErrAddress"                 // given
	ErrAddressRemedy           ID = "ErrAddressRemedy"           //
	ErrCertificate             ID = "ErrCertificate"             // given, why
	ErrCertificateRemedy       ID = "ErrCertificateRemedy"       //
	ErrCertificateUnused       ID = "ErrCertificateUnused"       //
	ErrCertificateUnusedRemedy ID = "ErrCertificateUnusedRemedy" //
)
