package message

var englishProof = sentences{
	TitleN302: "a repair that would not happen, or that nothing shows would happen: which link",
	TitleN304: "a repair held back by the guard, and why",

	HeldPolicy:      "{{.policy}} repairs nothing for now: {{.why}}",
	HeldRemediation: "{{.action}} of {{.node}} for {{.reason}} is held back ({{.remediation}}). {{.why}}",
	HeldApprove:     "Approve {{.remediation}}: {{.action}} of {{.node}} for {{.reason}}. {{.why}}",

	ProofNobody:    "No agent seen here reports {{.condition}} as {{.status}}{{if not .any}} with the reason {{.reason}}{{end}}.{{if .meant}} Agents spell that reason {{.meant}}.{{end}}",
	ProofOff:       "The configuration of {{.agent}} switches {{.reason}} off.",
	ProofEventOnly: "{{.agent}} makes it an Event only: {{.condition}} does not change, and repairers look at nothing else.",
	ProofBlind:     "{{.agent}} says that it cannot tell: {{.why}}",

	ProofVerbosity:  "The agent waits for a line that the kubelet logs at verbosity 4; EKS nodes run with 2 by default.",
	ProofDockerOnly: "The agent's rule knows a hung process named docker only, and no other container runtime.",

	ProofSilent: "{{.agent}} has not confirmed {{.condition}} for more than {{.age}}.",
	ProofAbsent: "{{.agent}} runs elsewhere, but nothing has reported {{.condition}} here.",

	ProofNoRule:          "No rule of a policy is about it, and no other repairer that is known acts on it.",
	ProofRepairersUnread: "Whether something else repairs these nodes is not known: {{.why}}",
	ProofTold:            "The controller says: {{.why}}",
	ProofOwnUnread:       "naosu's own resources could not be read: {{.why}}",
	ProofEnds:            "The rule waits for {{.wait}}, but the condition lasts only {{.lasts}} from its last evidence: it is acted on only if the fault goes on showing.",
	ProofLeftAlone:       "{{.by}} leaves such nodes alone on purpose{{if .rule}}, by its rule {{.rule}}{{end}}.",
	ProofNotOffered:      "Nobody offers {{.action}} for these nodes.{{if .why}} {{.why}}{{end}}",

	ProofRefused:           "{{.actuator}} would refuse {{.action}}{{if .group}} for machines of {{.group}}{{end}}. {{.why}}",
	ProofPermissionUnknown: "Whether {{.actuator}} would let {{.action}} through{{if .group}} for machines of {{.group}}{{end}} is not known. {{.why}}",
	ProofNotAsked:          "Whether {{.action}} would be let through is not known: the controller has not asked.",

	ProofLedgerUnread:  "Whether a budget has room is not known, since the ledger could not be read.{{if .why}} {{.why}}{{end}}",
	ProofLedgerDamaged: "The controller begins nothing, since its ledger is damaged: {{.why}}",

	ProofNoController:     "No controller of naosu's is at work: nobody holds its lease.",
	ProofControllerSilent: "The controller has been silent for {{.age}}: its lease is not renewed.",
	ProofLeaseUnread:      "The controller's lease could not be read: {{.why}}",
	ProofNotTakenUp:       "The controller has not taken up the latest change of {{.by}}.",

	ProofTheirs:      "Nothing shows that {{.by}} does it: a repair can be accepted and never happen. Only raising the condition tells.",
	ProofNoDrill:     "No drill and no repair has gone the whole way through {{.by}} yet.",
	ProofDrillCut:    "The last drill, {{.remediation}} at {{.at}}, was cut: {{.why}}",
	ProofCutBefore:   "The last drill, {{.remediation}} at {{.at}}, was cut, which may no longer be so: {{.why}}",
	ProofStaleAge:    "The last proof, {{.remediation}} at {{.at}}, is more than 30 days old.",
	ProofStalePolicy: "The policy has changed since the last proof, {{.remediation}} at {{.at}}.",
	ProofStaleAgent:  "The agent has changed since the last proof, {{.remediation}} at {{.at}}.",
	ProofShown:       "{{.remediation}} went the whole way at {{.at}}.",

	ProofFinding: "{{and .reasons}} ({{.condition}}) on {{count .n \"node\" \"nodes\"}} {{if .broken}}would lead to no repair{{else}}may lead to no repair{{end}}. {{.why}}",

	ProofMore: "{{.n}} more",

	ProofAwaits:   "{{.by}} {{if .asks}}asks for approval of{{else}}does{{end}} {{.action}} once {{.condition}} has stood for {{.wait}}, which is in {{.left}}.",
	ProofOverdue:  "{{.condition}} has stood for {{.age}}. {{.by}} {{if .asks}}asks for approval of{{else}}does{{end}} {{.action}} after {{.wait}}, and has not.",
	ProofUnderWay: "{{.remediation}} is to repair the node, and is {{.phase}}.",

	ProofRemedyDrill:       "Let a harmless fault go the whole way.",
	ProofRemedyRaise:       "Raise the condition on a node that may be lost, and see whether {{.by}} acts.",
	ProofRemedyRaiseRisk:   "If the repair works, that node is rebooted or replaced.",
	ProofRemedySwitchOff:   "Switch the repair of {{.by}} off, so that one alone acts.",
	ProofRemedyMode:        "Let {{.by}} act once a person has approved.",
	ProofRemedyController:  "See why no controller runs.",
	ProofRemedyAgent:       "See why {{.agent}} is not heard of.",
	ProofRemedyBudget:      "Raise the budget of {{.by}} to one node.",
	ProofRemedyPermissions: "See what the controller was told.",
	ProofRemedyLedger:      "See why the ledger cannot be read.",

	CheckSummary:      "Of {{count .total \"thing that may be reported\" \"things that may be reported\"}}, {{.act}} would lead to a repair, {{if .approval}}{{.approval}} would once a person approves, {{end}}{{.unproven}} may or may not, and {{.broken}} would not.",
	CheckLeft:         "{{count .n \"finding\" \"findings\"}} about what nobody counts on; -o wide has them, and a line for every reason.",
	CheckSnapshot:     "A snapshot holds neither naosu's own resources nor who else repairs the nodes.",
	CheckNoCRDs:       "naosu's custom resource definitions are not installed (naosu crds | kubectl apply --server-side -f -), so it repairs nothing here.",
	CheckUnread:       "{{.what}} could not be read: {{.why}}",
	CheckConfigUnread: "Whether the agent's configuration in {{.configmap}} switches reasons off is not known: {{.why}}",

	VerdictWouldAct:      "would act",
	VerdictNeedsApproval: "needs approval",
	VerdictUnproven:      "unproven",
	VerdictBroken:        "broken",

	CheckColumnVerdict: "VERDICT",
	CheckColumnLink:    "LINK",
	CheckColumnAgent:   "AGENT",
	CheckColumnNodes:   "NODES",
	CheckColumnBy:      "BY",
	CheckColumnReasons: "CONDITION: REASONS",
}
