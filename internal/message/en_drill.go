package message

var englishDrill = sentences{
	DrillNoNodeGiven:      "{{.given}} is no node",
	DrillNodeGone:         "there is no node {{.node}}",
	DrillNodeRemedy:       "name one as node/NAME",
	DrillExpendableAlone:  "nothing is raised without --act",
	DrillActAlone:         "it may cost the node, which nobody has called expendable",
	DrillOtherNode:        "{{.given}} is not {{.node}}, which is to be drilled",
	DrillExpendableRemedy: "name a node that may be lost, as in --act --expendable node/NAME",
	DrillConditionRemedy:  "name the condition that {{.reason}} turns, as in --condition NetworkingReady",

	DrillBegins:  "{{if .act}}Raising {{.condition}} for {{.reason}} on {{.node}}, to see whether {{if .by}}{{.by}}{{else}}anything{{end}} acts.{{else}}A harmless {{.reason}} on {{.node}} goes the whole way to an action that is not taken.{{end}}",
	DrillThrough: "{{if .act}}The machine was repaired: every hop was passed.{{else}}Every hop was passed.{{end}}{{if .remediation}} The record is remediation/{{.remediation}}.{{end}}",
	DrillStopped: "The chain is cut at {{.hop}}.{{if .remediation}} The record is remediation/{{.remediation}}.{{end}}",
	DrillWasCut:  "the chain is cut at {{.hop}}",
	DrillCutAt:   "cut at {{.hop}}: {{.why}}",

	DrillLate:           "{{.hop}} did not come within {{.after}}. {{.who}}",
	DrillLateAgent:      "No agent of naosu's on {{.node}} took it up: it is not there, is silent, or may not watch Remediations.",
	DrillLateFault:      "The agent on {{.node}} took it up and made no fault.",
	DrillLateDetect:     "The detector of {{.reason}} on {{.node}} did not see the fault.",
	DrillLateEvidence:   "What the detector saw on {{.node}} did not become evidence enough for {{.reason}}.",
	DrillLateReport:     "The agent on {{.node}} made no condition of its evidence, or could not write it.",
	DrillLateController: "The controller did not take it up: none is at work, or it does not see Remediations.",

	DrillUnrecorded:   "naosu's custom resource definitions are not installed, so nothing keeps what this drill shows.",
	DrillNotForgotten: "{{.remediation}} of the drill that was broken off could not be deleted: {{.why}}",
	DrillNotWritten:   "What the drill showed could not be written down: {{.why}}",
	DrillNotPutBack:   "{{.condition}} of {{.node}} could not be put back, and still stands as raised: {{.why}}",

	DrillMark:          "Raised by naosu repair drill; nothing is wrong. Confirmed at {{.at}}.",
	DrillRaisedSays:    "{{.condition}} is {{.status}} for {{.reason}}",
	DrillHolding:       "held for {{.held}} of at most {{.most}}",
	DrillWaited:        "the condition has stood for {{.wait}}, as long as the repairer waits",
	DrillGone:          "{{.node}} is gone",
	DrillReplaced:      "another machine has the name of {{.node}}",
	DrillRebooted:      "{{.node}} was rebooted: its boot ID was {{.before}} and is {{.after}}",
	DrillMended:        "{{.node}} is Ready",
	DrillNotMended:     "After the action neither {{.node}} nor a new node of its group was Ready within {{.after}}.",
	DrillNeverHappened: "The condition stood for {{.held}}, and {{if .by}}{{.by}}{{else}}nobody{{end}} did nothing that shows: {{if .sign}}the repair was taken up ({{.sign}}) and never happened{{else}}if it was accepted, it never happened{{end}}.{{if .n}} Something took the condition back {{count .n \"time\" \"times\"}}, and each time it was raised again.{{end}}",
	DrillNotProposed:   "The condition stood for {{.held}}, and no Remediation was made for {{.by}}: no controller is at work, or it sees no rule to be due.{{if .n}} Something took the condition back {{count .n \"time\" \"times\"}}.{{end}}{{if .sign}} {{.sign}} has changed.{{end}}",
	DrillHeldBack:      "{{.remediation}} was made by {{.by}} and is {{.phase}} after {{.held}}: {{.why}}{{if .n}} Something took the condition back {{count .n \"time\" \"times\"}}.{{end}}{{if .sign}} {{.sign}} has changed.{{end}}",
}
