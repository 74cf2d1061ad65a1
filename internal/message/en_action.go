package message

var englishAction = sentences{
	ActionBegan:      "{{.remediation}} started: {{.action}}.",
	ActionAllowed:    "All checks passed.",
	ActionApproval:   "{{with .by}}{{.}}{{else}}A user{{end}} {{if .rejected}}rejected{{else}}approved{{end}} the Remediation.",
	ActionNoActuator: "No provider in this cluster supports {{.action}} for {{.node}}.",

	ActionHealthy:       "{{.node}} became healthy before any action was taken.",
	ActionNodeGone:      "{{.node}} no longer exists, or another node has its name.",
	ActionNotSelected:   "{{.policy}} does not select {{.node}}.",
	ActionNoSuchRule:    "{{.policy}} has no rule {{.rule}}.",
	ActionNotDue:        "{{.node}} has not matched rule {{.rule}} for as long as the rule requires.",
	ActionAnotherRule:   "A rule other than {{.rule}} applies to {{.node}}.",
	ActionAnotherAction: "{{.policy}} does not request {{.action}} for {{.node}}.",

	ActionPolicyGone: "The policy no longer exists.",
	ActionNoLeave:    "The policy's mode is now {{.mode}}, which does not allow the Remediation to continue.",
	ActionLost:       "The recorded steps are inconsistent: something other than naosu has changed them.",

	ActionNotReserved:     "The ledger has no active reservation for this Remediation, so the Remediation does not continue.",
	ActionAborted:         "The Remediation was aborted.",
	ActionProposalDeleted: "The proposal was deleted, which counts as a rejection.",

	ActionNodeDeleted:  "Something other than naosu is deleting {{.node}}.",
	ActionNodeRemoved:  "Something other than naosu is removing {{.node}}: it has the taint {{.by}}.",
	ActionNodeShutDown: "Something other than naosu shut down {{.node}}: it has the taint {{.by}}.",
	ActionUncordoned:   "Something other than naosu uncordoned {{.node}}, which counts as a rejection.",

	ActionCordonedBefore:   "{{.node}} was already cordoned and stays cordoned.",
	ActionCordonedByOthers: "Something other than naosu cordoned {{.node}}, which stays cordoned.",
	ActionLeftCordoned:     "{{.node}} stays cordoned while it has {{.by}}: something other than naosu is removing it or has shut it down.",
	ActionMayNotUncordon:   "The controller's role no longer allows it to uncordon {{.node}}. Restore the permission, or uncordon the node and remove {{and .annotations}} from it.",
	ActionStaysCordoned:    "{{.actuator}} was asked to replace the machine of {{.node}}, which cannot be undone: the node stays cordoned until it is gone or someone uncordons it.",
	ActionPodsReturn:       "Pods of {{and .controllers}} returned to {{.node}} {{count .n \"time\" \"times\"}} although the node is cordoned: {{and .pods}}.",
	ActionPodsLeft:         "{{count .n \"pod\" \"pods\"}} remained when the drain reached its deadline: {{and .pods}}.",

	ActionAskedPerhaps: "It is not known whether {{.actuator}} received the request; the node's boot ID will show whether it did.",
	ActionUnsure:       "{{.actuator}} did not say whether it will perform the action: {{.words}}",
	ActionTurnedAway:   "{{.actuator}} could not perform the action at this time: {{.words}}",
	ActionBusy:         "{{.actuator}} was asked {{count .n \"time\" \"times\"}} and could not perform the action. Nothing was done to the machine.",
	ActionRefused:      "{{.actuator}} refused the request{{if .permission}} because naosu lacks the permission {{.permission}}{{end}}: {{.words}}",
	ActionAgentSaid:    "The agent on {{.node}} reported {{.state}}{{if .words}}: {{.words}}{{else}}.{{end}}",
	ActionAgentSilent:  "The agent on {{.node}} did not perform the action within {{.within}}.",

	ActionNotSeen:        "{{.node}} did not reboot within {{.within}}, and it is not known whether {{.actuator}} accepted the request.",
	ActionNotRebooted:    "{{.node}} did not reboot within {{.within}}: the reboot was requested but did not happen.",
	ActionNotReady:       "{{.node}} did not become Ready within {{.within}}.",
	ActionStillUnhealthy: "{{.node}} still has {{.condition}}={{.status}} after {{.within}}.",
	ActionNotGone:        "{{.node}} still exists after {{.within}}, although its machine should have been replaced.{{if .cordoned}} It stays cordoned until it is gone or someone uncordons it.{{end}}",
	ActionNoSuccessor:    "No healthy node replaced {{.node}} within {{.within}}.",
	ActionRelapsed:       "{{.node}} did not stay healthy for {{.dwell}}.",

	ActionPodsBroken:  "The conditions of {{.node}} are healthy, but some pods do not run there after {{.within}}: {{and .pods}}.",
	ActionPodsMissing: "{{.node}} is healthy, but fewer pods run after {{.within}} than before: {{and .workloads}}.",
	ActionAsForecast:  "{{.node}} is healthy, and its pods run as forecast.",
}
