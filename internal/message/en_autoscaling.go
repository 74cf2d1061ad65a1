package message

var englishAutoscaling = sentences{
	AutoscalerUnnamed:   "the autoscaler",
	ScaleUpAsked:        "According to {{.source}}, a node was requested{{if .age}} {{.age}} ago{{end}}: {{if .groups}}{{and .groups}}{{else}}{{.says}}{{end}}.{{if .came}} Since then {{and .came}} {{verb (len .came) \"has\" \"have\"}} joined, but the pod still has no node.{{else if .overdue}} It is overdue: by default, autoscalers give up on a node after 15 minutes. The reason is in {{if .karpenter}}its NodeClaim{{else}}the autoscaler's log and in its events about the ConfigMap cluster-autoscaler-status in kube-system{{end}}.{{end}}",
	ScaledGroup:         "{{.group}} from {{.from}} to {{.to}} (its maximum is {{.max}})",
	ScaleUpFailed:       "According to {{.source}}, the cloud did not provide a node{{if .zones}} in {{or .zones}}{{end}}: {{.why}}.{{if .quota}} A larger group does not help until the quota is raised or resources that count against it are freed.{{end}}",
	ScaleUpOverLimit:    "According to {{.source}}, {{.pool}} has reached its limits: every instance type that it can use would exceed them.",
	ScaleUpKarpenter:    "According to {{.source}}, no node can be added: {{.says}}.",
	ScaleReason:         "{{count .n \"node group\" \"node groups\"}}: {{.says}}",
	ScaleReasonBackoff:  "{{count .n \"node group is\" \"node groups are\"}} in backoff after a failed scale-up",
	ScaleReasonNotReady: "{{count .n \"node group is\" \"node groups are\"}} not ready for scale-up",
	ScaleReasonWhole:    "{{.says}}",

	NodeBlocked:          "{{.source}} reported{{if .age}} {{.age}} ago{{end}} that it cannot remove or replace {{.node}}: {{.why}}.",
	NodeUnconsolidatable: "{{.source}} reported{{if .age}} {{.age}} ago{{end}} that it cannot consolidate {{.node}}: {{.why}}.",
	NodeAnnotated:        "{{.source}} does not remove {{.node}} while it has the annotation {{.annotation}}.",
	NodeKeptByPods:       "{{.source}} does not drain {{.node}} while {{and .pods}} {{verb .n \"runs\" \"run\"}} there with the annotation {{.annotation}}.",
	NodeBudget:           "{{.budget}} in {{.namespace}} allows {{if .allowed}}{{count .allowed \"eviction\" \"evictions\"}} now{{else}}no eviction now: {{.healthy}} of its pods {{verb .healthy \"is\" \"are\"}} healthy, and {{.desired}} {{verb .desired \"is\" \"are\"}} required{{end}}.{{if gt .n 0}} Not ready: {{and .pods}}.{{end}}",

	AutoscalerSays:          "According to {{.source}}: {{.says}}.",
	PoolReady:               "{{.pool}} is ready and has {{count .nodes \"node\" \"nodes\"}}.",
	PoolNotReady:            "{{.pool}} does not add nodes: {{.condition}} is False: {{.why}}.",
	PoolAtLimit:             "{{.pool}} has reached its {{verb (len .resources) \"limit\" \"limits\"}} of {{and .resources}}: Karpenter adds no more nodes to it.",
	PoolNoCapacity:          "According to {{.source}}, the cloud had no machine for {{.claim}}{{if .age}} {{.age}} ago{{end}}: {{.says}}.",
	NodeClaimReady:          "{{.claim}} has become {{.node}}, which is initialized.",
	NodeClaimLeaving:        "{{.claim}} is being deleted.",
	NodeClaimNotLaunched:    "{{.claim}} has no machine{{if .age}} after {{.age}}{{end}}{{if .why}}: {{.why}}{{end}}. Karpenter deletes it after {{.minutes}} minutes without a machine and tries again.",
	NodeClaimNotRegistered:  "The machine of {{.claim}} has not become a node{{if .age}} after {{.age}}{{end}}{{if .why}}: {{.why}}{{end}}. Karpenter deletes it after {{.minutes}} minutes; the machine's own log shows why its kubelet does not register.",
	NodeClaimNotInitialized: "{{if .named}}{{.node}}, which {{.claim}} has become,{{else}}The node of {{.claim}}{{end}} is not initialized{{if .age}} after {{.age}}{{end}}{{if .why}}: {{.why}}{{end}}. Until it is initialized, Karpenter neither relies on it nor removes it.",

	WorkloadFinished: "{{.workload}} has finished.",
	WorkloadInactive: "Kueue does not queue {{.workload}} (spec.active is false){{if .why}}: {{.why}}{{end}}.",
	WorkloadAdmitted: "Kueue has admitted {{.workload}}.",
	WorkloadReserved: "Kueue reserved quota for {{.workload}}{{if .age}} {{.age}} ago{{end}} and waits for its admission checks.",
	WorkloadUnqueued: "{{.workload}} names no LocalQueue, so Kueue never admits it.",
	WorkloadPending:  "Kueue has not admitted {{.workload}}{{if .queue}} (LocalQueue {{.queue}}){{end}}{{if .why}}: {{.why}}{{end}}.",
	WorkloadMissing:  "Kueue has no Workload for it{{if .queue}}, although it names the LocalQueue {{.queue}}{{end}}: Kueue may not be running, or may not manage such objects.",

	LocalQueueMissing:   "{{.queue}} in namespace {{.queue.Namespace}} does not exist.",
	ClusterQueueMissing: "{{.queue}}, which {{.local}} refers to, does not exist.",
	QueueStopped:        "{{.queue}} admits nothing: {{if .policy}}its stopPolicy is {{.policy}}{{else}}{{.why}}{{end}}.",
	RemedyKueueQuota:    "{{if .never}}Make {{.workload}} request less, or raise the quota: Kueue never admits more than the maximum capacity{{else}}Raise the quota, or wait until other Workloads of the queue have finished{{end}}",
	QueueHas:            "{{.queue}} has a nominal quota of {{.nominal}} {{.resource}} in the flavor {{.flavor}}, and {{.used}} reserved{{if .borrowed}} ({{.borrowed}} borrowed){{end}}; {{if not .cohort}}it cannot borrow, because it belongs to no cohort{{else if .limit}}it can borrow up to {{.limit}} that other queues of the cohort {{.cohort}} do not use{{else}}it can borrow what other queues of the cohort {{.cohort}} do not use{{end}}.",

	DeviceClaimMissing: "{{.pod}} is Pending because {{.missing}}, which it names for its claim {{.claim}}, does not exist in {{.namespace}}: until it exists, the scheduler does not consider the pod.",
	RemedyDeviceClaim:  "Create {{.missing}} in {{.namespace}}, or correct the name in {{if .owned}}the template that creates the pod{{else}}the pod, which must then be recreated{{end}}{{if .others}} (existing: {{and .others}}){{end}}",

	CrashesFormat:  "{{.subject}} keeps restarting: container {{.container}} has been restarted {{count .n \"time\" \"times\"}}, because {{.node}}{{if .platform}} ({{.platform}}){{end}} cannot run its program (exec format error).",
	ExitFormat:     "An exec format error means that the program is built for an architecture other than {{if .platform}}{{.platform}}{{else}}the node's{{end}}, or is a script whose first line names no interpreter.",
	RemedyArch:     "Run the pods of {{.object}} only on {{.arch}} nodes, such as {{and .nodes}}, with the nodeSelector kubernetes.io/arch.",
	RemedyArchRisk: "{{if .runs}}The image runs on {{.arch}} nodes.{{else}}The Kubernetes API does not show whether {{.image}} is built for {{.arch}}: check its manifest first.{{end}}{{if .daemon}} The other nodes then do not run this pod.{{end}}",
	AttachedThere:  "{{.node}}{{if .type}}, of type {{.type}},{{end}} has {{count .n \"volume\" \"volumes\"}} of {{.driver}} attached; its CSINode allows {{.most}}.{{if .shared}} On most Nitro instance types, EC2 attaches at most {{.shared}} volumes and network interfaces together: if this is one of them, {{count .left \"attachment is\" \"attachments are\"}} left for network interfaces, and the limit that the driver reports is too high.{{end}}",
	RemedyAttached: "Use a newer version of {{.driver}}, or its option --reserved-volume-attachments or --volume-attach-limit, so that the scheduler chooses another node in time; until then, cordon {{.node}} and delete the pod, if another node can take it",

	TitleN611: "a Karpenter NodePool at its limit or not ready",
	TitleN612: "a Karpenter NodeClaim that does not become a node",
	TitleN613: "a Kueue Workload that is not admitted",

	RemedyCloudQuota:     "Find out which quota{{if .region}} in {{.region}}{{end}} is used up; then ask the cloud provider to raise it, or free resources that count against it.",
	RemedyCloudQuotaCost: "None: the command only reads.",
	RemedyCloudQuotaRisk: "The cloud provider may take days to raise a quota, or may refuse.",

	PoolLimit:           "{{.pool}} is limited to {{.most}} {{.resource}} (spec.limits) and has {{.has}}{{if .reached}}{{else if .over}}; one more node like its largest would bring it to {{.next}}{{end}}.",
	PoolLimitStep:       "{{.resource}} from {{.from}} to {{.to}}",
	RemedyPoolLimit:     "Raise the limits of {{.pool}}{{if .limits}}: {{and .limits}}. Karpenter can then add another node like its largest{{end}}.",
	RemedyPoolLimitCost: "The nodes that Karpenter then adds, while they are needed.",
	RemedyPoolLimitRisk: "The limits bound the cost: the NodePool can then grow up to them for other pods, too.",
}
