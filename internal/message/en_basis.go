package message

var englishBasis = sentences{
	KindForbidden:   "{{.kind}} objects cannot be read with these credentials, so naosu cannot fully check for {{.code}} ({{.title}}).",
	KindAbsent:      "{{.kind}} objects were not read, so naosu cannot fully check for {{.code}} ({{.title}}).",
	KindsPartial:    "Only the {{and .kinds}} objects of one namespace are known: those of other namespaces may have problems, too, and nodes may hold more than is counted here.",
	PodNotModelled:  "naosu does not yet explain why a pod that is assigned to a node does not run.",
	OtherScheduler:  "{{.scheduler}} schedules the pod, and its rules may differ from those of kube-scheduler.",
	NoJudge:         "naosu could not apply the scheduler's rules: too little of the cluster is known.",
	OtherVersion:    "The cluster runs {{.server}}; the rules of Kubernetes {{.version}} are applied.",
	UnknownVersion:  "The cluster's version is not known; the rules of Kubernetes {{.version}} are applied.",
	DefaultProfile:  "The scheduler is assumed to run with the default profile of Kubernetes {{.version}}; if it does not, give its configuration with --scheduler-config.",
	RuleNotModelled: "{{.what}} affects where pods run but is not considered.",
	NoAttachLimits:  "The number of volumes that each node can still attach is not known: {{and .kinds}} objects cannot be read.",
	NoNamespaces:    "The namespaces that the pod's affinity applies to are not known: Namespace objects cannot be read.",
	SomePods:        "Only some of the cluster's pods are known: how much of the nodes the other pods use is not known, and no remedy can be verified.",
	JudgeFailed:     "The scheduler's rules could not be applied: {{.why}}.",
}
