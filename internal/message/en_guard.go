package message

var englishGuard = sentences{
	GuardUnknown:        "The guard lacks information that it needs: {{.fact}}.",
	GuardStale:          "The guard's information is too old to act on: {{.fact}}, {{.age}} old.",
	GuardStaleEvidence:  "The evidence was last confirmed {{.age}} ago, which is too old to act on.",
	GuardFutureEvidence: "The evidence is dated {{.ahead}} in the future: the node's clock is ahead, or the controller's is behind, so the age of the evidence is not known. Synchronize the clocks, for example with NTP.",

	GuardPaused:      "The policy is paused.",
	GuardNotLeading:  "This controller does not hold the Lease; another one acts.",
	GuardReportOnly:  "The policy's mode is Report: naosu only shows what it would do.",
	GuardNotApproved: "The Remediation needs approval and has not been approved.",
	GuardNotEarned:   "The Remediation has not been approved, and the policy allows {{.action}} without approval only after {{count .wanted \"such repair has\" \"such repairs have\"}} turned out as forecast; so far, {{.n}} {{verb .n \"has\" \"have\"}}.",
	GuardRejected:    "The Remediation was rejected.",
	GuardCompeting:   "Something else repairs this node, too: {{and .repairers}}.",

	GuardInHand:     "{{.by}} is in progress on {{.node}}.",
	GuardLeaving:    "Something other than naosu is removing {{.node}} or has shut it down: the node has {{.by}}.",
	GuardReplacing:  "{{.by}} has requested that the machine of {{.node}} be replaced, and the node still exists. If someone uncordons the node, naosu stops handling it.",
	GuardBudgetZero: "The budget for {{.scope}} allows 0 nodes{{if ne .budget \"0\"}}: {{.budget}} of {{.total}} rounds down to 0{{end}}.",
	GuardBudgetFull: "The budget for {{.scope}} is used up: {{count .n \"node is\" \"nodes are\"}} disrupted, and the limit is {{.limit}}.",

	GuardZone:       "{{.n}} of {{count .total \"node\" \"nodes\"}} in {{.zone}} are not Ready: the cause is the zone, not the node.",
	GuardPattern:    "{{.n}} of {{count .total \"node\" \"nodes\"}} with the same {{and .patterns}} are unhealthy at the same time: repairing one node does not remove the common cause.",
	GuardAPIServer:  "The API server is not ready, so what it reports about nodes may be wrong.",
	GuardLeases:     "{{.n}} of {{count .total \"kubelet\" \"kubelets\"}} stopped responding at the same time: the cause is their connection to the API server, not the nodes.",
	GuardZonalShift: "Traffic is being shifted away from {{and .zones}}; no new repairs start in the meantime.",

	GuardNewNode:           "{{.node}} is still starting; no action is taken for another {{.left}}.",
	GuardMachineClaimed:    "{{and .nodes}} all report that they run on {{.machine}}, and it is not known which of them really does. Delete the Node objects that do not.",
	GuardControlPlane:      "{{and .nodes}} {{verb (len .nodes) \"belongs or may belong\" \"belong or may belong\"}} to the control plane and {{verb (len .nodes) \"is\" \"are\"}} disrupted or not Ready: disrupting a second node at the same time can cost etcd its quorum.",
	GuardControlPlaneStuck: "{{and .nodes}} of the control plane are not Ready at the same time. It is not known which of them etcd's quorum needs: recover one manually.",

	GuardDisruptionBudget: "In {{.in}} of {{.futures}} simulations, the repair would violate {{and .budgets}}.",
	GuardPodsLost:         "In {{.in}} of {{.futures}} simulations, {{count .n \"pod\" \"pods\"}} would be lost, because nothing recreates {{verb .n \"it\" \"them\"}}: {{and .pods}}.",
	GuardPodsWait:         "In {{.in}} of {{.futures}} simulations, {{count .n \"pod\" \"pods\"}} would find no node with room and an address for {{verb .n \"it\" \"them\"}}: {{and .pods}}. Without the repair, {{verb .n \"it\" \"they\"}} would not wait.",
	GuardPodsPreempted:    "In {{.in}} of {{.futures}} simulations, {{count .n \"other pod\" \"other pods\"}} would be preempted: {{and .pods}}.",
	GuardPodsGuessed:      "{{count .n \"pod\" \"pods\"}} that another scheduler places would move, and it is not known where to: {{and .pods}}. An approval overrides this.",
	GuardLastReplica:      "{{count .n \"pod is the last ready pod of its workload\" \"pods are the last ready pods of their workloads\"}}: {{and .pods}}.",
	GuardLocalData:        "{{count .n \"pod has\" \"pods have\"}} data on this node only, and the policy protects such data: {{and .pods}}.",
	GuardNodeAnnotation:   "{{.node}} has the annotation {{.annotation}}.",
	GuardPodAnnotation:    "{{count .n \"pod has\" \"pods have\"}} an annotation that forbids eviction: {{and .pods}}.",

	GuardCoolDown:   "{{.node}} was repaired recently; no action is taken for another {{.left}}.",
	GuardRefused:    "{{.action}} of {{.node}} was refused recently{{if .words}}. {{.words}}{{else}}.{{end}}",
	GuardDidNotHelp: "{{.action}} did not help {{.node}} recently ({{count .n \"attempt\" \"attempts\"}}).",
	GuardDwell:      "{{.node}} changed {{.ago}} ago; pods are evicted once no node has changed for {{.dwell}}.",
	GuardWindow:     "The maintenance window opens at {{.opens}}.",

	GuardReplaceLoop: "{{count .n \"machine\" \"machines\"}} of {{.group}}{{if .image}} with the image {{.image}}{{end}} {{verb .n \"was\" \"were\"}} replaced in a row, and each time the new machine was unhealthy again: the cause is not the machine. Check the group's image and configuration.",
	GuardDailyLimit:  "{{count .n \"machine\" \"machines\"}} of {{.group}} {{verb .n \"was\" \"were\"}} rebooted or replaced within 24 hours; the limit is {{.limit}}.",
}
