package message

var englishHeadroomPolicy = sentences{
	HeadroomPolicyCovered:    "The placeholder pods that are bound survive each of the failures.",
	HeadroomPolicyLacks:      "The placeholder pods that are bound do not survive {{list .failures}}. {{.because}}",
	HeadroomPolicyLack:       "{{.failure}}: {{count .n \"pod\" \"pods\"}} of {{.requests}} would wait or be preempted",
	HeadroomPolicyUnknown:    "Whether the placeholder pods that are bound survive {{list .failures}} is not known. {{.because}}",
	HeadroomPolicyReportOnly: "The policy is in mode Report, and holds no room. {{if .wanted}}In mode Auto, it would hold {{.wanted}}.{{end}}",
	HeadroomPolicyNotBound:   "{{count .n \"placeholder pod is\" \"placeholder pods are\"}} not bound.",
	HeadroomPolicyNotHeld:    "The cluster has changed, and the room has not been resized yet.",
	HeadroomPolicyMaximum:    "The room is {{.wanted}}, and maxRoom allows {{.most}}.",
	HeadroomPolicyNeedsNodes: "Today's nodes do not have the room: {{count .n \"more node is\" \"more nodes are\"}} needed.",
	HeadroomPolicyNotSized:   "No room was found, or the cluster is too large to look for one.",
	HeadroomPolicyUnread:     "Not all {{and .kinds}} objects could be read.",
	HeadroomPolicyNotFound:   "The cluster does not have {{and .names}}.",
	HeadroomPolicyNoClass:    "The PriorityClass {{.class}} does not exist, or its priority is another. The chart creates it.",
	HeadroomPolicyForbidden:  "The controller may not create Deployments and DaemonSets in {{.namespace}}. The chart permits it in mode auto only.",
	HeadroomPolicyGrowth:     "growth of {{.daemonSet}} by {{.requests}}",
	HeadroomPolicyBurst:      "burst of {{.workload}}",
	HeadroomPolicyAmount:     "{{count .n \"placeholder pod\" \"placeholder pods\"}} of {{.requests}}",
	HeadroomPolicyResized:    "The room was resized: {{.amount}}.",
	HeadroomPolicyGivenBack:  "The room was given back.",
	HeadroomPolicyPreempted:  "{{.pod}} on {{.node}} was preempted: its room is in use.",
}
