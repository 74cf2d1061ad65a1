package message

// What naosu failover confirm prints, and what is said of a node that is out of service.
const (
	FailoverOutOfService ID = "FailoverOutOfService" // node, by, proof
	FailoverNotDeclared  ID = "FailoverNotDeclared"  // node, by, words
	FailoverBack         ID = "FailoverBack"         // node
	FailoverKept         ID = "FailoverKept"         // node, policy
	FailoverSilent       ID = "FailoverSilent"       // node, proof, pods, notReady, by
	FailoverWouldReplace ID = "FailoverWouldReplace" // node, proof, pods, notReady, by
	FailoverNotReplaced  ID = "FailoverNotReplaced"  // node, by, words
	FailoverSilenceProof ID = "FailoverSilenceProof" // quiet, witnesses
	FailoverSpoke        ID = "FailoverSpoke"        // node

	ConfirmRemedy       ID = "ConfirmRemedy"       //
	ConfirmNoName       ID = "ConfirmNoName"       // given
	ConfirmGone         ID = "ConfirmGone"         // node
	ConfirmReady        ID = "ConfirmReady"        // node
	ConfirmRenewed      ID = "ConfirmRenewed"      // node, ago
	ConfirmReported     ID = "ConfirmReported"     // node
	ConfirmAlready      ID = "ConfirmAlready"      // node
	ConfirmState        ID = "ConfirmState"        // node, since, renewed
	ConfirmReleases     ID = "ConfirmReleases"     // pods, volumes
	ConfirmNotConfirmed ID = "ConfirmNotConfirmed" // node, command
	ConfirmChanged      ID = "ConfirmChanged"      // node
	ConfirmDone         ID = "ConfirmDone"         // node, command
	ConfirmProof        ID = "ConfirmProof"        // user
)
