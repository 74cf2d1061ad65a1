package message

var englishUnlike = sentences{
	Differs:        "{{.field}}: {{.object}} has {{if .value}}{{.value}}{{else}}none{{end}}, {{.other}} has {{if .otherValue}}{{.otherValue}}{{else}}none{{end}}.",
	DiffersVolume:  "The volume of {{.claim}} can be used in {{.place}}; {{if .other}}that of {{.otherClaim}} in {{.other}}{{else}}{{.otherClaim}} mounts none in its place{{end}}.",
	DiffersVersion: "They are of different versions of {{.owner}}: revision {{if .version}}{{.version}}{{else}}unknown{{end}} here, {{if .other}}{{.other}}{{else}}unknown{{end}} there.",
	DiffersAgent:   "{{.daemon}}: {{if .state}}its pod on {{.node}} is {{.state}}{{else}}it has no pod on {{.node}}{{end}}, {{if .other}}that on {{.good}} is {{.other}}{{else}}and none on {{.good}}{{end}}.",

	OthersOnNode:      "{{if not .all}}There is no other pod on {{.node}}.{{else if .poor}}On {{.node}} {{.poor}} of {{count .all \"other pod\" \"other pods\"}} {{verb .poor \"does\" \"do\"}} not run as {{verb .poor \"it\" \"they\"}} should.{{else}}On {{.node}} {{if eq .all 1}}the other pod runs as it should{{else}}all {{.all}} other pods run as they should{{end}}.{{end}}",
	SiblingsElsewhere: "{{if .poor}}Of {{count .all \"other pod\" \"other pods\"}} of {{.owner}} on other nodes, {{.poor}} {{verb .poor \"does\" \"do\"}} not run as {{verb .poor \"it\" \"they\"}} should.{{else if .all}}On other nodes, {{if eq .all 1}}the other pod of {{.owner}} runs as it should{{else}}all {{.all}} other pods of {{.owner}} run as they should{{end}}.{{else}}No other pod of {{.owner}} is on another node.{{end}}",
	ProbesFit:         "Of {{count .n \"pod\" \"pods\"}} tried (as on {{.good}}, and those that wait), {{.fit}} {{verb .fit \"fits\" \"fit\"}} {{.node}} as it is.",

	UnlikePodCause:  "{{.subject}} does not run because of {{and .what}}: with what {{.good}} has there, it finds a node.",
	UnlikeNodeCause: "{{and .what}} {{verb (len .what) \"keeps\" \"keep\"}} pods off {{.subject}}: with what {{.good}} has there, it takes more of them.",
	UnlikeCameFirst: "No difference between {{.subject}} and {{.good}} is the cause: another {{.good}} would find no node now either. It runs because it came first.",
	UnlikeSuspects:  "{{count .n \"difference\" \"differences\"}} between {{.subject}} and {{.good}} may be the cause and cannot be tried in simulation; the first suspect: {{.first}}",
	UnlikeNothing:   "{{.subject}} and {{.good}} do not differ in anything that the Kubernetes API shows and that bears on this. {{.why}}",
	UnlikeWell:      "{{.subject}} is well too. {{.why}}",
	UnlikeUntried:   "Not every node and pod is known, or another scheduler places the pod: differences could not be tried in simulation.",

	HeadDiffers:        "The cause",
	HeadTogether:       "The cause, only together",
	HeadSuspects:       "Suspects",
	HeadTried:          "Tried, and not the cause",
	HeadObserved:       "Elsewhere",
	UnlikeOthers:       "{{count .n \"further difference has\" \"further differences have\"}} no bearing on this.",
	UnlikeMoreSuspects: "and {{.n}} more, in -o wide",
}
