package message

var englishPreemption = sentences{
	TitleN502: "pods that the next step of a DaemonSet or its vertical autoscaler would preempt",
	TitleN503: "headroom too small for the failure that it should cover",

	TitleN501: "a preempted pod: which pod preempted it, and why that pod grew",

	PreemptedBy:            "{{and .pods}} {{verb .n \"was\" \"were\"}} preempted{{if .known}} by {{.by}}{{end}}{{if .failed}}, and {{and .failed}} failed because of it{{end}}.",
	CausePreempted:         "The scheduler made room for a pod of higher priority.",
	CausePriority:          "{{if .pod}}{{.by}} has{{else}}The pods of {{.by}} have{{end}} the higher priority, and on a full node, pods of lower priority are preempted.",
	CauseRollout:           "{{.by}} was changed and rolled out: each of its pods is recreated, and where a node has no room for its new requests, other pods are preempted.",
	CauseScaler:            "{{.scaler}} sets the requests of {{.by}} by the number of nodes or cores: when the cluster grows by a step, each of those pods grows, on every node.{{if .nodes}} It has {{count .nodes \"node\" \"nodes\"}} now.{{end}}",
	CauseRecommendation:    "{{.autoscaler}} sets the requests of {{.by}}: each pod that is created requests what it recommends then.",
	CauseJobFailed:         "{{and .failed}} had no retries left.",
	CauseNeedless:          "{{.pod}}, which {{.owner}} has created since, runs on {{.node}} beside {{.by}}: there was room for both. In a rollout, the scheduler may learn of the new pod before it learns that the old one is gone (https://github.com/kubernetes/kubernetes/issues/102382).",
	NotBudget:              "A drain or an eviction is not the cause: the scheduler deletes the pods itself and respects PodDisruptionBudgets only where it has a choice.",
	UnknownPreemptor:       "The Event that names the preempting pod is gone or could not be read; Events are kept for one hour by default.",
	RemedyPlaceholders:     "Keep {{.cpu}} of CPU free on every node with placeholder pods: they have the lowest priority and are preempted before any other pod.",
	RemedyPlaceholdersCost: "{{.cpu}} of CPU on each of {{count .nodes \"node\" \"nodes\"}}{{if .more}}, and {{count .more \"node\" \"nodes\"}} more while {{and .guests}} {{verb (len .guests) \"runs\" \"run\"}}{{end}}.",
	RemedyPlaceholdersRisk: "A placeholder pod finds no room on a node that is already full: create them before {{if gt .n 0}}{{and .guests}} next {{verb (len .guests) \"runs\" \"run\"}}, with priorityClassName {{.class}} in {{verb (len .guests) \"its template\" \"their templates\"}}{{else}}the batch work begins, and give that work a PriorityClass with preemptionPolicy Never{{end}}; otherwise that work takes their place. The same applies to a node that is added while that work waits: it is filled before its placeholder pod is created, so resize the group beforehand.",

	ScarceNode: "Losing {{.place}} would leave {{count .n \"pod\" \"pods\"}} of {{and .workloads}} Pending: no other node can take {{verb .n \"it\" \"them\"}}{{if .others}}; the same applies to {{count .others \"other node\" \"other nodes\"}} of {{.total}}{{end}}.",

	NextStep: "{{if .more}}When the cluster grows to {{.nodes}} nodes ({{.more}} more), {{.set}} requests{{else}}{{.set}} is about to request{{end}} {{.next}} instead of {{.now}} on every node, " +
		"and {{count .n \"pod\" \"pods\"}} of {{and .workloads}} {{verb .n \"is\" \"are\"}} preempted for it{{if .lost}}; this fails {{verb .n \"its Job\" \"their Jobs\"}}, and {{count .lost \"more pod ends\" \"more pods end\"}} with {{verb .n \"it\" \"them\"}}{{end}}.",
	CauseNextStep:    "{{if .more}}At {{.nodes}} nodes, {{.more}} more than now, that is {{.next}}.{{else}}That is {{.next}}, and pods that request less still run.{{end}}",
	CauseNoRoom:      "Each pod is recreated where it ran, and these nodes lack room for its new requests (what is left is in parentheses).",
	RemedyShrink:     "Request slightly less CPU in {{and .asks}}: the next requests of {{.set}} then fit beside them on every node.",
	RemedyShrinkCost: "Less CPU is guaranteed to those pods when the node is busy.",
	RemedyShrinkRisk: "This is enough for this step; the next one may need it again.{{if .jobs}} The template of an existing Job cannot be changed: the command resizes its running pods in place, which requires kubelets of Kubernetes 1.33 or later. Pods that the Job creates later request what the template says, so change what creates the Job, too.{{end}}{{if .crons}} A CronJob requests less from its next run on; pods that already run do not change.{{end}}",
	UnknownNewNode:   "The new node is assumed to be like those of the largest group; the autoscaler chooses which group grows.",
}
