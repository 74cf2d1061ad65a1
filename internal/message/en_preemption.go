package message

var englishPreemption = sentences{
	TitleN502: "pods that the next step of a DaemonSet or its vertical autoscaler would preempt",
	TitleN503: "headroom too small for the failure it is meant to cover",

	TitleN501: "a pod was preempted: by whom, and what made it grow",

	PreemptedBy:       "{{and .pods}} {{verb .n \"was\" \"were\"}} preempted{{if .known}} by {{.by}}{{end}}{{if .failed}}, and {{and .failed}} failed because of it{{end}}.",
	CausePreempted:    "The scheduler took {{verb .n \"its place\" \"their places\"}} for a pod of higher priority.",
	CausePriority:     "{{if .pod}}{{.by}} has{{else}}The pods of {{.by}} have{{end}} the higher priority, and on a full node pods of lower priority give way.",
	CauseRollout:      "{{.by}} was changed and rolled out: each of its pods is recreated, and where its node has no room for what it now requests, others must go.",
	CauseScaler:       "{{.scaler}} sets what {{.by}} asks for, and follows the number of nodes or cores: when the cluster grows by a step, so does every one of those pods, on every node.",
	CauseJobFailed:    "{{and .failed}} had no more attempts left.",
	CauseNeedless:     "{{.pod}}, which {{.owner}} has made since, runs on {{.node}} beside {{.by}}: there was room for both. In a rollout the scheduler may hear of the new pod before it hears that the old one has gone (https://github.com/kubernetes/kubernetes/issues/102382).",
	NotBudget:         "Not a drain or an eviction: the scheduler deletes the pods itself and keeps to PodDisruptionBudgets only where it can choose.",
	UnknownPreemptor:  "Who took the place is in an Event that is gone or could not be read; Events last an hour by default.",
	RemedyBalloons:    "Hold {{.cpu}} of CPU free on every node with balloon pods: of the lowest priority, they give way before anything else does.",
	RemedyBalloonCost: "{{.cpu}} of CPU on each of {{count .nodes \"node\" \"nodes\"}}{{if .more}}, and {{count .more \"node\" \"nodes\"}} more while {{and .guests}} {{verb (len .guests) \"runs\" \"run\"}}{{end}}.",
	RemedyBalloonRisk: "On a node that is full already no balloon finds room: let them be there before {{if .n}}{{and .guests}} next {{verb (len .guests) \"runs\" \"run\"}}, with priorityClassName {{.class}} in {{verb (len .guests) \"its template\" \"their templates\"}}{{else}}the batch work begins, and give that work a PriorityClass with preemptionPolicy Never{{end}}, or it will take their place. The same goes for a node that is added while that work waits: it is filled before its balloon comes, so let the group have its size beforehand.",

	ScarceNode: "Losing {{.place}} would leave {{count .n \"pod\" \"pods\"}} of {{and .workloads}} waiting: no other node can take {{verb .n \"it\" \"them\"}}{{if .others}}; so would {{count .others \"other node\" \"other nodes\"}} of {{.total}}{{end}}.",

	NextStep: "{{if .more}}When the cluster grows to {{.nodes}} nodes ({{.more}} more), {{.set}} asks{{else}}{{.set}} is about to ask{{end}} for {{.next}} instead of {{.now}} on every node, " +
		"and {{count .n \"pod\" \"pods\"}} of {{and .workloads}} {{verb .n \"is\" \"are\"}} preempted for it{{if .lost}}; that fails {{verb .n \"its Job\" \"their Jobs\"}}, and {{count .lost \"more pod ends\" \"more pods end\"}} with {{verb .n \"it\" \"them\"}}{{end}}.",
	CauseNextStep:    "{{if .more}}At {{.nodes}} nodes, {{.more}} more than now, that comes to {{.next}}.{{else}}That is {{.next}}, and pods that ask for less still run.{{end}}",
	CauseNoRoom:      "Each pod is recreated where it ran, and these nodes have no room for what it then asks for (in brackets, what is left).",
	RemedyShrink:     "Ask for a little less CPU in {{and .asks}}: then what {{.set}} asks for next fits beside them on every node.",
	RemedyShrinkCost: "Less CPU is guaranteed to those pods when the node is busy.",
	RemedyShrinkRisk: "It holds for this step; the next one may need it again.{{if .jobs}} The template of a Job that exists cannot be changed: the command resizes its running pods in place, which needs kubelets of Kubernetes 1.33 or later; pods it makes after that ask for what the template says, so change what makes the Job too.{{end}}{{if .crons}} A CronJob asks for less from its next run on; pods that run already keep what they have.{{end}}",
	UnknownNewNode:   "The new node is taken to be like those of the largest group; which group grows is the autoscaler's choice.",
}
