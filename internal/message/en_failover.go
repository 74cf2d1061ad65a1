package message

var englishFailover = sentences{
	FailoverOutOfService: "{{.node}} is out of service: its machine is off ({{.proof}}). Its pods are deleted, and its volumes are detached. Declared by {{.by}}.",
	FailoverNotDeclared:  "{{.node}} could not be declared out of service for {{.by}}: {{.words}}",
	FailoverKept:         "{{.node}} has volumes and does not respond: if it is deleted, it stays until they are detached, or for 10 minutes ({{.policy}}).",
	FailoverBack:         "{{.node}} is back: the taint node.kubernetes.io/out-of-service is removed.",
	FailoverSilent:       "{{.node}} is silent: {{.proof}}. {{.by}} replaces {{count .pods \"pod\" \"pods\"}} of it on other nodes{{if .notReady}}, sets {{count .notReady \"pod\" \"pods\"}} not ready{{end}}, and the taint naosu.dev/silent keeps new pods off it.",
	FailoverWouldReplace: "{{.node}} is silent: {{.proof}}. In mode Auto, {{.by}} would replace {{count .pods \"pod\" \"pods\"}} of it on other nodes{{if .notReady}} and set {{count .notReady \"pod\" \"pods\"}} not ready{{end}}.",
	FailoverNotReplaced:  "Pods of {{.node}}, which is silent, could not be replaced or set not ready for {{.by}}: {{.words}}",
	FailoverSilenceProof: "no sign of life for {{.quiet}}, and {{.witnesses}} other nodes cannot reach it",
	FailoverSpoke:        "{{.node}} gives signs of life again: the taint naosu.dev/silent is removed.",

	ConfirmRemedy:       "give a node, as in naosu failover confirm node/NAME",
	ConfirmNoName:       "{{.given}} is not the name of a node",
	ConfirmGone:         "{{.node}} does not exist",
	ConfirmReady:        "{{.node}} is Ready, so its machine is running. Nothing was changed",
	ConfirmRenewed:      "the kubelet of {{.node}} renewed its Lease {{.ago}} ago, so its machine may be running. Nothing was changed; try again when it has not renewed it for 40s",
	ConfirmReported:     "the kubelet of {{.node}} has reported that it is not Ready, so its machine may be running. Nothing was changed; try again when the condition Ready is Unknown, 50s after the last report",
	ConfirmAlready:      "{{.node}} already has the taint node.kubernetes.io/out-of-service.",
	ConfirmState:        "{{.node}} has not been Ready for {{.since}}; {{if .renewed}}its kubelet last renewed its Lease {{.renewed}} ago{{else}}its kubelet has no Lease{{end}}.",
	ConfirmReleases:     "Declaring it out of service deletes {{count .pods \"pod\" \"pods\"}} and detaches {{count .volumes \"volume\" \"volumes\"}}. If its machine is running, pods run twice, and data on volumes can be lost:",
	ConfirmNotConfirmed: "nothing was changed: if the machine of {{.node}} is certainly off, run {{.command}}",
	ConfirmChanged:      "{{.node}} has changed since it was read: it is back, or another machine. Nothing was changed",
	ConfirmDone:         "{{.node}} is declared out of service. naosu's controller removes the taint when the machine is back; without a controller, run {{.command}} then.",
	ConfirmProof:        "confirmed by {{.user}}",
}
