package message

var englishAutoscaling = sentences{
	AutoscalerUnnamed:   "the autoscaler",
	ScaleUpAsked:        "According to {{.source}}, a node {{if .came}}was{{else}}is{{end}} on its way{{if .age}}, asked for {{.age}} ago{{end}}: {{if .groups}}{{and .groups}}{{else}}{{.says}}{{end}}.{{if .came}} Since then {{and .came}} {{verb (len .came) \"has\" \"have\"}} come, without helping the pod.{{else if .overdue}} It is overdue: autoscalers give a node up after 15 minutes by default. Why it does not come is in {{if .karpenter}}its NodeClaim{{else}}the autoscaler's log and in its events about the ConfigMap cluster-autoscaler-status in kube-system{{end}}.{{end}}",
	ScaledGroup:         "{{.group}} from {{.from}} to {{.to}} (its maximum is {{.max}})",
	ScaleUpFailed:       "According to {{.source}}, the cloud did not give a node{{if .zones}} in {{or .zones}}{{end}}: {{.why}}.{{if .quota}} A larger group gets none either until the quota is raised or something that counts against it is freed.{{end}}",
	ScaleUpOverLimit:    "According to {{.source}}, {{.pool}} has reached its limits: every instance type that it may use would exceed them.",
	ScaleUpKarpenter:    "According to {{.source}}, no node can be added: {{.says}}.",
	ScaleReason:         "{{count .n \"node group\" \"node groups\"}}: {{.says}}",
	ScaleReasonBackoff:  "{{count .n \"node group is\" \"node groups are\"}} left alone for a while after a scale-up that failed",
	ScaleReasonNotReady: "{{count .n \"node group is\" \"node groups are\"}} not ready for scale-up",
	ScaleReasonWhole:    "{{.says}}",

	NodeBlocked:          "According to {{.source}}{{if .age}}, {{.age}} ago{{end}}, it cannot remove or replace {{.node}}: {{.why}}.",
	NodeUnconsolidatable: "According to {{.source}}{{if .age}}, {{.age}} ago{{end}}, it cannot consolidate {{.node}}: {{.why}}.",
	NodeAnnotated:        "{{.source}} leaves {{.node}} alone as long as it has the annotation {{.annotation}}.",
	NodeKeptByPods:       "{{.source}} does not drain {{.node}} as long as {{and .pods}} {{verb .n \"runs\" \"run\"}} there with the annotation {{.annotation}}.",
	NodeBudget:           "{{.budget}} in {{.namespace}} allows {{if .allowed}}{{count .allowed \"eviction\" \"evictions\"}} now{{else}}no eviction now: {{.healthy}} of its pods {{verb .healthy \"is\" \"are\"}} healthy, and {{.desired}} must be{{end}}.{{if .n}} Not ready: {{and .pods}}.{{end}}",

	AutoscalerSays:          "According to {{.source}}: {{.says}}.",
	PoolReady:               "{{.pool}} is ready and has {{count .nodes \"node\" \"nodes\"}}.",
	PoolNotReady:            "{{.pool}} adds no nodes: {{.condition}} is False: {{.why}}.",
	PoolAtLimit:             "{{.pool}} has reached its {{verb (len .resources) \"limit\" \"limits\"}} of {{and .resources}}: Karpenter adds no more nodes of it.",
	PoolNoCapacity:          "According to {{.source}}, the cloud had no machine for {{.claim}}{{if .age}} {{.age}} ago{{end}}: {{.says}}.",
	NodeClaimReady:          "{{.claim}} has become {{.node}}, which is initialized.",
	NodeClaimLeaving:        "{{.claim}} is being removed.",
	NodeClaimNotLaunched:    "{{.claim}} has no machine{{if .age}} after {{.age}}{{end}}{{if .why}}: {{.why}}{{end}}. Karpenter deletes it after {{.minutes}} minutes without one and tries again.",
	NodeClaimNotRegistered:  "The machine of {{.claim}} has not become a node{{if .age}} after {{.age}}{{end}}{{if .why}}: {{.why}}{{end}}. Karpenter deletes it after {{.minutes}} minutes; why its kubelet does not register is in the machine's own log.",
	NodeClaimNotInitialized: "{{if .named}}{{.node}}, which {{.claim}} has become,{{else}}The node of {{.claim}}{{end}} is not initialized{{if .age}} after {{.age}}{{end}}{{if .why}}: {{.why}}{{end}}. Until it is, Karpenter does not count on it, nor remove it.",

	WorkloadFinished: "{{.workload}} has finished.",
	WorkloadInactive: "{{.workload}} is out of Kueue's queue (spec.active is false){{if .why}}: {{.why}}{{end}}.",
	WorkloadAdmitted: "Kueue has admitted {{.workload}}.",
	WorkloadReserved: "Kueue has reserved quota for {{.workload}}{{if .age}} {{.age}} ago{{end}}, and waits for its admission checks.",
	WorkloadUnqueued: "{{.workload}} names no LocalQueue, so that Kueue never admits it.",
	WorkloadPending:  "Kueue has not admitted {{.workload}}{{if .queue}} (LocalQueue {{.queue}}){{end}}{{if .why}}: {{.why}}{{end}}.",
	WorkloadMissing:  "Kueue has no Workload for it{{if .queue}}, though it names the LocalQueue {{.queue}}{{end}}: Kueue may not be running, or does not manage such objects.",

	LocalQueueMissing:   "{{.queue}} of namespace {{.queue.Namespace}} does not exist.",
	ClusterQueueMissing: "{{.queue}}, which {{.local}} leads to, does not exist.",
	QueueStopped:        "{{.queue}} admits nothing: {{if .policy}}its stopPolicy is {{.policy}}{{else}}{{.why}}{{end}}.",
	QueueHas:            "{{.queue}} has {{.nominal}} {{.resource}} of the flavor {{.flavor}}, and {{.used}} reserved{{if .borrowed}}, {{.borrowed}} of them borrowed{{end}}; {{if not .cohort}}it is in no cohort to borrow from{{else if .limit}}it may borrow {{.limit}} that the others of the cohort {{.cohort}} do not use{{else}}what the others of the cohort {{.cohort}} do not use it may borrow{{end}}.",

	DeviceClaimMissing: "{{.pod}} is Pending because {{.missing}}, which it names for its claim {{.claim}}, does not exist in {{.namespace}}: the scheduler does not look at it before.",
	DeviceClaimWay:     "Create {{.missing}} in {{.namespace}}, or correct the name in {{if .owned}}the template of what made the pod{{else}}the pod, which must be made again for that{{end}}{{if .others}} (there {{verb (len .others) \"is\" \"are\"}} {{and .others}}){{end}}.",

	CrashesFormat:  "{{.subject}} does not stay up: container {{.container}} has been restarted {{count .n \"time\" \"times\"}}: its program is not one that {{.node}}{{if .platform}}, which is {{.platform}},{{end}} can run (exec format error).",
	ExitFormat:     "An exec format error means that the program is built for another architecture than {{if .platform}}{{.platform}}{{else}}the node's{{end}}, or is a script whose first line names no interpreter.{{if .others}} Other nodes are {{and .others}}.{{end}} Push a multi-platform image, or keep the pods on nodes that it is built for.",
	RemedyArch:     "Keep the pods of {{.object}} on {{.arch}} nodes, such as {{and .nodes}}, with the nodeSelector kubernetes.io/arch.",
	RemedyArchRisk: "{{if .runs}}The image runs on {{.arch}} nodes.{{else}}Whether {{.image}} is built for {{.arch}} is not in the Kubernetes API: look at its manifest first.{{end}}{{if .daemon}} The other nodes are then without its pod.{{end}}",
	AttachedThere:  "{{.node}}{{if .type}}, of type {{.type}},{{end}} has {{count .n \"volume\" \"volumes\"}} of {{.driver}} attached, and by its CSINode it takes {{.most}}.{{if .shared}} EC2 attaches at most {{.shared}} volumes and network interfaces together to most instance types on Nitro: if this is one, {{count .left \"attachment is\" \"attachments are\"}} left for its interfaces, and the driver announces too many. A newer driver, or its option --reserved-volume-attachments or --volume-attach-limit, makes the scheduler look elsewhere in time.{{end}}",

	TitleN611: "a Karpenter NodePool at its limit or not ready",
	TitleN612: "a Karpenter NodeClaim that does not become a node",
	TitleN613: "a Kueue Workload that is not admitted",

	RemedyCloudQuota:     "See which quota{{if .region}} of {{.region}}{{end}} is used up; then ask the cloud to raise it, or free what counts against it.",
	RemedyCloudQuotaCost: "None: the command only reads.",
	RemedyCloudQuotaRisk: "The cloud may take days to raise a quota, or refuse.",

	PoolLimit:           "{{.pool}} may have {{.most}} {{.resource}} (spec.limits) and has {{.has}}{{if .reached}}{{else if .over}}; one more node like its largest would make {{.next}}{{end}}.",
	PoolLimitStep:       "{{.resource}} from {{.from}} to {{.to}}",
	RemedyPoolLimit:     "Raise the limits of {{.pool}}{{if .limits}}: {{and .limits}}. Karpenter then has room for a node like the largest it has{{end}}.",
	RemedyPoolLimitCost: "The nodes that Karpenter then adds, for as long as they are needed.",
	RemedyPoolLimitRisk: "The limits are there to bound the bill: the NodePool may then grow to them for other pods, too.",
}
