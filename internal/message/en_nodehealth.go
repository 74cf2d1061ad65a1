package message

var englishNodeHealth = sentences{
	TitleN301: "a node is not healthy, as its agent says: condition and reason",

	NodeUnhealthy:    "{{.node}} is not healthy: {{.condition}} has been {{.status}}{{if .age}} for {{.age}}{{end}}{{if .signs}}, for {{and .signs}}{{end}}.",
	SignOf:           "{{.reason}}{{if .entity}} of {{.entity}}{{end}}",
	CauseCondition:   "The agent on {{.node}} reports {{.condition}} as {{.status}}.",
	CauseReason:      "{{.reason}}{{if .entity}} ({{.entity}}){{end}}, since {{.since}}: {{.means}}",
	CauseOwnReason:   "{{.reason}}{{if .entity}} ({{.entity}}){{end}}, since {{.since}}: a reason of the cluster's own or of a newer agent, which naosu's catalogue does not have; the agent read: {{.raw}}",
	CauseToldReason:  "Its reason is {{if .reason}}{{.reason}}{{else}}not told{{end}}{{if .why}}: {{.why}}{{else}}.{{end}}",
	CauseStillPlaced: "The condition keeps nothing away: {{count .n \"pod runs\" \"pods run\"}} on {{.node}}, and the scheduler goes on placing more there.",
	RepairUnknown:    "Whether anything repairs {{.node}} is not in the Kubernetes API: a provider's node repair may be off, or off for {{or .reasons}} alone.",

	RemedyDrain:     "Move what runs on {{.node}} elsewhere until it is mended or replaced.",
	RemedyDrainCost: "{{count .n \"pod is\" \"pods are\"}} evicted and started elsewhere.",
	RemedyDrainRisk: "Pods that no controller owns are not made again; drain refuses them without --force.",

	TitleN303: "the agent that watches a node is silent",

	AgentSilent:        "Nothing has been heard for {{.age}} of the agent that writes {{and .conditions}} of {{.node}}: what {{verb .n \"that condition says\" \"those conditions say\"}} is old.",
	CauseHeartbeat:     "{{.condition}} was last confirmed at {{.at}}; agents confirm every five minutes.",
	CauseKubeletTold:   "The kubelet of {{.node}} is Ready all the while, so it is not the node that is silent.",
	CauseAgentPod:      "{{.pod}} is not ready: {{.state}}",
	AgentNever:         "No agent has ever reported on {{.node}}, though agents report on other nodes.",
	CauseAgentSelects:  "{{.set}} is to run on {{.node}}, and {{count .n \"other node that it is to run on has\" \"other nodes that it is to run on have\"}} conditions of an agent.",
	CauseNoAgentPod:    "No pod of {{.set}} is on {{.node}}.",
	UnknownHealthNever: "Whether {{.node}} is healthy is not known: its kubelet says no more than that itself is.",
	UnknownHealth:      "Whether {{.node}} is healthy is not known as long as its agent is silent.",
}
