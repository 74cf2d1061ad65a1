package message

var englishAction = sentences{
	ActionBegan:      "{{.remediation}} has begun: {{.action}}.",
	ActionAllowed:    "All checks allow it.",
	ActionApproval:   "{{with .by}}{{.}}{{else}}A person{{end}} {{if .rejected}}rejected{{else}}approved{{end}} it.",
	ActionNoActuator: "Nothing on this cluster can do it: {{.action}} of {{.node}}.",

	ActionHealthy:       "{{.node}} is healthy again before anything was done to it.",
	ActionNodeGone:      "{{.node}} is gone, or another has its name.",
	ActionNotSelected:   "{{.policy}} does not select {{.node}}.",
	ActionNoSuchRule:    "{{.policy}} has no rule {{.rule}}.",
	ActionNotDue:        "{{.node}} has not met rule {{.rule}} for as long as the rule demands.",
	ActionAnotherRule:   "Another rule than {{.rule}} decides about {{.node}}.",
	ActionAnotherAction: "{{.policy}} does not ask for {{.action}} of {{.node}}.",

	ActionPolicyGone: "The policy is gone.",
	ActionNoLeave:    "The policy does not let it go on: its mode is {{.mode}} now.",
	ActionLost:       "Its steps are not as they can be: somebody else has changed them.",

	ActionNotReserved:     "The ledger has no reservation of this Remediation that goes on, so that it is not continued.",
	ActionAborted:         "It was aborted.",
	ActionProposalDeleted: "The proposal was deleted, which rejects it.",

	ActionNodeDeleted:  "{{.node}} is being deleted by others.",
	ActionNodeRemoved:  "{{.node}} is being removed by others: it has the taint {{.by}}.",
	ActionNodeShutDown: "{{.node}} was shut down by others: it has the taint {{.by}}.",
	ActionUncordoned:   "{{.node}} was uncordoned by others, which counts as a rejection.",

	ActionCordonedBefore:   "{{.node}} was cordoned before, and stays so.",
	ActionCordonedByOthers: "{{.node}} is cordoned by others, and stays so.",
	ActionLeftCordoned:     "{{.node}} stays cordoned as long as it has {{.by}}, by which others remove it or have shut it down.",
	ActionMayNotUncordon:   "The controller's role does not let it uncordon {{.node}} any more. Give it the right back, or uncordon the node and take {{and .annotations}} off it.",
	ActionStaysCordoned:    "{{.actuator}} was asked to replace the machine of {{.node}}, which cannot be taken back: the node stays cordoned until it is gone or a person uncordons it.",
	ActionPodsReturn:       "Pods of {{and .controllers}} came back to {{.node}} {{count .n \"time\" \"times\"}} although it is cordoned: {{and .pods}}.",
	ActionPodsLeft:         "{{count .n \"pod was\" \"pods were\"}} left at the drain's deadline: {{and .pods}}.",

	ActionAskedPerhaps: "It is not known whether {{.actuator}} was asked; the node's boot ID will tell.",
	ActionUnsure:       "{{.actuator}} did not say whether it will do it: {{.words}}",
	ActionTurnedAway:   "{{.actuator}} could not do it now: {{.words}}",
	ActionBusy:         "{{.actuator}} was asked {{count .n \"time\" \"times\"}} and could not do it then. Nothing was done to the machine.",
	ActionRefused:      "{{.actuator}} refused{{if .permission}}, since naosu lacks the permission {{.permission}}{{end}}: {{.words}}",
	ActionAgentSaid:    "The agent of {{.node}} says {{.state}}: {{.words}}",
	ActionAgentSilent:  "The agent of {{.node}} did not do it within {{.within}}.",

	ActionNotSeen:     "{{.node}} did not boot again within {{.within}}, and it is not known whether {{.actuator}} took the request.",
	ActionNotRebooted: "{{.node}} did not boot again within {{.within}}: the reboot was asked for and did not happen.",
	ActionNotReady:    "{{.node}} was not Ready within {{.within}}.",
	ActionStillIll:    "{{.node}} still has {{.condition}}={{.status}} after {{.within}}.",
	ActionNotGone:     "{{.node}} was still there after {{.within}}: its machine was to be replaced.{{if .cordoned}} It stays cordoned until it is gone or a person uncordons it.{{end}}",
	ActionNoSuccessor: "No healthy node came in the place of {{.node}} within {{.within}}.",
	ActionRelapsed:    "{{.node}} did not stay healthy for {{.dwell}}.",

	ActionPodsBroken:  "{{.node}} is healthy by its conditions, but pods do not run there after {{.within}}: {{and .pods}}.",
	ActionPodsMissing: "{{.node}} is healthy, but fewer pods run than before after {{.within}}: {{and .workloads}}.",
	ActionAsForecast:  "{{.node}} is healthy, and pods run as forecast.",
}
