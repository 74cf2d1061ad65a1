package message

// What `naosu approve`, `naosu remediations`, `naosu repair abort` and `naosu cleanup` say. The checks of the guard are found by their names, as Check/mode.
const (
	ApproveRemedy    ID = "ApproveRemedy"    //
	ApproveNoName    ID = "ApproveNoName"    // given
	ApproveGone      ID = "ApproveGone"      // name
	ApproveDrill     ID = "ApproveDrill"     // remediation
	ApproveEnded     ID = "ApproveEnded"     // remediation
	ApproveRejected  ID = "ApproveRejected"  // remediation
	ApproveForbidden ID = "ApproveForbidden" // user, problem
	ApproveDone      ID = "ApproveDone"      // rejected, remediation, action, node, why

	AbortRemedy          ID = "AbortRemedy"          //
	AbortAllAlone        ID = "AbortAllAlone"        //
	AbortTimeoutPositive ID = "AbortTimeoutPositive" //
	AbortNone            ID = "AbortNone"            //
	AbortDone            ID = "AbortDone"            // remediation, node
	AbortInVain          ID = "AbortInVain"          // remediation, node, why
	AbortForced          ID = "AbortForced"          // remediation, node, why
	AbortNodeFinalizer   ID = "AbortNodeFinalizer"   // node, finalizer
	AbortLeft            ID = "AbortLeft"            // n

	CleanupRemedy ID = "CleanupRemedy" //
	CleanupWaits  ID = "CleanupWaits"  // n
	CleanupDone   ID = "CleanupDone"   // node, conditions
	CleanupNone   ID = "CleanupNone"   //
	CleanupAgents ID = "CleanupAgents" // n, nodes

	RemediationsNone    ID = "RemediationsNone"    //
	RemediationsEarned  ID = "RemediationsEarned"  // policy, mode, n, wanted, actions
	RemediationIs       ID = "RemediationIs"       // name, action, node, reason, condition, phase, outcome, approval, policy, rule, by
	RemediationForecast ID = "RemediationForecast" //
	RemediationNoPods   ID = "RemediationNoPods"   //
	RemediationOmitted  ID = "RemediationOmitted"  // n
	RemediationLoses    ID = "RemediationLoses"    // n, pods
	RemediationBecame   ID = "RemediationBecame"   // outcome, at
	RemediationSteps    ID = "RemediationSteps"    //
	RemediationVerdicts ID = "RemediationVerdicts" //
	RemediationAllowed  ID = "RemediationAllowed"  // n
)
