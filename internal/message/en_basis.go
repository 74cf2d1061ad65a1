package message

var englishBasis = sentences{
	KindForbidden:   "{{.kind}} objects cannot be read with these credentials, which bears on {{.code}} ({{.title}}).",
	KindAbsent:      "{{.kind}} objects were not read, which bears on {{.code}} ({{.title}}).",
	FitNotModelled:  "Resources, affinity between pods, topology spread, ports and attach limits are not judged: whether they too keep the pod off a node is open.",
	PodNotModelled:  "Why a pod that has its node does not run is not explained yet.",
	OtherScheduler:  "The pod is placed by {{.scheduler}}, whose rules may differ from those of kube-scheduler.",
	ClaimUnbound:    "{{.claim}} has no volume yet; why not is not explained yet.",
	VolumeElsewhere: "{{.claim}} is bound to {{.volume}}, which is tied to nodes in another way than by zone; that is not explained yet.",
	NodesOpen:       "{{.claim}} binds the pod to {{or .zones}}, where {{and .nodes}} {{verb (len .nodes) \"looks\" \"look\"}} open to it: whether it fits there only the scheduler can say, and naosu does not ask it yet.",
}
