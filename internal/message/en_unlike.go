package message

var englishUnlike = sentences{
	Differs:        "{{.field}}: {{.object}} has {{if .value}}{{.value}}{{else}}none{{end}}, {{.other}} has {{if .otherValue}}{{.otherValue}}{{else}}none{{end}}.",
	DiffersVolume:  "The volume of {{.claim}} can be used in {{.place}}; {{if .other}}that of {{.otherClaim}} in {{.other}}{{else}}{{.otherClaim}} mounts no corresponding volume{{end}}.",
	DiffersVersion: "They belong to different versions of {{.owner}}: this one to revision {{if .version}}{{.version}}{{else}}unknown{{end}}, the other to revision {{if .other}}{{.other}}{{else}}unknown{{end}}.",
	DiffersAgent:   "{{.daemon}}: {{if .state}}its pod on {{.node}} is {{.state}}{{else}}it has no pod on {{.node}}{{end}}, {{if .other}}that on {{.good}} is {{.other}}{{else}}and none on {{.good}}{{end}}.",

	OthersOnNode:      "{{if not .all}}There is no other pod on {{.node}}.{{else if .poor}}On {{.node}}, {{.poor}} of {{count .all \"other pod\" \"other pods\"}} {{verb .poor \"does\" \"do\"}} not run as {{verb .poor \"it\" \"they\"}} should.{{else}}On {{.node}}, {{if eq .all 1}}the other pod runs as it should{{else}}all {{.all}} other pods run as they should{{end}}.{{end}}",
	SiblingsElsewhere: "{{if .poor}}Of {{count .all \"other pod\" \"other pods\"}} of {{.owner}} on other nodes, {{.poor}} {{verb .poor \"does\" \"do\"}} not run as {{verb .poor \"it\" \"they\"}} should.{{else if .all}}On other nodes, {{if eq .all 1}}the other pod of {{.owner}} runs as it should{{else}}all {{.all}} other pods of {{.owner}} run as they should{{end}}.{{else}}No other pod of {{.owner}} is on another node.{{end}}",
	ProbesFit:         "Of {{count .n \"pod\" \"pods\"}} tried (like those on {{.good}}, and those that wait), {{.fit}} {{verb .fit \"fits\" \"fit\"}} {{.node}} as it is.",

	UnlikePodCause:  "{{.subject}} does not run because of {{and .what}}: with the values of {{.good}}, it finds a node.",
	UnlikeNodeCause: "{{and .what}} {{verb (len .what) \"keeps\" \"keep\"}} pods off {{.subject}}: with the values of {{.good}}, it takes more of them.",
	UnlikeCameFirst: "No difference between {{.subject}} and {{.good}} is the cause: another pod like {{.good}} would find no node now either. {{.good}} runs because it was placed first.",
	UnlikeSuspects:  "{{count .n \"difference\" \"differences\"}} between {{.subject}} and {{.good}} may be the cause but cannot be tested in simulation; the most likely: {{.first}}",
	UnlikeNothing:   "{{.subject}} and {{.good}} show no relevant difference in the Kubernetes API. {{.why}}",
	UnlikeWell:      "{{.subject}} is healthy, too. {{.why}}",
	UnlikeUntried:   "Not every node and pod is known, or another scheduler places the pod: differences could not be tested in simulation.",

	HeadDiffers:        "The cause",
	HeadTogether:       "The cause, in combination only",
	HeadSuspects:       "Possible causes",
	HeadTried:          "Tested, not the cause",
	HeadObserved:       "Observed elsewhere",
	UnlikeOthers:       "{{count .n \"further difference is\" \"further differences are\"}} not relevant.",
	UnlikeMoreSuspects: "and {{.n}} more (shown by -o wide)",
}
