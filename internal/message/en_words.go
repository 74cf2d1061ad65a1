package message

var englishWords = sentences{
	HeadCauses:      "Why",
	HeadRuledOut:    "Ruled out",
	HeadUnknown:     "Unknown",
	HeadRemedy:      "Remedy",
	HeadNotModelled: "Not judged",
	LabelCost:       "cost",
	LabelRisk:       "risk",
	LabelFill:       "fill in {{and .parts}}",
	LabelUnverified: "not simulated",
	LabelVerified:   "verified by simulation",
	LabelAgo:        "{{.age}} ago",
	LabelNone:       "none",

	OverviewCount:     "{{if .what}}Not running as {{verb .n \"it\" \"they\"}} should{{if .namespace}} in namespace {{.namespace}}{{end}}: {{and .what}}, for {{count .causes \"cause\" \"causes\"}}.{{else}}Everything{{if .namespace}} in namespace {{.namespace}}{{end}} that should run does.{{end}}",
	OverviewPods:      "{{count .n \"pod\" \"pods\"}}",
	OverviewWorkloads: "{{count .n \"workload\" \"workloads\"}}",
	OverviewConcerns:  "This concerns {{.n}}: {{and .names}}.",
	OverviewMore:      "More: {{.command}}",
	OverviewElsewhere: "In other namespaces {{count .n \"pod does\" \"pods do\"}} not run as {{verb .n \"it\" \"they\"}} should: {{.command}}",
	ErrNotThere:       "{{.subject}} does not exist{{if .namespace}} in namespace {{.namespace}}{{end}}{{if .elsewhere}}; it is in namespace {{or .elsewhere}}{{else if .near}}; did you mean {{or .near}}?{{end}}",
	ErrForbiddenKind:  "permission is missing: {{.kind}} objects cannot be read with these credentials",
	ErrWhyFailOn:      "there is trouble of severity {{.severity}}",
	ErrUnlike:         "{{.given}} cannot be compared with {{.subject}}",
	ErrUnlikeRemedy:   "compare two pods or two nodes, as in: why pod/BAD --unlike pod/GOOD",
	UnreadKinds:       "These kinds of objects were not read or may not be, so that more may be wrong or threatened than is said here: {{and .kinds}}. The JSON says what each bears on.",
}
