package message

var englishProof = sentences{
	TitleN302: "a repair that would not happen, or is not proven to happen: which link is broken",
	TitleN304: "a repair held back by the guard, and why",

	HeldPolicy:      "{{.policy}} currently repairs nothing: {{.why}}",
	HeldRemediation: "{{.action}} of {{.node}} for {{.reason}} is held back ({{.remediation}}). {{.why}}",
	HeldApprove:     "Approve {{.remediation}}: {{.action}} of {{.node}} for {{.reason}}. {{.why}}",

	ProofNobody:    "No agent found in the cluster reports {{.condition}} as {{.status}}{{if not .any}} with the reason {{.reason}}{{end}}.{{if .meant}} Agents spell that reason {{.meant}}.{{end}}",
	ProofOff:       "The configuration of {{.agent}} turns {{.reason}} off.",
	ProofEventOnly: "{{.agent}} reports it only as an Event: {{.condition}} does not change, and repairers look only at conditions.",
	ProofBlind:     "{{.agent}} reports that it cannot detect this: {{.why}}",

	ProofVerbosity:  "The agent looks for a log line that the kubelet writes only at verbosity 4; on EKS nodes, the default is 2.",
	ProofDockerOnly: "The agent's rule detects only a hung process named docker, and no other container runtime.",

	ProofSilent: "{{.agent}} has not confirmed {{.condition}} for more than {{.age}}.",
	ProofAbsent: "{{.agent}} runs elsewhere, but nothing has ever reported {{.condition}} on this node.",

	ProofNoRule:          "No policy rule covers it, and no other known repairer acts on it.",
	ProofRepairersUnread: "It is not known whether something else repairs these nodes: {{.why}}",
	ProofTold:            "The controller reports: {{.why}}",
	ProofOwnUnread:       "naosu's own resources could not be read: {{.why}}",
	ProofEnds:            "The rule waits for {{.wait}}, but the condition lasts only {{.lasts}} after its last evidence: the rule acts only if the fault keeps occurring.",
	ProofLeftAlone:       "{{.by}} takes no action on such nodes by design{{if .rule}}, according to its rule {{.rule}}{{end}}.",
	ProofNotOffered:      "No provider supports {{.action}} for these nodes.{{if .why}} {{.why}}{{end}}",

	ProofRefused:           "{{.actuator}} would refuse {{.action}}{{if .group}} for machines of {{.group}}{{end}}. {{.why}}",
	ProofPermissionUnknown: "It is not known whether {{.actuator}} would permit {{.action}}{{if .group}} for machines of {{.group}}{{end}}. {{.why}}",
	ProofNotAsked:          "It is not known whether {{.action}} would be permitted: the controller has not asked.",

	ProofLedgerUnread:  "It is not known whether a budget has room, because the ledger could not be read.{{if .why}} {{.why}}{{end}}",
	ProofLedgerDamaged: "The controller starts no repairs because its ledger is damaged: {{.why}}",

	ProofNoController:     "No naosu controller is running: nothing holds its Lease.",
	ProofControllerSilent: "The controller has not responded for {{.age}}: its Lease is not renewed.",
	ProofLeaseUnread:      "The controller's Lease could not be read: {{.why}}",
	ProofNotTakenUp:       "The controller has not processed the latest change of {{.by}}.",

	ProofTheirs:      "Nothing proves that {{.by}} really repairs the node: a repair can be accepted and still never happen. Only a test that sets the condition on a node can show this.",
	ProofNoDrill:     "No drill and no repair has completed through {{.by}} yet.",
	ProofDrillFailed: "The last drill, {{.remediation}} at {{.at}}, failed: {{.why}}",
	ProofCutBefore:   "The last drill, {{.remediation}} at {{.at}}, failed, but the cause may have been fixed since: {{.why}}",
	ProofStaleAge:    "The last proof, {{.remediation}} at {{.at}}, is more than 30 days old.",
	ProofStalePolicy: "The policy has changed since the last proof, {{.remediation}} at {{.at}}.",
	ProofStaleAgent:  "The agent has changed since the last proof, {{.remediation}} at {{.at}}.",
	ProofShown:       "{{.remediation}} completed at {{.at}}.",

	ProofFinding: "{{and .reasons}} ({{.condition}}) on {{count .n \"node\" \"nodes\"}} {{if .broken}}would not lead to a repair{{else}}may not lead to a repair{{end}}. {{.why}}",

	ProofMore: "{{.n}} more",

	ProofAwaits:   "{{.by}} {{if .asks}}asks for approval of{{else}}performs{{end}} {{.action}} once {{.condition}} has lasted for {{.wait}} (in {{.left}}).",
	ProofOverdue:  "{{.condition}} has lasted for {{.age}}. {{.by}} should have {{if .asks}}asked for approval of{{else}}performed{{end}} {{.action}} after {{.wait}}, but has not.",
	ProofUnderWay: "{{.remediation}}, which is to repair the node, is in the phase {{.phase}}.",

	ProofRemedyDrill:       "Run a drill with a harmless fault.",
	ProofRemedyRaise:       "Set the condition on a node that you can afford to lose, and check whether {{.by}} repairs it.",
	ProofRemedyRaiseRisk:   "If the repair works, that node is rebooted or replaced.",
	ProofRemedySwitchOff:   "Turn off the repair of {{.by}}, so that only one repairer acts.",
	ProofRemedyMode:        "Allow {{.by}} to act after approval.",
	ProofRemedyController:  "Find out why no controller is running.",
	ProofRemedyAgent:       "Find out why {{.agent}} does not report.",
	ProofRemedyBudget:      "Raise the budget of {{.by}} to one node.",
	ProofRemedyPermissions: "Check the responses that the controller got.",
	ProofRemedyLedger:      "Find out why the ledger cannot be read.",

	CheckSummary:      "Of {{count .total \"fault that can be reported\" \"faults that can be reported\"}}, {{.act}} would lead to a repair, {{if .approval}}{{.approval}} would after approval, {{end}}{{.unproven}} may or may not, and {{.broken}} would not.",
	CheckLeft:         "{{count .n \"finding\" \"findings\"}} about faults for which no repair is expected; -o wide lists them, with a line for every reason.",
	CheckSnapshot:     "A snapshot contains neither naosu's own resources nor the other repairers of the nodes.",
	CheckNoCRDs:       "naosu's custom resource definitions are not installed (naosu crds | kubectl apply --server-side -f -), so it repairs nothing here.",
	CheckUnread:       "{{.what}} could not be read: {{.why}}",
	CheckConfigUnread: "It is not known whether the agent's configuration in {{.configmap}} turns reasons off: {{.why}}",

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
