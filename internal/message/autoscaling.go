package message

// Autoscaling: what cluster-autoscaler and Karpenter say of pods, nodes and their own objects.
const (
	AutoscalerUnnamed   ID = "AutoscalerUnnamed"   //
	ScaleUpAsked        ID = "ScaleUpAsked"        // source, groups, says, age, overdue, came, karpenter
	ScaledGroup         ID = "ScaledGroup"         // group, from, to, max
	ScaleUpFailed       ID = "ScaleUpFailed"       // source, zones, why, quota
	ScaleUpOverLimit    ID = "ScaleUpOverLimit"    // source, pool
	ScaleUpKarpenter    ID = "ScaleUpKarpenter"    // source, says
	ScaleReason         ID = "ScaleReason"         // n, says
	ScaleReasonBackoff  ID = "ScaleReasonBackoff"  // n
	ScaleReasonNotReady ID = "ScaleReasonNotReady" // n
	ScaleReasonWhole    ID = "ScaleReasonWhole"    // says

	NodeBlocked          ID = "NodeBlocked"          // source, why, age, node
	NodeUnconsolidatable ID = "NodeUnconsolidatable" // source, why, age, node
	NodeAnnotated        ID = "NodeAnnotated"        // source, annotation, node
	NodeKeptByPods       ID = "NodeKeptByPods"       // source, annotation, pods, n, node
	NodeBudget           ID = "NodeBudget"           // budget, namespace, allowed, healthy, desired, pods, n

	AutoscalerSays          ID = "AutoscalerSays"          // source, says
	PoolReady               ID = "PoolReady"               // pool, nodes
	PoolNotReady            ID = "PoolNotReady"            // pool, condition, why
	PoolAtLimit             ID = "PoolAtLimit"             // pool, nodes, resources
	PoolNoCapacity          ID = "PoolNoCapacity"          // source, claim, says, age
	NodeClaimReady          ID = "NodeClaimReady"          // claim, node
	NodeClaimLeaving        ID = "NodeClaimLeaving"        // claim
	NodeClaimNotLaunched    ID = "NodeClaimNotLaunched"    // claim, why, age, minutes
	NodeClaimNotRegistered  ID = "NodeClaimNotRegistered"  // claim, why, age, minutes
	NodeClaimNotInitialized ID = "NodeClaimNotInitialized" // claim, node, named, why, age

	WorkloadFinished ID = "WorkloadFinished" // workload
	WorkloadInactive ID = "WorkloadInactive" // workload, why
	WorkloadAdmitted ID = "WorkloadAdmitted" // workload
	WorkloadReserved ID = "WorkloadReserved" // workload, age
	WorkloadUnqueued ID = "WorkloadUnqueued" // workload
	WorkloadPending  ID = "WorkloadPending"  // workload, queue, why, age
	WorkloadMissing  ID = "WorkloadMissing"  // queue

	LocalQueueMissing   ID = "LocalQueueMissing"   // queue
	ClusterQueueMissing ID = "ClusterQueueMissing" // queue, local
	QueueStopped        ID = "QueueStopped"        // queue, policy, why
	RemedyKueueQuota    ID = "RemedyKueueQuota"    // workload, never
	QueueHas            ID = "QueueHas"            // queue, resource, flavor, nominal, used, borrowed, cohort, limit

	DeviceClaimMissing ID = "DeviceClaimMissing" // pod, missing, claim, namespace, others, owned
	RemedyDeviceClaim  ID = "RemedyDeviceClaim"  // missing, namespace, others, owned
	DeviceClassMissing ID = "DeviceClassMissing" // pod, missing, request, claim
	RemedyDeviceClass  ID = "RemedyDeviceClass"  // missing, in, template, others

	CrashesFormat  ID = "CrashesFormat"  // container, n, platform, node
	ExitFormat     ID = "ExitFormat"     // container, node, platform, others
	RemedyArch     ID = "RemedyArch"     // object, arch, nodes
	RemedyArchRisk ID = "RemedyArchRisk" // image, arch, runs, daemon
	AttachedThere  ID = "AttachedThere"  // node, driver, n, most, type, shared, left
	RemedyAttached ID = "RemedyAttached" // driver, node

	TitleN611 ID = "TitleN611"
	TitleN612 ID = "TitleN612"
	TitleN613 ID = "TitleN613"

	RemedyCloudQuota     ID = "RemedyCloudQuota"     // region
	RemedyCloudQuotaCost ID = "RemedyCloudQuotaCost" //
	RemedyCloudQuotaRisk ID = "RemedyCloudQuotaRisk" //

	PoolLimit           ID = "PoolLimit"           // pool, resource, most, has, next, reached, over
	PoolLimitStep       ID = "PoolLimitStep"       // resource, from, to
	RemedyPoolLimit     ID = "RemedyPoolLimit"     // pool, limits
	RemedyPoolLimitCost ID = "RemedyPoolLimitCost" //
	RemedyPoolLimitRisk ID = "RemedyPoolLimitRisk" //
)
