package message

var englishPreemption = sentences{
	TitleN502: "pods that the next step of a DaemonSet or its vertical autoscaler would preempt",
	TitleN503: "headroom too small for the failure it is meant to cover",

	TitleN501: "a pod was preempted: by whom, and what made it grow",

	PreemptedBy:       "{{and .pods}} {{verb .n \"was\" \"were\"}} preempted{{if .known}} by {{.by}}{{end}}{{if .failed}}, and {{and .failed}} failed for it{{end}}.",
	CausePreempted:    "The scheduler took {{verb .n \"its place\" \"their places\"}} for a pod of higher priority.",
	CausePriority:     "The pods of {{.by}} have the higher priority, and on a full node whatever has less gives way.",
	CauseRollout:      "{{.by}} was changed and rolled out anew: each of its pods is made again, and where the node has no room for what it asks now, others must go.",
	CauseScaler:       "{{.scaler}} sets what {{.by}} asks for, and follows the number of nodes or cores: when the cluster grows by a step, so does every one of those pods, on every node.",
	CauseJobFailed:    "{{and .failed}} had no more attempts left.",
	NotBudget:         "Not a drain or an eviction: the scheduler deletes the pods itself and keeps to PodDisruptionBudgets only where it can choose.",
	UnknownPreemptor:  "Who took the place is in an Event that is gone or could not be read; Events last an hour by default.",
	RemedyBalloons:    "Hold {{.cpu}} free on every node with balloon pods: of the lowest priority, they give way before anything else does.",
	RemedyBalloonCost: "{{.cpu}} on each of {{count .nodes \"node\" \"nodes\"}}.",
	RemedyBalloonRisk: "On a node that is full already no balloon finds room: let them be there before the night's work begins, and give that work a PriorityClass with preemptionPolicy Never, or it will take their place.",

	ScarceNode: "Losing {{.place}} would leave {{count .n \"pod\" \"pods\"}} of {{and .workloads}} waiting: the other nodes have no room{{if .others}}; so would {{count .others \"other node\" \"other nodes\"}} of {{.total}}{{end}}.",
}
