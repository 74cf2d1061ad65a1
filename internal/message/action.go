package message

// What is written down of the steps of a repair, and of how it came out.
const (
	ActionBegan      ID = "ActionBegan"      // remediation, action
	ActionAllowed    ID = "ActionAllowed"    //
	ActionApproval   ID = "ActionApproval"   // rejected, by
	ActionNoActuator ID = "ActionNoActuator" // action, node

	ActionHealthy    ID = "ActionHealthy"    // node
	ActionNodeGone   ID = "ActionNodeGone"   // node
	ActionPolicyGone ID = "ActionPolicyGone" //
	ActionNoLeave    ID = "ActionNoLeave"    // mode
	ActionLost       ID = "ActionLost"       //

	ActionNotReserved     ID = "ActionNotReserved"     //
	ActionAborted         ID = "ActionAborted"         //
	ActionProposalDeleted ID = "ActionProposalDeleted" //

	ActionNotSelected   ID = "ActionNotSelected"   // policy, node
	ActionNoSuchRule    ID = "ActionNoSuchRule"    // policy, rule
	ActionNotDue        ID = "ActionNotDue"        // node, rule
	ActionAnotherRule   ID = "ActionAnotherRule"   // node, rule
	ActionAnotherAction ID = "ActionAnotherAction" // policy, action, node

	ActionNodeDeleted  ID = "ActionNodeDeleted"  // node
	ActionNodeRemoved  ID = "ActionNodeRemoved"  // node, by
	ActionNodeShutDown ID = "ActionNodeShutDown" // node, by
	ActionUncordoned   ID = "ActionUncordoned"   // node

	ActionCordonedBefore   ID = "ActionCordonedBefore"   // node
	ActionCordonedByOthers ID = "ActionCordonedByOthers" // node
	ActionLeftCordoned     ID = "ActionLeftCordoned"     // node, by
	ActionMayNotUncordon   ID = "ActionMayNotUncordon"   // node, annotations
	ActionPodsLeft         ID = "ActionPodsLeft"         // n, pods
	ActionStaysCordoned    ID = "ActionStaysCordoned"    // node, actuator
	ActionPodsReturn       ID = "ActionPodsReturn"       // controllers, node, n, pods

	ActionAskedPerhaps ID = "ActionAskedPerhaps" // actuator
	ActionUnsure       ID = "ActionUnsure"       // actuator, words
	ActionTurnedAway   ID = "ActionTurnedAway"   // actuator, words
	ActionBusy         ID = "ActionBusy"         // actuator, n
	ActionRefused      ID = "ActionRefused"      // actuator, permission, words
	ActionAgentSaid    ID = "ActionAgentSaid"    // node, state, words
	ActionAgentSilent  ID = "ActionAgentSilent"  // node, within

	ActionNotSeen        ID = "ActionNotSeen"        // node, within, actuator
	ActionNotRebooted    ID = "ActionNotRebooted"    // node, within
	ActionNotReady       ID = "ActionNotReady"       // node, within
	ActionStillUnhealthy ID = "ActionStillUnhealthy" // node, within, condition, status
	ActionNotGone        ID = "ActionNotGone"        // node, within, cordoned
	ActionNoSuccessor    ID = "ActionNoSuccessor"    // node, within
	ActionRelapsed       ID = "ActionRelapsed"       // node, dwell

	ActionPodsBroken  ID = "ActionPodsBroken"  // node, within, pods
	ActionPodsMissing ID = "ActionPodsMissing" // node, within, workloads
	ActionAsForecast  ID = "ActionAsForecast"  // node
)
