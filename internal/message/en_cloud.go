package message

var englishCloud = sentences{
	CloudDryRunPassed: "A dry run of {{.call}} was let through.",
	CloudNoDryRun:     "{{.call}} has no dry run: only doing it tells whether it is let through.",
	CloudRefused:      "{{.call}} is refused: {{.words}}",
	CloudUnanswered:   "{{.call}} was not answered: {{.words}}",
	CloudGone:         "The machine {{.machine}} is gone.",
	CloudNoScaling:    "The machine {{.machine}} is in no Auto Scaling group: nothing would come in its place.",
	CloudProtected:    "The machine {{.machine}} is protected from scale-in in the Auto Scaling group {{.group}}.",
	CloudOtherMachine: "It would be refused: {{.words}}.",
	CloudNoLaunch:     "The Auto Scaling group {{.group}} launches nothing, since its process Launch is suspended: nothing would come in the machine's place.",

	CloudNoCredentials: "There are no AWS credentials: {{.words}}",
	CloudNoRegion:      "There is no AWS region: set AWS_REGION.",
	CloudNoCluster:     "Neither a label of its nodes nor a tag of their instances tells which EKS cluster {{.group}} belongs to.",
	CloudUnread:        "{{.what}} could not be read: {{.words}}",

	CloudAccessAllowed: "The API server lets naosu {{.verb}} {{.resource}}.",
	CloudAccessDenied:  "The API server does not let naosu {{.verb}} {{.resource}}.",
	CloudHeld:          "{{.machine}} has the annotation {{.annotation}}: Cluster API passes it over.",
	CloudNoOwner:       "{{.machine}} belongs to no MachineSet, and no MachineHealthCheck minds it: nothing would come in its place.",
	CloudNoKarpenter:   "Karpenter's Deployment was not found, so that it is not known whether its node repair is on.",
	CloudNoRules:       "{{.by}} repairs nodes, but it is not known for which conditions.",
}
