package message

var englishController = sentences{
	EventProposed: "{{.node}} has met the rule {{.rule}}: {{.remediation}} proposes {{.action}}.",

	PolicyReady:      "Nothing that is known stands in the way.",
	PolicyPaused:     "The policy is paused: nothing new is begun.",
	PolicyNoNodes:    "The node selector selects no node.",
	PolicyCompeting:  "{{and .repairers}} {{verb (len .repairers) \"repairs\" \"repair\"}} the same nodes. Switch that off first: two repairers that do not know of each other are worse than one.",
	PolicyNoActuator: "{{.action}} cannot be done{{if ne .actuator \"None\"}} through {{.actuator}}{{end}}: {{.why}}",

	PermissionNobody:     "Nobody is known who does this to the machine of {{.machine}}.{{range .gaps}} {{.}}{{end}}",
	PermissionNotAsked:   "{{.actuator}} cannot be asked beforehand.",
	PermissionUnanswered: "{{.actuator}} did not answer: {{.words}}",
	PermissionRBAC:       "The controller's role does not let it {{.verb}} {{.resource}}.",
	PermissionAgent:      "Whether an agent may restart the service shows only when it does: its policy is on its node.",
	PermissionNoAgent:    "No pod of naosu-agent is seen.",

	DrillSeen:      "The agent reported {{.condition}} with {{.reason}}.",
	DrillSilent:    "The agent of {{.node}} reported no evidence within {{.after}}.",
	DrillFailed:    "The agent could not do the drill: {{.words}}",
	DrillNoNode:    "{{.node}} is not there.",
	DrillNoPolicy:  "No policy selects {{.node}}.",
	DrillNoRule:    "No rule of a policy for this node is met by {{.condition}} {{.status}} with {{.reason}}.",
	DrillNone:      "The rule {{.rule}} of the policy {{.policy}} leaves the node alone.",
	DrillMatched:   "The rule {{.rule}} of the policy {{.policy}} asks for {{.action}} after {{.after}}.",
	DrillAssessed:  "{{count .n \"pod\" \"pods\"}} would not stay as {{verb .n \"it is\" \"they are\"}}.",
	DrillUnplayed:  "What would become of pods could not be foreseen: {{.words}}",
	DrillAllowed:   "The guard would let it go on.",
	DrillHeld:      "The guard would hold it back now, by {{.check}}: {{.why}}",
	DrillUnjudged:  "The guard could not judge, by {{.check}}: {{.why}}",
	DrillWouldAct:  "{{.actuator}} would be asked for {{.action}}, and may be. {{.why}}",
	DrillMayNot:    "{{.action}} would fail{{if ne .actuator \"None\"}} at {{.actuator}}{{end}}: {{.why}}",
	DrillNotProven: "{{.actuator}} would be asked for {{.action}}, and nothing proves that it would be done. {{.why}}",
	DrillPassed:    "The drill went the whole way to the action, which was not done.",
	DrillCut:       "The chain is cut at {{.step}}: {{.why}}",

	ErrNoDefinitions:       "the cluster at {{.host}} does not have naosu's custom resource definitions; install them with `naosu crds | kubectl apply --server-side -f -`",
	ErrNamespaceName:       "{{.given}} is no name of a namespace",
	ErrNamespaceNameRemedy: "name the one in which the controller may keep its lease and ledger, such as naosu-system",
	ErrAddress:             "{{.given}} is no address to listen on",
	ErrAddressRemedy:       "write :PORT or HOST:PORT, or 0 for none",
}
