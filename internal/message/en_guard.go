package message

var englishGuard = sentences{
	GuardUnknown:        "What the guard needs to know is not known: {{.fact}}.",
	GuardStale:          "What the guard knows is too old to act on: {{.fact}}, by {{.age}}.",
	GuardStaleEvidence:  "The evidence was last confirmed {{.age}} ago, which is too long to act on.",
	GuardFutureEvidence: "The evidence was last confirmed {{.ahead}} from now: the node's clock is ahead, or the controller's is behind, so how old it is nobody knows. Set the clocks, by NTP say.",

	GuardPaused:      "The policy is paused.",
	GuardNotLeading:  "This controller does not hold the lease; another one acts.",
	GuardReportOnly:  "The policy's mode is Report: this is what it would do.",
	GuardNotApproved: "Nobody has approved it yet; the policy's mode is Approve.",
	GuardNotEarned:   "Nobody has approved it yet, and the policy may take {{.action}} unasked only after {{count .wanted \"such repair\" \"such repairs\"}} as forecast; so far there {{verb .n \"is\" \"are\"}} {{.n}}.",
	GuardRejected:    "It was rejected.",
	GuardCompeting:   "Something else repairs this node too: {{and .repairers}}.",

	GuardInHand:     "{{.by}} is at work on {{.node}}.",
	GuardLeaving:    "{{.node}} is being removed or was shut down by others: it has {{.by}}.",
	GuardReplacing:  "{{.by}} has asked for the machine of {{.node}} to be replaced, and the node is still there. Whoever uncordons it takes it over.",
	GuardBudgetZero: "The budget for {{.scope}} lets no node through: {{.budget}} of {{count .total \"node\" \"nodes\"}} is none.",
	GuardBudgetFull: "The budget for {{.scope}} is spent: {{count .n \"node is\" \"nodes are\"}} out, and {{.limit}} may be.",

	GuardZone:       "{{.n}} of {{count .total \"node\" \"nodes\"}} in {{.zone}} are not Ready: that is the zone, not the node.",
	GuardPattern:    "{{.n}} of {{count .total \"node\" \"nodes\"}} with the same {{and .patterns}} are unhealthy together: repairing one does not mend what ails them all.",
	GuardAPIServer:  "The API server is not ready, so what it says of nodes may not be so.",
	GuardLeases:     "{{.n}} of {{count .total \"kubelet\" \"kubelets\"}} are silent at once: that is their way to the API server, not the nodes.",
	GuardZonalShift: "Traffic is being moved away from {{and .zones}}; nothing new is begun meanwhile.",

	GuardNewNode:           "{{.node}} is still starting and is left alone for {{.left}} more.",
	GuardMachineClaimed:    "{{and .nodes}} all say that they run on {{.machine}}: which of them does is not known. Delete those Nodes that do not.",
	GuardControlPlane:      "{{and .nodes}} of the control plane, or not known to be none of it, {{verb (len .nodes) \"is\" \"are\"}} out or not Ready: a second one at once may end etcd's quorum.",
	GuardControlPlaneStuck: "{{and .nodes}} of the control plane are not Ready at once. Which of them etcd's quorum needs is not known: bring one back yourself.",

	GuardDisruptionBudget: "In {{.in}} of {{.futures}} simulated futures it would not keep to {{and .budgets}}.",
	GuardPodsLost:         "In {{.in}} of {{.futures}} simulated futures {{count .n \"pod\" \"pods\"}} would be lost, since nothing makes {{verb .n \"it\" \"them\"}} again: {{and .pods}}.",
	GuardPodsWait:         "In {{.in}} of {{.futures}} simulated futures {{count .n \"pod\" \"pods\"}} would fit nowhere: {{and .pods}}. Without the repair {{verb .n \"it\" \"they\"}} would not wait.",
	GuardPodsPreempted:    "In {{.in}} of {{.futures}} simulated futures {{count .n \"other pod\" \"other pods\"}} would be preempted: {{and .pods}}.",
	GuardPodsGuessed:      "{{count .n \"pod\" \"pods\"}} would move that another scheduler places, and where to is not known: {{and .pods}}. An approval overrides this.",
	GuardLastReplica:      "{{count .n \"pod is\" \"pods are\"}} the last that {{verb .n \"is\" \"are\"}} ready of {{verb .n \"its workload\" \"their workloads\"}}: {{and .pods}}.",
	GuardLocalData:        "{{count .n \"pod has\" \"pods have\"}} data on this node alone, and the policy keeps such data: {{and .pods}}.",
	GuardNodeAnnotation:   "{{.node}} has the annotation {{.annotation}}.",
	GuardPodAnnotation:    "{{count .n \"pod has\" \"pods have\"}} an annotation against eviction: {{and .pods}}.",

	GuardCoolDown:   "{{.node}} was repaired a short while ago and is left alone for {{.left}} more.",
	GuardRefused:    "{{.action}} of {{.node}} was refused lately{{if .words}}. {{.words}}{{else}}.{{end}}",
	GuardDidNotHelp: "{{.action}} has not helped {{.node}} lately ({{count .n \"attempt\" \"attempts\"}}).",
	GuardWindow:     "The maintenance window opens at {{.opens}}.",

	GuardReplaceLoop: "{{count .n \"machine\" \"machines\"}} of {{.group}}{{if .image}} with the image {{.image}}{{end}} {{verb .n \"was\" \"were\"}} replaced one after the other, and the one that came next was ill again each time: what ails them is not the machine. Look at the group's image and configuration.",
	GuardDailyLimit:  "{{count .n \"machine\" \"machines\"}} of {{.group}} {{verb .n \"was\" \"were\"}} rebooted or replaced within 24 hours, and {{.limit}} may be.",
}
