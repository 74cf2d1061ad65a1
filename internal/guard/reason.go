package guard

// Reason is why a check did not allow, in one word: it becomes the reason of the Remediation's condition Allowed.
type Reason string

// The reasons.
const (
	// Unknown is for a fact that could not be gathered.
	Unknown Reason = "Unknown"
	// Stale is for a fact, or the evidence, that is too old to act on.
	Stale Reason = "Stale"

	Paused           Reason = "Paused"
	NotLeading       Reason = "NotLeading"
	ReportOnly       Reason = "ReportOnly"
	AwaitingApproval Reason = "AwaitingApproval"
	Rejected         Reason = "Rejected"

	// BudgetZero is for a budget that never allows any node, such as a percentage that rounds to zero.
	BudgetZero Reason = "BudgetZero"
	BudgetFull Reason = "BudgetFull"
	// InHand is for a node that another Remediation disrupts; for evictions of a RebalancePolicy, any node.
	InHand Reason = "InHand"
	// NodesChanging is for nodes of which one has changed within the dwell time.
	NodesChanging Reason = "NodesChanging"
	// NodeLeaving is for a node that others remove or have shut down.
	NodeLeaving Reason = "NodeLeaving"

	ZoneDisrupted Reason = "ZoneDisrupted"
	// FailingTogether is for many unhealthy nodes of one failure domain.
	FailingTogether    Reason = "FailingTogether"
	APIServerUnhealthy Reason = "APIServerUnhealthy"
	ZonalShift         Reason = "ZonalShift"

	// NewNode is for a node that is still starting.
	NewNode Reason = "NewNode"
	// MachineClaimedTwice is for a machine that several nodes claim.
	MachineClaimedTwice Reason = "MachineClaimedTwice"
	// ControlPlaneDegraded is for a node of a control plane of which another node is unavailable.
	ControlPlaneDegraded Reason = "ControlPlaneDegraded"

	DisruptionBudget Reason = "DisruptionBudget"
	PodsWouldWait    Reason = "PodsWouldWait"
	PodsWouldPreempt Reason = "PodsWouldPreempt"
	PodsWouldBeLost  Reason = "PodsWouldBeLost"
	LastReplica      Reason = "LastReplica"
	LocalData        Reason = "LocalData"

	CoolingDown Reason = "CoolingDown"
	DidNotHelp  Reason = "DidNotHelp"
	// ActionRefused is for an action that the actuator refused for the node lately.
	ActionRefused Reason = "Refused"
	WindowClosed  Reason = "WindowClosed"
	DoNotDisrupt  Reason = "DoNotDisrupt"
	CompetingWith Reason = "CompetingRepairer"

	// ReplaceLoop is for a machine that followed several replacements and is unhealthy again.
	ReplaceLoop Reason = "ReplaceLoop"
	// DailyLimit is for a group of which the most machines allowed were rebooted or replaced within a day.
	DailyLimit Reason = "DailyLimit"
)
