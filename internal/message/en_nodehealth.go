package message

var englishNodeHealth = sentences{
	TitleN301: "a node that its agent reports as unhealthy: condition and reason",

	NodeUnhealthy:    "{{.node}} is unhealthy: {{.condition}} has been {{.status}}{{if .age}} for {{.age}}{{end}}{{if .signs}} ({{and .signs}}){{end}}.",
	SignOf:           "{{.reason}}{{if .entity}} of {{.entity}}{{end}}",
	CauseCondition:   "The agent on {{.node}} reports {{.condition}} as {{.status}}.",
	CauseReason:      "{{.reason}}{{if .entity}} ({{.entity}}){{end}}, since {{.since}}: {{.means}}",
	CauseOwnReason:   "{{.reason}}{{if .entity}} ({{.entity}}){{end}}, since {{.since}}: a custom reason of the cluster or a reason of a newer agent, which is not in naosu's catalogue; the agent read: {{.raw}}",
	CauseToldReason:  "Its reason is {{if .reason}}{{.reason}}{{else}}not reported{{end}}{{if .why}}: {{.why}}{{else}}.{{end}}",
	CauseStillPlaced: "The condition does not keep pods away: {{count .n \"pod runs\" \"pods run\"}} on {{.node}}, and the scheduler continues to place pods there.",
	RepairUnknown:    "The Kubernetes API does not show whether anything repairs {{.node}}: a provider's node repair may be turned off, entirely or only for {{or .reasons}}.",

	RemedyDrain:     "Drain {{.node}}, so that its pods run elsewhere until it is repaired or replaced.",
	RemedyDrainCost: "{{count .n \"pod is\" \"pods are\"}} evicted and started elsewhere.",
	RemedyDrainRisk: "Pods without a controller are not recreated; drain refuses them without --force.",

	TitleN303: "an agent that no longer reports on its node",

	AgentSilent:        "The agent that writes {{and .conditions}} of {{.node}} has not reported for {{.age}}: {{verb .n \"that condition is\" \"those conditions are\"}} out of date.",
	CauseHeartbeat:     "{{.condition}} was last confirmed at {{.at}}; agents confirm every five minutes.",
	CauseKubeletTold:   "The kubelet of {{.node}} has been Ready all this time, so the agent is silent, not the node.",
	CauseAgentPod:      "{{.pod}} is not ready: {{.state}}",
	AgentNever:         "No agent has ever reported on {{.node}}, though agents report on other nodes.",
	CauseAgentSelects:  "{{.set}} should run on {{.node}}, and {{count .n \"other node on which it should run has\" \"other nodes on which it should run have\"}} conditions of an agent.",
	CauseNoAgentPod:    "{{.set}} has no pod on {{.node}}.",
	UnknownHealthNever: "It is not known whether {{.node}} is healthy: its kubelet reports only on itself.",
	UnknownHealth:      "It is not known whether {{.node}} is healthy while its agent is silent.",
}
