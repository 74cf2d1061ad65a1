package message

// N301: a node agent says that a node is not healthy.
const (
	TitleN301 ID = "TitleN301"

	NodeUnhealthy    ID = "NodeUnhealthy"    // node, condition, status, age, signs
	SignOf           ID = "SignOf"           // reason, entity
	CauseCondition   ID = "CauseCondition"   // node, condition, status
	CauseReason      ID = "CauseReason"      // reason, entity, means, since
	CauseOwnReason   ID = "CauseOwnReason"   // reason, entity, raw, since
	CauseToldReason  ID = "CauseToldReason"  // reason, why
	CauseStillPlaced ID = "CauseStillPlaced" // node, n
	RepairUnknown    ID = "RepairUnknown"    // node, reasons

	RemedyDrain     ID = "RemedyDrain"     // node
	RemedyDrainCost ID = "RemedyDrainCost" // n
	RemedyDrainRisk ID = "RemedyDrainRisk" //
)

// N303: a node's agent is silent.
const (
	TitleN303 ID = "TitleN303"

	AgentSilent      ID = "AgentSilent"      // node, conditions, n, age
	CauseHeartbeat   ID = "CauseHeartbeat"   // node, condition, at
	CauseKubeletTold ID = "CauseKubeletTold" // node
	CauseAgentPod    ID = "CauseAgentPod"    // pod, state
	UnknownHealth    ID = "UnknownHealth"    // node

	AgentNever         ID = "AgentNever"         // node
	CauseAgentSelects  ID = "CauseAgentSelects"  // set, node, n
	CauseNoAgentPod    ID = "CauseNoAgentPod"    // set, node
	UnknownHealthNever ID = "UnknownHealthNever" // node
)
