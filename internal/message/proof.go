package message

// Whether a repair would follow from what an agent reports: why a link of the chain does not hold, or is not known to.
const (
	TitleN302 ID = "TitleN302"
	TitleN304 ID = "TitleN304"

	HeldPolicy      ID = "HeldPolicy"      // policy, why
	HeldRemediation ID = "HeldRemediation" // remediation, action, node, reason, why
	HeldApprove     ID = "HeldApprove"     // remediation, action, node, reason, why

	ProofNobody    ID = "ProofNobody"    // condition, status, reason, any, meant, agent
	ProofOff       ID = "ProofOff"       // agent, condition, status, reason
	ProofEventOnly ID = "ProofEventOnly" // agent, condition, status, reason
	ProofBlind     ID = "ProofBlind"     // agent, why

	// ProofVerbosity and ProofDockerOnly are why an agent's documented reason does not come.
	ProofVerbosity  ID = "ProofVerbosity"  //
	ProofDockerOnly ID = "ProofDockerOnly" //

	ProofSilent ID = "ProofSilent" // agent, condition, age
	ProofAbsent ID = "ProofAbsent" // agent, condition, age

	ProofNoRule          ID = "ProofNoRule"          //
	ProofRepairersUnread ID = "ProofRepairersUnread" // why
	ProofTold            ID = "ProofTold"            // why
	ProofOwnUnread       ID = "ProofOwnUnread"       // why
	ProofEnds            ID = "ProofEnds"            // wait, lasts
	ProofLeftAlone       ID = "ProofLeftAlone"       // by, rule
	ProofNotOffered      ID = "ProofNotOffered"      // action, why

	ProofRefused           ID = "ProofRefused"           // actuator, action, group, why
	ProofPermissionUnknown ID = "ProofPermissionUnknown" // actuator, action, group, why
	ProofNotAsked          ID = "ProofNotAsked"          // action

	ProofLedgerUnread  ID = "ProofLedgerUnread"  // why
	ProofLedgerDamaged ID = "ProofLedgerDamaged" // why

	ProofNoController     ID = "ProofNoController"     //
	ProofControllerSilent ID = "ProofControllerSilent" // age
	ProofLeaseUnread      ID = "ProofLeaseUnread"      // why
	ProofNotTakenUp       ID = "ProofNotTakenUp"       // by

	ProofTheirs      ID = "ProofTheirs"      // by
	ProofNoDrill     ID = "ProofNoDrill"     // by
	ProofDrillFailed ID = "ProofDrillFailed" // remediation, at, why
	ProofCutBefore   ID = "ProofCutBefore"   // remediation, at, why
	ProofStaleAge    ID = "ProofStaleAge"    // remediation, at
	ProofStalePolicy ID = "ProofStalePolicy" // remediation, at
	ProofStaleAgent  ID = "ProofStaleAgent"  // remediation, at
	ProofShown       ID = "ProofShown"       // remediation, at

	// ProofFinding tells what would not be repaired, or is not known to be.
	ProofFinding ID = "ProofFinding" // broken, reasons, condition, n, why
	ProofMore    ID = "ProofMore"    // n

	// ProofAwaits, ProofOverdue and ProofUnderWay tell of one node when somebody is to repair it.
	ProofAwaits   ID = "ProofAwaits"   // by, action, asks, condition, wait, left
	ProofOverdue  ID = "ProofOverdue"  // by, action, asks, condition, wait, age
	ProofUnderWay ID = "ProofUnderWay" // remediation, phase

	ProofRemedyDrill       ID = "ProofRemedyDrill"       // reason
	ProofRemedyRaise       ID = "ProofRemedyRaise"       // by
	ProofRemedyRaiseRisk   ID = "ProofRemedyRaiseRisk"   //
	ProofRemedySwitchOff   ID = "ProofRemedySwitchOff"   // by
	ProofRemedyMode        ID = "ProofRemedyMode"        // by
	ProofRemedyController  ID = "ProofRemedyController"  //
	ProofRemedyAgent       ID = "ProofRemedyAgent"       // agent
	ProofRemedyBudget      ID = "ProofRemedyBudget"      // by
	ProofRemedyPermissions ID = "ProofRemedyPermissions" // by
	ProofRemedyLedger      ID = "ProofRemedyLedger"      //
)

// What `naosu repair check` says of its own.
const (
	CheckSummary      ID = "CheckSummary"      // act, approval, unproven, broken, total
	CheckLeft         ID = "CheckLeft"         // n
	CheckSnapshot     ID = "CheckSnapshot"     //
	CheckNoCRDs       ID = "CheckNoCRDs"       //
	CheckUnread       ID = "CheckUnread"       // what, why
	CheckConfigUnread ID = "CheckConfigUnread" // configmap, why

	VerdictWouldAct      ID = "VerdictWouldAct"
	VerdictNeedsApproval ID = "VerdictNeedsApproval"
	VerdictUnproven      ID = "VerdictUnproven"
	VerdictBroken        ID = "VerdictBroken"

	CheckColumnVerdict ID = "CheckColumnVerdict"
	CheckColumnLink    ID = "CheckColumnLink"
	CheckColumnAgent   ID = "CheckColumnAgent"
	CheckColumnNodes   ID = "CheckColumnNodes"
	CheckColumnBy      ID = "CheckColumnBy"
	CheckColumnReasons ID = "CheckColumnReasons"
)
