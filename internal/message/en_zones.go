package message

var englishZones = sentences{
	TitleN101: "a pod pending on a volume in a zone without a usable node",

	StrandedNoNode:   "{{.pod}} is Pending because the {{verb (len .claims) \"volume\" \"volumes\"}} of {{and .claims}} {{verb (len .claims) \"lives\" \"live\"}} in {{or .zones}}, and no node stands there.",
	StrandedUnusable: "{{.pod}} is Pending because the {{verb (len .claims) \"volume\" \"volumes\"}} of {{and .claims}} {{verb (len .claims) \"lives\" \"live\"}} in {{or .zones}}, and no node there can take the pod: {{and .why}}.",
	StrandedUnmade:   "{{.pod}} is Pending because the {{verb (len .claims) \"volume\" \"volumes\"}} for {{and .claims}} can be made only in {{or .zones}}, {{if .why}}and no node there can take the pod: {{and .why}}{{else}}and no node stands there{{end}}.",
	StrandedApart:    "{{.pod}} is Pending because its volumes live in different zones, and a pod runs in one: {{and .claims}}.",

	CauseUnscheduled:   "The scheduler finds no node for the pod.",
	CauseClaim:         "The pod mounts {{.claim}}, which is bound to {{.volume}}.",
	CauseClaimUnmade:   "The pod mounts {{.claim}}, whose volume is made once the pod has a node.",
	CauseVolumeZone:    "That volume lives in {{or .zones}} and can be used only there.",
	CauseClassZone:     "{{.class}} makes volumes only in {{or .zones}}.",
	CauseNoNode:        "Nodes in {{or .zones}}: none.",
	CauseNodesUnusable: "Nodes in {{or .zones}}: {{.nodes}}, none of which can take the pod: {{and .why}}.",
	CauseApart:         "No node stands in all of these zones at once.",
	CauseGroup:         "{{if eq .total 1}}The one node group that has nodes suits the pod{{else}}Of {{.total}} node groups, {{.suited}} {{verb .suited \"suits\" \"suit\"}} the pod{{if .excluded}} ({{and .excluded}}){{end}}{{end}}: {{and .groups}}.",
	CauseGroupNone:     "{{if eq .total 0}}No node carries the label of a node group.{{else}}Of {{count .total \"node group\" \"node groups\"}}, none suits the pod in {{or .zones}}{{if .excluded}}: {{and .excluded}}{{end}}.{{end}}",
	CauseAutoscaler:    "The autoscaler adds no node. It counts node groups, not nodes, and judges each by one sample node, which stands in one zone.",
	GroupStands:        "{{.group}} with {{count .nodes \"node\" \"nodes\"}}{{if .zones}} in {{and .zones}}{{end}}",

	ObstacleCordoned: "{{.n}} cordoned",
	ObstacleNotReady: "{{.n}} not ready",
	ObstacleTainted:  "{{.n}} with a taint the pod does not tolerate",
	ObstacleSelector: "{{.n}} excluded by the pod's node selector or affinity",
	ObstacleLabel:    "{{.n}} without the label the volume asks for",

	NotAttachment:      "Not the attachment of {{.claim}} to {{.node}}{{if .gone}}, which is gone{{end}}: a volume is attached once the pod has a node, and this pod has none. Deleting the attachment does not help.",
	NotAttachmentNone:  "Not an old attachment: the volume of {{.claim}} has none.",
	NotClaimFree:       "Not {{.claim}}: it is bound, to a volume{{if .driver}} of {{.driver}}{{end}} that is tied to no zone.",
	NotClaimUnmade:     "Not {{.claim}}: its volume will be made where the pod is placed.",
	NotClaimUnmounted:  "Not claims of other drivers, such as {{.claim}} in namespace {{.namespace}} ({{.driver}}): the pod does not mount them, and drivers do not conflict.",
	UnknownGroupZones:  "Which zones {{.group}} may use is not in the Kubernetes API. If {{or .zones}} is not among them, resizing does not help; the group's settings at the provider tell (on EKS its subnets).",
	UnknownGroupBounds: "The minimum and maximum size of {{.group}} are not in the Kubernetes API.",
	UnknownEmptyGroups: "Node groups are inferred from labels on nodes: a group without a node cannot be seen.",
	UnknownGroup:       "{{.node}} suits the pod, but no label says which node group it belongs to.",
	UnknownDriver:      "Why {{.driver}} has not put its zone label on {{.node}} is not known; its pod on that node tells. With the label, the node may do.",
	UnknownNodePool:    "{{.group}} has no size to set: Karpenter adds nodes itself. Why it adds none in {{or .zones}} is in its NodePool and its events, which are not read yet.",

	RemedyResize:       "Size {{.group}} to {{.to}}: enough for {{count .each \"node\" \"nodes\"}} in each of {{and .zones}}, because a group fills its emptiest zone first.",
	RemedyResizeCost:   "{{if .type}}{{.more}} more {{.type}}{{else}}{{count .more \"more node\" \"more nodes\"}}{{end}}, for as long as the group keeps that size.",
	RemedyResizeRisk:   "The group chooses the zone, not you: if it spans more zones than these, it needs one node more for each. It is refused above the group's maximum. An autoscaler may take the node away once nothing runs there: a minimum of the same size keeps it.",
	RemedyUncordon:     "Let pods onto {{.node}} in {{.zone}} again.",
	RemedyUncordonCost: "None.",
	RemedyUncordonRisk: "Somebody cordoned the node for a reason, such as an upgrade under way.",
}
