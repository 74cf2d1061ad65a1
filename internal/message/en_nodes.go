package message

var englishNodes = sentences{
	TitleN102: "a group that may lose its last node in a zone that holds its volumes",
	TitleN103: "losing a zone would leave pods Pending",

	AndMore:          "{{.n}} more",
	UnknownMachine:   "The Kubernetes API does not show whether the machine behind {{.node}} is off, or only disconnected with its containers still running. The provider knows (on EC2, the state of the instance).",
	CauseNodeSilent:  "The kubelet of {{.node}} has not reported for longer than the control plane waits.",
	CauseNodeGone:    "{{.node}} no longer exists.",
	CauseNodeUp:      "{{.node}} is Ready, so nothing is detached by force.",
	UnknownKubelet:   "The log of the kubelet of {{.node}} shows why it does not end the containers; the Kubernetes API does not. Often a process hangs in the kernel, or a volume cannot be unmounted.",
	UnknownNotJudged: "naosu could not apply the scheduler's rules, so nothing here was simulated.",

	TitleN104: "a VolumeAttachment that is stuck",

	AttachmentStuck:         "{{.attachment}} still ties the volume of {{.claim}} to {{.node}}, which {{if .gone}}no longer exists{{else if .up}}is Ready but does not release it{{else}}does not respond{{end}}{{if .waiting}}; {{and .waiting}} cannot start until it is released{{end}}. Deleting the VolumeAttachment does not help.",
	CauseAttached:           "The control plane considers {{.volume}} attached to {{.node}}, and only one node at a time can use it.",
	CauseStillUsed:          "On that node, {{and .pods}} still {{verb .n \"counts\" \"count\"}} as using the volume: until a pod's object is gone, its containers may be writing.",
	CauseAttachmentReturns:  "Deleting {{.attachment}} detaches nothing. The CSI attacher's finalizer keeps the object until its driver has detached the volume, and while the control plane considers the volume attached, it creates the object again.",
	CauseForceDetach:        "{{if .up}}This ends when the driver can detach the volume{{else}}This ends by itself: once no pod on {{.node}} uses the volume, it is detached by force after 6 minutes{{if not .gone}}, or at once if the node has the out-of-service taint{{end}}{{end}}.",
	NotWaitingForAttachment: "{{and .unplaced}} {{verb (len .unplaced) \"does\" \"do\"}} not wait for this: a volume is attached only after its pod is assigned to a node, and that has not happened.",
	UnknownDetachSince:      "Only kube-controller-manager knows when the 6 minutes of an attachment began, and whether it runs with --disable-force-detach-on-timeout.",

	TitleN201: "a node is down: what waits, and until when",

	NodeDown:          "{{.node}} is down{{if .parts}}: {{and .parts}}{{else}}, and nothing waits for it{{end}}.",
	CauseNodeNotReady: "The kubelet of {{.node}} reports that it cannot run pods{{if .why}}: {{.why}}{{else}}.{{end}}",

	DownOverdue:     "Should have been deleted or removed at {{.at}} but still exist, because kube-controller-manager does not seem to be running: {{and .pods}}.",
	DownTerminating: "Already deleted, and Terminating until the kubelet confirms their end or the Node object is deleted: {{and .pods}}.",
	DownStateful:    "Deleted at {{.at}}, but their StatefulSet creates no replacement while the old object exists, until the node returns, is removed, or someone releases them: {{and .pods}}.",
	DownAttached:    "Deleted at {{.at}} and replaced at once, but the replacements cannot start before the volume is free, up to 6 minutes after the old pod's object is gone: {{and .pods}}.",
	DownMoves:       "Counted as running on the node until {{.at}}; then deleted and replaced at once: {{and .pods}}.",
	DownForgotten:   "Deleted at {{.at}}, and nothing recreates them: {{and .pods}}.",
	DownStays:       "Counted as running there indefinitely, because they tolerate the node's state without a time limit: {{and .pods}}.",
	DownUntold:      "Counted as running there, because the node does not yet have a taint that evicts them (the control plane delays it when many nodes of a zone fail at the same time): {{and .pods}}.",

	DownOverduePart:     "{{count .n \"pod that should be gone still exists\" \"pods that should be gone still exist\"}}",
	DownTerminatingPart: "{{count .n \"pod is\" \"pods are\"}} stuck in Terminating",
	DownStatefulPart:    "{{count .n \"pod\" \"pods\"}} of a StatefulSet cannot be replaced until released",
	DownAttachedPart:    "{{count .n \"pod\" \"pods\"}} with a volume can move only some minutes after {{.at}}",
	DownMovesPart:       "{{count .n \"pod still counts\" \"pods still count\"}} as running there until {{.at}}",
	DownForgottenPart:   "{{count .n \"pod\" \"pods\"}} that nothing recreates {{verb .n \"is\" \"are\"}} deleted at {{.at}}",
	DownStaysPart:       "{{count .n \"pod stays\" \"pods stay\"}} there indefinitely",
	DownUntoldPart:      "{{count .n \"pod still counts\" \"pods still count\"}} as running there, without a known end",

	RemedyOutOfService:     "If {{.node}} is certainly off, add the out-of-service taint: its pods are removed and its volumes detached at once.",
	RemedyOutOfServiceCost: "When the node is back, the taint must be removed: {{.untaint}}",
	RemedyOutOfServiceRisk: "If the machine still runs, so do its containers: two pods may then write to one volume. First confirm with the provider that the instance is stopped or terminated.",

	TitleN205: "a pod stuck in Terminating, or a StatefulSet blocked on a dead node",

	StuckTerminating: "{{and .pods}} {{verb .n \"is\" \"are\"}} stuck in Terminating on {{.node}}{{if .blocked}}, and {{and .blocked}} cannot create {{verb .n \"its replacement\" \"their replacements\"}}{{end}}.",
	CauseDeleted:     "{{verb .n \"It was deleted, and its\" \"They were deleted, and their\"}} grace period has passed.",
	StuckFinalizer:   "A finalizer keeps the object: whatever added the finalizer has not removed it.",
	StuckNodeGone:    "{{.node}} no longer exists, so no kubelet can confirm the end. The control plane's garbage collection removes such pods within about a minute.",
	StuckNodeDown:    "A pod's object is removed when the kubelet of its node confirms that the containers have ended, and the kubelet of {{.node}} does not respond. The pods may still be running.",
	StuckKubelet:     "{{.node}} is Ready, but its kubelet has not confirmed that the containers have ended.",

	CauseStatefulBlocked:  "{{and .blocked}} {{verb (len .blocked) \"gives\" \"give\"}} each pod its own name and {{verb (len .blocked) \"creates\" \"create\"}} no second pod of that name while the first exists.",
	CauseVolumeHeld:       "{{and .waits}} {{verb .n \"waits\" \"wait\"}} for the volume that {{.pod}} still counts as using.",
	CauseNobodyBlocked:    "Nothing waits for {{verb .n \"it\" \"them\"}}.",
	DaemonSetWaits:        "Until then, {{.owner}} creates no other pod on {{.node}}.",
	RecreateWaits:         "{{.owner}} creates the pods of its new version only after those of the old version have ended: its strategy is Recreate.",
	JobWaitsToEnd:         "{{.owner}} ends only after its pods have ended.{{if .cron}} Until then, {{.cron}} creates no other Job: its concurrencyPolicy is Forbid.{{end}}",
	JobWaitsToReplace:     "Until then, {{.owner}} creates no other pod: its podReplacementPolicy is Failed.{{if .cron}} {{.cron}} creates no other Job until that one has ended: its concurrencyPolicy is Forbid.{{end}}",
	RemedyForceDelete:     "If {{.node}} is certainly off, delete the object of {{.pod}} by force; its controller then creates a replacement.",
	RemedyForceDeleteCost: "None, if the machine is off. Each pod must be deleted separately.",
	RemedyForceDeleteRisk: "If the machine still runs, two pods of the same name run at once, which a StatefulSet's program does not expect.",

	TitleN202: "failover slower than it needs to be",

	SlowFailover:           "When a node fails, pods of {{and .workloads}} count as running there for about {{.total}}{{if .single}}; {{verb .n \"it has\" \"each has\"}} no other pod and is down that long{{else if .half}}, and one node holds half of them or more{{end}}.",
	CauseSilence:           "A node counts as not Ready once its kubelet has not reported for {{.silence}} (the default since Kubernetes 1.32).",
	CauseDefaultToleration: "Its pods then stay for another {{.wait}}: the API server adds this default to every pod that does not specify its own. On a managed control plane, the default cannot be changed, but each workload can specify its own.",
	CauseHalf:              "{{if .single}}In the meantime, no other pod can do its work.{{else}}In the meantime, the remaining pods carry the whole load.{{end}}",
	NotTied:                "{{verb .n \"Its volumes are not the cause: it has\" \"Their volumes are not the cause: they have\"}} none that only one node at a time can attach, so replacements could start elsewhere at once.",
	RemedyTolerate:         "Make the pods of {{.workload}} leave a failed node after {{.wait}}.",
	RemedyTolerateRisk:     "A node that is disconnected for longer than {{.wait}} and then returns loses its pods, although they kept running.",
	RemedyRolloutCost:      "{{.workload}} is rolled out once.",

	TitleN203: "uneven placement after recovery",

	Lopsided:          "{{.node}} {{if .back}}came back{{else}}was added{{end}} at {{.at}} and has fewer pods than the others: {{.fullest}} holds {{.lost}} of the {{.total}} pods of {{and .workloads}}, and losing it would take down those {{.lost}} at once.",
	CauseUnevenSpread: "The pods are more concentrated than the available nodes require.",
	CauseCameLater:    "{{.node}} {{if .back}}became Ready again{{else}}became Ready{{end}} only after those pods had been placed.",
	CauseNothingMoves: "Kubernetes chooses a node when a pod is created and does not move running pods.",
	NotClosed:         "The node is not the cause: {{.node}} is Ready and not cordoned, and neither its taints nor its labels keep these pods away.",
	RemedyEvict:       "Evict {{.pod}}{{if gt .of 1}} ({{.i}} of {{.of}} that together even out the pods){{end}}; {{.workload}} creates a replacement, which the scheduler places anew.",
	RemedyEvictCost:   "One pod ends and another one starts; its PodDisruptionBudget is respected.",
	RemedyEvictRisk:   "In between, the workload has one pod fewer.",

	TitleN204: "all replicas on one node or in one zone",

	ConcentratedOnNode: "All pods of {{and .workloads}} are on one node, and losing it stops {{verb .n \"it\" \"each of them\"}} completely.",
	ConcentratedInZone: "All pods of {{and .workloads}} are in one zone, and losing it stops {{verb .n \"it\" \"each of them\"}} completely.",
	CauseConcentration: "Several pods are in one place.",
	CauseUnspread:      "The pod template does not request spreading over {{.key}}; without such a request, the scheduler weighs it against other preferences.",
	CauseSpreadIgnored: "The pod template requests spreading over {{.key}}, but that applies only to pods placed since, or was outweighed by other preferences.",
	RemedySpread:       "Request that the pods of {{.workload}} be spread over {{.key}}.",
	RemedySpreadRisk:   "This is a preference (ScheduleAnyway): it keeps no pod Pending, and other preferences can outweigh it.",

	LastNode:         "{{and .workloads}} {{verb .n \"runs\" \"run\"}} on the only {{verb .count \"node\" \"nodes\"}} in {{and .zones}} that can use {{verb .n \"its\" \"their\"}} volumes: without {{and .nodes}}, {{verb .n \"it is\" \"they are\"}} Pending until there is a node there again.",
	CauseVolumesLive: "The volumes of {{and .workloads}} are in {{and .zones}} and can be used only there.",
	CauseOneNode:     "In {{and .zones}}, only {{and .nodes}} can take the pods.",
	CauseMayGo:       "It can go away at any time: through a failure, a scale-in, or a rotation to fewer nodes or other zones. A group counts nodes and does not know which zones hold volumes.",
	CauseGroupStands: "{{.group}} has {{count .n \"node\" \"nodes\"}}.",
	UnknownMinimum:   "The Kubernetes API does not show the minimum size of {{.group}} and the zones that it can use. A minimum of one node for each zone (here {{.zones}}) keeps scale-in and rotation from emptying a zone; only a second node protects against a failure of the node itself.",

	ScarceZone:         "Losing {{.place}} would leave {{count .n \"pod\" \"pods\"}} of {{and .workloads}} Pending{{if .others}}; losing {{count .others \"other zone\" \"other zones\"}} of {{.total}} would leave some Pending, too{{end}}.",
	CauseWouldWait:     "{{count .n \"pod\" \"pods\"}} would be Pending; {{verb .n \"it requests\" \"they request\"}} {{if .room}}{{and .room}}{{else}}nothing{{end}}.",
	CauseNoPlaceholder: "{{if .holders}}{{count .holders \"placeholder pod holds\" \"placeholder pods hold\"}} {{.held}} CPU free, which is too little or in the wrong place.{{else}}Nothing reserves room for such a loss: no pod has a priority below zero.{{end}}",
	RemedyHeadroom:     "Resize {{.group}} to {{.to}}: the fewest nodes with which losing {{.place}} leaves none of these pods Pending.",
	RemedyHeadroomRisk: "The request is refused above the group's maximum, which must then be raised first. An autoscaler removes idle nodes again: reserve the room with placeholder pods, or set the group's minimum size. The group chooses the zones.",
	RootedInZone:       "{{and .workloads}} {{verb .n \"depends\" \"depend\"}} on {{verb .n \"its zone\" \"their zones\"}}: the volumes are in {{and .zones}}, and no node elsewhere can use them.",
	CauseNoCopy:        "More nodes do not help: only a copy of the data in another zone does, through the program's own replication or a StorageClass that spans zones.",
}
