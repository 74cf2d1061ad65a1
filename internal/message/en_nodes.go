package message

var englishNodes = sentences{
	TitleN102: "a group may be left without a node in a zone that holds its volumes",
	TitleN103: "losing a zone would leave pods nowhere to go",

	AndMore:          "{{.n}} more",
	UnknownMachine:   "Whether the machine behind {{.node}} is off, or only cut off with its containers running on, is not in the Kubernetes API. The provider knows (on EC2 the instance's state).",
	CauseNodeSilent:  "Nothing has been heard from the kubelet of {{.node}} for longer than the control plane waits.",
	CauseNodeGone:    "{{.node}} no longer exists.",
	CauseNodeUp:      "{{.node}} is Ready, so nothing is detached by force.",
	UnknownKubelet:   "Why the kubelet of {{.node}} does not end the containers is in its log, not in the Kubernetes API: often a process that hangs in the kernel, or a volume that cannot be unmounted.",
	UnknownNotJudged: "The scheduler could not be asked, so nothing here was simulated.",

	TitleN104: "a VolumeAttachment that is stuck",

	AttachmentStuck:         "{{.attachment}} still ties the volume of {{.claim}} to {{.node}}, which is {{if .gone}}gone{{else if .up}}Ready but does not let go of it{{else}}not answering{{end}}{{if .waiting}}; {{and .waiting}} cannot start before it goes{{end}}. Deleting it does not help.",
	CauseAttached:           "As far as the control plane knows, {{.volume}} is attached to {{.node}}, and one node at a time may have it.",
	CauseStillUsed:          "There, {{and .pods}} still {{verb .n \"counts\" \"count\"}} as using it: until a pod's object is gone, its containers may be writing.",
	CauseAttachmentReturns:  "Deleting {{.attachment}} detaches nothing. The CSI attacher's finalizer keeps the object until its driver has detached the volume, and while the control plane believes the volume attached it writes the object again.",
	CauseForceDetach:        "{{if .up}}It ends when the driver can detach the volume{{else}}It ends by itself: once no pod on {{.node}} uses the volume any more, the volume is detached by force after 6 minutes{{if not .gone}}, or at once if the node bears the out-of-service taint{{end}}{{end}}.",
	NotWaitingForAttachment: "Not what {{and .unplaced}} {{verb (len .unplaced) \"waits\" \"wait\"}} for: a volume is attached once its pod has a node, and there is none yet.",
	UnknownDetachSince:      "When the 6 minutes of an attachment began is in the memory of the controller manager, and so is whether it was started with --disable-force-detach-on-timeout.",

	TitleN201: "a node is down: what waits, and until when",

	NodeDown:          "{{.node}} is down{{if .parts}}: {{and .parts}}{{else}}, and nothing waits for it{{end}}.",
	CauseNodeNotReady: "The kubelet of {{.node}} says that it cannot run pods{{if .why}}: {{.why}}{{else}}.{{end}}",

	DownOverdue:     "Due to be deleted or removed at {{.at}}, and still there: kube-controller-manager, which does that, seems not to be at work: {{and .pods}}.",
	DownTerminating: "Deleted already, and Terminating until the kubelet confirms their end or the Node object goes: {{and .pods}}.",
	DownStateful:    "Deleted at {{.at}}, but their StatefulSet creates no other as long as the old object exists, which only the node's return, its removal or a person ends: {{and .pods}}.",
	DownAttached:    "Deleted at {{.at}}, and others created at once, which cannot start before the volume comes free: the old pod's object must go first, and then up to 6 minutes pass: {{and .pods}}.",
	DownMoves:       "Counted as running on the node until {{.at}}. Then they are deleted, and others created at once: {{and .pods}}.",
	DownForgotten:   "Deleted at {{.at}}, and nothing recreates them: {{and .pods}}.",
	DownStays:       "Counted as running there for ever, because they tolerate the node's state without an end: {{and .pods}}.",
	DownUntold:      "Counted as running there. The node has no taint yet that would drive them away; the control plane delays it when many nodes of a zone fail together: {{and .pods}}.",

	DownOverduePart:     "{{count .n \"pod\" \"pods\"}} that should have gone {{verb .n \"is\" \"are\"}} still there",
	DownTerminatingPart: "{{count .n \"pod hangs\" \"pods hang\"}} in Terminating",
	DownStatefulPart:    "{{count .n \"pod\" \"pods\"}} of a StatefulSet cannot be replaced until released",
	DownAttachedPart:    "{{count .n \"pod\" \"pods\"}} with a volume can move only some minutes after {{.at}}",
	DownMovesPart:       "{{count .n \"pod still counts\" \"pods still count\"}} as running there until {{.at}}",
	DownForgottenPart:   "{{count .n \"pod\" \"pods\"}} that nobody replaces {{verb .n \"is\" \"are\"}} deleted at {{.at}}",
	DownStaysPart:       "{{count .n \"pod stays\" \"pods stay\"}} there for ever",
	DownUntoldPart:      "{{count .n \"pod still counts\" \"pods still count\"}} as running there, with no end in sight",

	RemedyOutOfService:     "If {{.node}} is off for certain, say so with a taint: its pods are removed and its volumes detached at once.",
	RemedyOutOfServiceCost: "When the node is back the taint must be taken off again: {{.untaint}}",
	RemedyOutOfServiceRisk: "If the machine still runs, its containers do too: two pods may then write to one volume. First check with the provider that the instance is stopped or terminated.",

	TitleN205: "a pod stuck in Terminating, or a StatefulSet blocked on a dead node",

	StuckTerminating: "{{and .pods}} {{verb .n \"hangs\" \"hang\"}} in Terminating on {{.node}}{{if .blocked}}, and {{and .blocked}} can create no other{{end}}.",
	CauseDeleted:     "{{verb .n \"It was\" \"They were\"}} deleted, and the time to end has passed.",
	StuckFinalizer:   "A finalizer keeps the object: whoever put it there has not taken it off.",
	StuckNodeGone:    "{{.node}} no longer exists, so no kubelet can confirm the end. The control plane's garbage collection removes such pods within a minute or so.",
	StuckNodeDown:    "A pod's object goes when its node's kubelet confirms that the containers have ended, and the kubelet of {{.node}} is silent. The pods may still be running.",
	StuckKubelet:     "{{.node}} is Ready, but its kubelet has not confirmed that the containers have ended.",

	CauseStatefulBlocked:  "{{and .blocked}} {{verb (len .blocked) \"gives\" \"give\"}} each pod a name of its own and {{verb (len .blocked) \"creates\" \"create\"}} no second one while the first exists.",
	CauseVolumeHeld:       "{{and .waits}} {{verb .n \"waits\" \"wait\"}} for the volume that {{.pod}} still counts as using.",
	CauseNobodyBlocked:    "Nothing waits for {{verb .n \"it\" \"them\"}}.",
	DaemonSetWaits:        "{{.owner}} creates no other pod on {{.node}} before.",
	RecreateWaits:         "{{.owner}} creates the pods of its new version once those of the old one have ended: its strategy is Recreate.",
	JobWaitsToEnd:         "{{.owner}} ends once its pods have ended.{{if .cron}} {{.cron}} creates no other Job before: its concurrencyPolicy is Forbid.{{end}}",
	JobWaitsToReplace:     "{{.owner}} creates no other pod before: its podReplacementPolicy is Failed.{{if .cron}} {{.cron}} creates no other Job until it has ended: its concurrencyPolicy is Forbid.{{end}}",
	RemedyForceDelete:     "If {{.node}} is off for certain, remove the object of {{.pod}}; its controller then creates another.",
	RemedyForceDeleteCost: "None, if the machine is off. Each pod must be deleted by itself.",
	RemedyForceDeleteRisk: "If the machine still runs, two pods of one name run at once, which a StatefulSet's program does not expect.",

	TitleN202: "failover slower than it needs to be",

	SlowFailover:           "When a node dies, pods of {{and .workloads}} stay counted as running there for about {{.total}}{{if .single}}; {{verb .n \"it has\" \"each has\"}} no other pod and is down that long{{else if .half}}, and one node holds half of them or more{{end}}.",
	CauseSilence:           "A node counts as not Ready once its kubelet has been silent for {{.silence}} (the default since Kubernetes 1.32).",
	CauseDefaultToleration: "Then its pods stay for another {{.wait}}: nobody chose that, the API server gives it to every pod that says nothing else. On a managed control plane the default cannot be changed, but each workload may say otherwise.",
	CauseHalf:              "{{if .single}}There is no other pod that could do its work meanwhile.{{else}}While they wait, what is left carries everything.{{end}}",
	NotTied:                "Not their volumes: {{verb .n \"it has\" \"they have\"}} none that one node at a time may attach, so others could start elsewhere at once.",
	RemedyTolerate:         "Let the pods of {{.workload}} leave a dead node after {{.wait}}.",
	RemedyTolerateRisk:     "A node that is cut off for longer than {{.wait}}, and comes back, loses its pods although they ran on.",
	RemedyRolloutCost:      "{{.workload}} is rolled out once.",

	TitleN203: "lopsided after recovery",

	Lopsided:          "{{.node}} {{if .back}}came back{{else}}was added{{end}} at {{.at}} and is emptier than the others: {{.fullest}} holds {{.lost}} of the {{.total}} pods of {{and .workloads}}, and losing it would take those {{.lost}} at once.",
	CauseCrowd:        "The pods crowd, more than the nodes open to them require.",
	CauseCameLater:    "{{.node}} {{if .back}}became Ready again{{else}}became Ready{{end}} only after those pods had been placed.",
	CauseNothingMoves: "Kubernetes chooses a node when a pod is created, and moves no running pod.",
	NotClosed:         "Not the node: {{.node}} is Ready, not cordoned, and neither its taints nor its labels keep these pods off.",
	RemedyEvict:       "Evict {{.pod}}{{if gt .of 1}} ({{.i}} of {{.of}} that together level the pods){{end}}; {{.workload}} creates another, which the scheduler places anew.",
	RemedyEvictCost:   "One pod ends and another starts; its PodDisruptionBudget is kept to.",
	RemedyEvictRisk:   "Between the two, the workload has one pod less.",

	TitleN204: "one node or zone holds every replica",

	BasketNode:         "One node holds every pod of {{and .workloads}}, and losing it stops {{verb .n \"it\" \"each of them\"}} altogether.",
	BasketZone:         "One zone holds every pod of {{and .workloads}}, and losing it stops {{verb .n \"it\" \"each of them\"}} altogether.",
	CauseBasket:        "Several pods, one place.",
	CauseUnspread:      "Nothing in the pod template asks to be spread over {{.key}}; by itself the scheduler weighs that against other preferences.",
	CauseSpreadIgnored: "The pod template asks to be spread over {{.key}}, but that holds only for pods placed since, or gave way to other preferences.",
	RemedySpread:       "Ask for the pods of {{.workload}} to be spread over {{.key}}.",
	RemedySpreadRisk:   "It is a preference (ScheduleAnyway): no pod stays Pending for it, and it can be outweighed again.",

	LastNode:         "{{and .workloads}} {{verb .n \"runs\" \"run\"}} on the only {{verb .count \"node\" \"nodes\"}} in {{and .zones}} that can have {{verb .n \"its\" \"their\"}} volumes: if {{and .nodes}} {{verb .count \"goes\" \"go\"}}, {{verb .n \"it waits\" \"they wait\"}} until there is a node there again.",
	CauseVolumesLive: "The volumes of {{and .workloads}} live in {{and .zones}} and can be used only there.",
	CauseOneNode:     "In {{and .zones}}, only {{and .nodes}} can take the pods.",
	CauseMayGo:       "It may go at any time: a failure, a scale-in, a rotation to fewer nodes or other zones. A group counts nodes and does not know which zones hold volumes.",
	CauseGroupStands: "{{.group}} has {{count .n \"node\" \"nodes\"}}.",
	UnknownMinimum:   "The minimum size of {{.group}} and the zones it may use are not in the Kubernetes API. A minimum of one node for each zone (here {{.zones}}) keeps scale-in and rotation from emptying one; against the node's own end only a second one helps.",

	ScarceZone:         "Losing {{.place}} would leave {{count .n \"pod\" \"pods\"}} of {{and .workloads}} nowhere to go{{if .others}}; {{count .others \"other zone\" \"other zones\"}} of {{.total}} would leave some, too{{end}}.",
	CauseWouldWait:     "{{count .n \"pod\" \"pods\"}} would wait; {{verb .n \"it asks\" \"they ask\"}} for {{if .room}}{{and .room}}{{else}}nothing{{end}}.",
	CauseNoPlaceholder: "{{if .holders}}{{count .holders \"placeholder pod holds\" \"placeholder pods hold\"}} {{.held}} CPU free, which is too little or in the wrong place.{{else}}Nothing holds room free for such a loss: no pod has a priority below zero.{{end}}",
	RemedyHeadroom:     "Size {{.group}} to {{.to}}: the fewest nodes with which the loss of {{.place}} leaves none of these pods waiting.",
	RemedyHeadroomRisk: "It is refused above the group's maximum, which then has to be raised first. An autoscaler takes idle nodes away again: hold the room with placeholder pods, or set the group's minimum. The group chooses the zones.",
	RootedInZone:       "{{and .workloads}} {{verb .n \"depends\" \"depend\"}} on {{verb .n \"its\" \"their\"}} zone: the volumes live in {{and .zones}}, and no node elsewhere can use them.",
	CauseNoCopy:        "No number of nodes helps: only a copy of the data in another zone, by the program's own replication or a storage class that spans zones.",
}
