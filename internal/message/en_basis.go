package message

var englishBasis = sentences{
	KindForbidden:   "{{.kind}} objects cannot be read with these credentials, so {{.code}} ({{.title}}) cannot be fully judged.",
	KindAbsent:      "{{.kind}} objects are not in what was read, so {{.code}} ({{.title}}) cannot be fully judged.",
	KindsPartial:    "Only one namespace's {{and .kinds}} objects are known: those of others may be in trouble too, and nodes may hold more than is counted here.",
	PodNotModelled:  "Why a pod that has its node does not run is not explained yet.",
	OtherScheduler:  "The pod is placed by {{.scheduler}}, whose rules may differ from those of kube-scheduler.",
	NoJudge:         "The scheduler could not be asked: too little of the cluster is known.",
	OtherVersion:    "The cluster runs {{.server}}; the rules of Kubernetes {{.version}} are applied.",
	UnknownVersion:  "The cluster's version is not known; the rules of Kubernetes {{.version}} are applied.",
	DefaultProfile:  "The scheduler is assumed to run with the default profile of Kubernetes {{.version}}; give its configuration with --scheduler-config if it does not.",
	RuleNotModelled: "{{.what}} affects where pods run and is not modelled.",
	NoAttachLimits:  "How many volumes each node may still attach is not known: {{and .kinds}} objects cannot be read.",
	NoNamespaces:    "Which namespaces the pod's affinity is about is not known: Namespace objects cannot be read.",
	SomePods:        "Only some of the cluster's pods are known: what others take of the nodes is not, and no remedy can be verified.",
	JudgeFailed:     "The scheduler's rules could not be applied: {{.why}}.",
}
