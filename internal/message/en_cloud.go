package message

var englishCloud = sentences{
	CloudDryRunPassed: "The dry run of {{.call}} was permitted.",
	CloudNoDryRun:     "{{.call}} has no dry run: only the real call shows whether it is permitted.",
	CloudRefused:      "{{.call}} is refused: {{.words}}",
	CloudUnanswered:   "{{.call}} got no response: {{.words}}",
	CloudGone:         "The machine {{.machine}} no longer exists.",
	CloudNoScaling:    "The machine {{.machine}} belongs to no Auto Scaling group: nothing would replace it.",
	CloudProtected:    "The machine {{.machine}} is protected from scale-in in the Auto Scaling group {{.group}}.",
	CloudOtherMachine: "The request would be refused: {{.words}}.",
	CloudNoLaunch:     "The Auto Scaling group {{.group}} launches no instances because its process Launch is suspended: nothing would replace the machine.",

	CloudNoCredentials: "No AWS credentials were found: {{.words}}",
	CloudNoRegion:      "No AWS region was found: set AWS_REGION.",
	CloudNoCluster:     "Neither a label of its nodes nor a tag of their instances shows which EKS cluster {{.group}} belongs to.",
	CloudUnread:        "{{.what}} could not be read: {{.words}}",

	CloudAccessAllowed: "The API server allows naosu to {{.verb}} {{.resource}}.",
	CloudAccessDenied:  "The API server does not allow naosu to {{.verb}} {{.resource}}.",
	CloudHeld:          "{{.machine}} has the annotation {{.annotation}}: Cluster API skips it.",
	CloudNoOwner:       "{{.machine}} belongs to no MachineSet, and no MachineHealthCheck selects it: nothing would replace it.",
	CloudNoKarpenter:   "Karpenter's Deployment was not found, so it is not known whether its node repair is enabled.",
	CloudNoRules:       "{{.by}} repairs nodes, but the conditions that it acts on are not known.",
	CloudGKERepair:     "GKE repairs nodes of {{.group}} that have not been ready for about 10 minutes, unless node auto-repair is switched off for it, which only Google's API shows.",
}
