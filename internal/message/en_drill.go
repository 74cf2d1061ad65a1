package message

var englishDrill = sentences{
	DrillNoNodeGiven:      "{{.given}} is not a node",
	DrillNodeGone:         "the node {{.node}} does not exist",
	DrillNodeRemedy:       "give it as node/NAME",
	DrillExpendableAlone:  "has no effect without --act",
	DrillActAlone:         "the node may be lost, but no node is given as expendable",
	DrillOtherNode:        "{{.given}} is not {{.node}}, the node of the drill",
	DrillExpendableRemedy: "give a node that you can afford to lose, as in --act --expendable node/NAME",
	DrillConditionRemedy:  "give the condition that {{.reason}} changes, as in --condition NetworkingReady",

	DrillBegins:   "{{if .act}}Setting {{.condition}} for {{.reason}} on {{.node}} to see whether {{if .by}}{{.by}}{{else}}anything{{end}} repairs the node.{{else}}Injecting a harmless {{.reason}} on {{.node}} and tracing it from detection to a dry-run action.{{end}}",
	DrillThrough:  "{{if .act}}The machine was repaired: every hop passed.{{else}}Every hop passed.{{end}}{{if .remediation}} The record is remediation/{{.remediation}}.{{end}}",
	DrillStopped:  "The drill failed at {{.hop}}.{{if .remediation}} The record is remediation/{{.remediation}}.{{end}}",
	DrillDidFail:  "the drill failed at {{.hop}}",
	DrillFailedAt: "failed at {{.hop}}: {{.why}}",

	DrillLate:           "{{.hop}} did not happen within {{.after}}. {{.who}}",
	DrillLateAgent:      "No naosu agent on {{.node}} picked it up: the agent is not running, does not respond, or is not allowed to watch Remediations.",
	DrillLateFault:      "The agent on {{.node}} picked it up but injected no fault.",
	DrillLateDetect:     "The detector of {{.reason}} on {{.node}} did not detect the fault.",
	DrillLateEvidence:   "What the detector on {{.node}} detected was not sufficient evidence for {{.reason}}.",
	DrillLateReport:     "The agent on {{.node}} did not turn its evidence into a condition, or could not write the condition.",
	DrillLateController: "The controller did not pick it up: no controller is running, or it cannot read Remediations.",

	DrillUnrecorded:   "naosu's custom resource definitions are not installed, so the result of this drill is not recorded.",
	DrillNotForgotten: "{{.remediation}} of the interrupted drill could not be deleted: {{.why}}",
	DrillNotWritten:   "The result of the drill could not be recorded: {{.why}}",
	DrillNotPutBack:   "{{.condition}} of {{.node}} could not be restored and is still set: {{.why}}",

	DrillMark:          "Set by naosu repair drill; nothing is wrong. Confirmed at {{.at}}.",
	DrillRaisedSays:    "{{.condition}} is {{.status}} for {{.reason}}",
	DrillHolding:       "set for {{.held}} of at most {{.most}}",
	DrillWaited:        "the condition was set for {{.wait}}, as long as the repairer waits",
	DrillGone:          "{{.node}} no longer exists",
	DrillReplaced:      "another machine now has the name {{.node}}",
	DrillRebooted:      "{{.node}} was rebooted: its boot ID changed from {{.before}} to {{.after}}",
	DrillMended:        "{{.node}} is Ready",
	DrillNotMended:     "After the action, neither {{.node}} nor a new node of its group became Ready within {{.after}}.",
	DrillNeverHappened: "The condition was set for {{.held}}, and nothing visible was done{{if .by}} by {{.by}}{{end}}: {{if .sign}}the repair was accepted ({{.sign}}) but never happened{{else}}if the repair was accepted, it never happened{{end}}.{{if .n}} Something reset the condition {{count .n \"time\" \"times\"}}, and each time the drill set it again.{{end}}",
	DrillNotProposed:   "The condition was set for {{.held}}, but no Remediation was created for {{.by}}: no controller is running, or no rule is due.{{if .n}} Something reset the condition {{count .n \"time\" \"times\"}}.{{end}}{{if .sign}} {{.sign}} has changed.{{end}}",
	DrillHeldBack:      "{{.by}} created {{.remediation}}, which is still {{.phase}} after {{.held}}: {{.why}}{{if .n}} Something reset the condition {{count .n \"time\" \"times\"}}.{{end}}{{if .sign}} {{.sign}} has changed.{{end}}",
}
