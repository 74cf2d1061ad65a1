package message

// Why things other than a pending pod are as they are.
const (
	// What a status does not rest on, and what it leaves open.
	WouldTellForbidden ID = "WouldTellForbidden" // kinds
	WouldTellAbsent    ID = "WouldTellAbsent"    // kinds
	StatusUntold       ID = "StatusUntold"       // subject
	LogTells           ID = "LogTells"           // container, command
	LogTellsProbe      ID = "LogTellsProbe"      // container, command

	// Pods that have no node and are not the scheduler's.
	GateWaits       ID = "GateWaits"       // gate
	SchedulerServes ID = "SchedulerServes" // placed, scheduler, asking

	// Pods whose node does not answer.
	OnNodeGone        ID = "OnNodeGone"        // subject, node
	OnNodeDown        ID = "OnNodeDown"        // subject, node, age
	NodeNotReadySince ID = "NodeNotReadySince" // node, age

	// Pods that have their node and do not start.
	KubeletSays          ID = "KubeletSays"          //
	KubeletSilent        ID = "KubeletSilent"        // node
	InitRuns             ID = "InitRuns"             // subject, container, n, of, age
	InitFirst            ID = "InitFirst"            // container
	ContainerRefused     ID = "ContainerRefused"     // subject, container, reason, why
	ContainerRefusedLink ID = "ContainerRefusedLink" // node, container
	RootForbidden        ID = "RootForbidden"        // subject, container, user
	RootForbiddenLink    ID = "RootForbiddenLink"    //
	RemedyRunAsUser      ID = "RemedyRunAsUser"      // container, object, user
	ProgramMissing       ID = "ProgramMissing"       // subject, container, program
	ProgramNamed         ID = "ProgramNamed"         // field, program
	ProgramHidden        ID = "ProgramHidden"        // volume, path
	RemedyProgram        ID = "RemedyProgram"        // container, object, program
	ProgramForbidden     ID = "ProgramForbidden"     // subject, container, program
	ProgramForbiddenLink ID = "ProgramForbiddenLink" // program
	RemedyExecutable     ID = "RemedyExecutable"     // volume, object, program, container
	NameReserved         ID = "NameReserved"         // subject, container, node
	NameReservedLink     ID = "NameReservedLink"     //
	RemedyRuntime        ID = "RemedyRuntime"        // node
	HookFails            ID = "HookFails"            // subject, container, why
	HookStops            ID = "HookStops"            // hook
	SourceMissing        ID = "SourceMissing"        // container, kind, name, namespace
	SourceKeyMissing     ID = "SourceKeyMissing"     // container, kind, name, namespace, key
	MountSourceMissing   ID = "MountSourceMissing"   // kind, name, namespace, key
	RemedyCreate         ID = "RemedyCreate"         // object, namespace
	RemedySetKey         ID = "RemedySetKey"         // object, key, namespace
	RemedyCreateCost     ID = "RemedyCreateCost"     //
	RemedyCreateRisk     ID = "RemedyCreateRisk"     // object
	RemedyAccountRisk    ID = "RemedyAccountRisk"    // object
	AccountThere         ID = "AccountThere"         // account

	ImageFailed      ID = "ImageFailed"      // subject, node, image, container
	ImageUnknown     ID = "ImageUnknown"     // subject, image, container
	ImageRefused     ID = "ImageRefused"     // subject, image, container, secrets, node
	ImageLimited     ID = "ImageLimited"     // subject, image, container
	ImageUnreachable ID = "ImageUnreachable" // subject, node, image, container
	ImageNoRoom      ID = "ImageNoRoom"      // subject, node, image, container
	ImagePlatform    ID = "ImagePlatform"    // subject, image, container, node, platform
	RemedyPlatform   ID = "RemedyPlatform"   // platform, others
	ImageInvalid     ID = "ImageInvalid"     // subject, image, container
	ImageNeverPulled ID = "ImageNeverPulled" // subject, node, image, container
	ImageElsewhere   ID = "ImageElsewhere"   // pod, namespace, node

	ClaimMissing      ID = "ClaimMissing"      // subject, claim
	ClaimBypassed     ID = "ClaimBypassed"     // subject, pod, node, claim, class
	ClaimBypassedWay  ID = "ClaimBypassedWay"  // node, hostname
	MountFails        ID = "MountFails"        // subject, node, why
	DriverMissing     ID = "DriverMissing"     // subject, driver, node, claim
	DriverUnseen      ID = "DriverUnseen"      // driver
	DriverPod         ID = "DriverPod"         // set, namespace, node, pod, well, state
	DriverExcluded    ID = "DriverExcluded"    // set, namespace, node, why
	RemedyDriverNode  ID = "RemedyDriverNode"  // set, namespace, node
	DriverNoPod       ID = "DriverNoPod"       // set, namespace, node
	AttachUnasked     ID = "AttachUnasked"     // subject, volume, claim, node
	AttachFails       ID = "AttachFails"       // subject, driver, volume, claim, node, why
	AttachFull        ID = "AttachFull"        // subject, driver, volume, claim, node, n, type
	AttachWaits       ID = "AttachWaits"       // subject, driver, age, volume, claim, node
	AttachedElsewhere ID = "AttachedElsewhere" // subject, volume, claim, other, users, down
	AddressMissing    ID = "AddressMissing"    // subject, node
	AddressesUnknown  ID = "AddressesUnknown"  //
	NetworkMissing    ID = "NetworkMissing"    // subject, node
	SandboxFails      ID = "SandboxFails"      // subject, node, why
	SameOnNode        ID = "SameOnNode"        // n, node, pods
	TwinWorks         ID = "TwinWorks"         // twin, node, command

	// Pods that run, and how well.
	Crashes                ID = "Crashes"                // subject, container, n, last
	CrashesOOM             ID = "CrashesOOM"             // subject, container, limit, n
	SlowStart              ID = "SlowStart"              // container, ran, n
	RemedyStartupProbe     ID = "RemedyStartupProbe"     // container, object, times, period, total, ran
	RemedyStartupProbeRisk ID = "RemedyStartupProbeRisk" // total
	CrashesProbe           ID = "CrashesProbe"           // subject, container, why, n
	CrashesHook            ID = "CrashesHook"            // subject, container, n
	BacksOff               ID = "BacksOff"               // container
	ContainerEnded         ID = "ContainerEnded"         // container, code, reason, ran
	ExitLimit              ID = "ExitLimit"              // limit
	ExitNodeMemory         ID = "ExitNodeMemory"         // node
	ExitNodeOOM            ID = "ExitNodeOOM"            // node
	RemedyMemory           ID = "RemedyMemory"           // container, object, from, to, guaranteed
	RemedyMemoryCost       ID = "RemedyMemoryCost"       // object, guaranteed
	RemedyMemoryRisk       ID = "RemedyMemoryRisk"       // from
	NoNodeHolds            ID = "NoNodeHolds"            // to, container
	ExitHook               ID = "ExitHook"               // hook
	ExitProbe              ID = "ExitProbe"              // probe
	ExitKilled             ID = "ExitKilled"             //
	ExitNeverRan           ID = "ExitNeverRan"           //
	ExitTerminated         ID = "ExitTerminated"         //
	ExitSegmentation       ID = "ExitSegmentation"       //
	ExitNotFound           ID = "ExitNotFound"           //
	ExitNotExecutable      ID = "ExitNotExecutable"      //
	ExitDone               ID = "ExitDone"               //
	WorkDone               ID = "WorkDone"               // subject, done, running, job
	WorkDoneNative         ID = "WorkDoneNative"         // running
	ExitDoneOnce           ID = "ExitDoneOnce"           //
	ReadinessProbeFails    ID = "ReadinessProbeFails"    // subject, container, probe, why
	StartupProbeFails      ID = "StartupProbeFails"      // subject, container, probe, why
	ProbeNotPassed         ID = "ProbeNotPassed"         // container, probe, age
	ReadinessGateWaits     ID = "ReadinessGateWaits"     // gate

	// Pods that have ended.
	EndedPreempted   ID = "EndedPreempted"   // subject, node
	EndedTainted     ID = "EndedTainted"     // subject, node
	EndedEvictionAPI ID = "EndedEvictionAPI" // subject, node
	EndedCollected   ID = "EndedCollected"   // subject, node
	EndedByKubelet   ID = "EndedByKubelet"   // subject, node, why
	EndedDisrupted   ID = "EndedDisrupted"   // subject, why
	EndedDeadline    ID = "EndedDeadline"    // subject
	EndedAffinity    ID = "EndedAffinity"    // subject, node, why
	EndedRefused     ID = "EndedRefused"     // subject, node, why
	EndedNodeLost    ID = "EndedNodeLost"    // subject, node
	EndedShutdown    ID = "EndedShutdown"    // subject, node
	EndedCritical    ID = "EndedCritical"    // subject, node, why
	EndedOutOf       ID = "EndedOutOf"       // subject, node, resource, why
	EndedUntold      ID = "EndedUntold"      //
	TaintEvicts      ID = "TaintEvicts"      // node, taint, seconds
	EvictedPressure  ID = "EvictedPressure"  // subject, node, resource
	EvictedOwnLimit  ID = "EvictedOwnLimit"  // subject, node, why
	EvictedCondition ID = "EvictedCondition" // subject, node, why
	EvictedChoice    ID = "EvictedChoice"    // qos, requested, resource
	PressureNow      ID = "PressureNow"      // on, node, condition, age
	NobodyReplaces   ID = "NobodyReplaces"   //
	OwnerHas         ID = "OwnerHas"         // owner, n, ready, pods

	// Pods that are being deleted.
	StopsInGrace        ID = "StopsInGrace"        // subject, left
	StopFinalizers      ID = "StopFinalizers"      // subject, age, finalizers
	StopNodeDown        ID = "StopNodeDown"        // subject, age, node
	StopNodeGone        ID = "StopNodeGone"        // subject, age, node
	StopKubelet         ID = "StopKubelet"         // subject, age, node
	RemedyKubelet       ID = "RemedyKubelet"       // node
	StopHook            ID = "StopHook"            // subject, age, node, container, hook, lasts, grace
	HookMayHold         ID = "HookMayHold"         // container, hook
	HookWaits           ID = "HookWaits"           // object, own
	RemedyEndHook       ID = "RemedyEndHook"       // container, subject
	RemedyEndHookCost   ID = "RemedyEndHookCost"   //
	RemedyEndHookRisk   ID = "RemedyEndHookRisk"   // container
	RemedyForceHook     ID = "RemedyForceHook"     // pod
	RemedyForceHookCost ID = "RemedyForceHookCost" // node
	RemedyForceHookRisk ID = "RemedyForceHookRisk" // subject

	// Things that have just gone, as Events tell.
	GonePreempted   ID = "GonePreempted"   // subject, age, why, by, of
	GoneTainted     ID = "GoneTainted"     // subject, age
	GoneEvicted     ID = "GoneEvicted"     // subject, age, why
	GoneDeletedBy   ID = "GoneDeletedBy"   // subject, owner
	GoneStopped     ID = "GoneStopped"     // subject, age
	GoneNodeRemoved ID = "GoneNodeRemoved" // subject, why
	GoneUntold      ID = "GoneUntold"      // subject, age
	OwnerDeleted    ID = "OwnerDeleted"    // owner
	KubeletStopped  ID = "KubeletStopped"  //

	// Nodes.
	NodeHealthy      ID = "NodeHealthy"      // node
	NodeSilent       ID = "NodeSilent"       // node, age, pods
	NodeNeverReady   ID = "NodeNeverReady"   // node
	NodeNotReady     ID = "NodeNotReady"     // node, age, why, reason
	NodePressed      ID = "NodePressed"      // node, conditions
	NodeLeaving      ID = "NodeLeaving"      // node, finalizers
	NodeCordoned     ID = "NodeCordoned"     // node
	NodeCordonedLink ID = "NodeCordonedLink" // node
	LeaseLast        ID = "LeaseLast"        // fresh, age
	NodeConditionBad ID = "NodeConditionBad" // node, condition, age, why
	TaintNoExecute   ID = "TaintNoExecute"   // taint, leave, stay
	TaintNoSchedule  ID = "TaintNoSchedule"  // taint
	TaintPrefer      ID = "TaintPrefer"      // taint
	NodeStops        ID = "NodeStops"        // n, node, pods
	NodeStarts       ID = "NodeStarts"       // n, node, pods
	NodeNominated    ID = "NodeNominated"    // n, node, pods
	NodeRoom         ID = "NodeRoom"         // n, pods, cpu, ofCPU, memory, ofMemory

	// Claims.
	ClaimBound             ID = "ClaimBound"             // claim, volume, n, pods
	ClaimUsed              ID = "ClaimUsed"              // volume
	ClaimResizes           ID = "ClaimResizes"           // condition, why
	ClaimLost              ID = "ClaimLost"              // claim, volume
	ClaimLeaving           ID = "ClaimLeaving"           // claim, n, pods, finalizers
	ClaimProtected         ID = "ClaimProtected"         //
	NodeKept               ID = "NodeKept"               //
	FinalizerKeeps         ID = "FinalizerKeeps"         // finalizer
	ClaimNamesVolume       ID = "ClaimNamesVolume"       // claim, volume
	ClaimNoDefault         ID = "ClaimNoDefault"         // claim
	ClaimNoClass           ID = "ClaimNoClass"           // claim, class
	ClaimUntold            ID = "ClaimUntold"            // claim, class
	ClaimReleased          ID = "ClaimReleased"          // claim, volume, holder, same
	RemedyClearClaim       ID = "RemedyClearClaim"       // claim, volume, holder, same
	RemedyClearClaimCost   ID = "RemedyClearClaimCost"   // claim
	RemedyClearClaimRisk   ID = "RemedyClearClaimRisk"   //
	RemedyDefaultClass     ID = "RemedyDefaultClass"     // class, provisioner
	RemedyDefaultClassCost ID = "RemedyDefaultClassCost" // class, provisioner
	RemedyDefaultClassRisk ID = "RemedyDefaultClassRisk" // class
	ClaimNoVolume          ID = "ClaimNoVolume"          // claim
	ClaimByHand            ID = "ClaimByHand"            //
	ClaimWaitsUnused       ID = "ClaimWaitsUnused"       // claim, class, made
	ClaimWaitsForPod       ID = "ClaimWaitsForPod"       // claim, pod
	ClaimFirstConsumer     ID = "ClaimFirstConsumer"     // class, made
	PodSays                ID = "PodSays"                // why
	ClaimProvisionFails    ID = "ClaimProvisionFails"    // claim, provisioner, why
	ClaimProvisionerSilent ID = "ClaimProvisionerSilent" // claim, provisioner, age
	DriverUnknown          ID = "DriverUnknown"          //
	VolumeMisfit           ID = "VolumeMisfit"           // volume, field, has, wants
	VolumeNoneFree         ID = "VolumeNoneFree"         // volume

	// Volumes.
	VolumeBound       ID = "VolumeBound"       // volume, claim
	VolumeFree        ID = "VolumeFree"        // volume
	VolumeReleased    ID = "VolumeReleased"    // volume, claim
	VolumeKeeps       ID = "VolumeKeeps"       // policy
	VolumeFailed      ID = "VolumeFailed"      // volume, why
	VolumeDeleteFails ID = "VolumeDeleteFails" // why
	VolumeLeaving     ID = "VolumeLeaving"     // volume, claim, bound, finalizers
	VolumeProtected   ID = "VolumeProtected"   //
	VolumeLives       ID = "VolumeLives"       // zones, n
	VolumeTied        ID = "VolumeTied"        //
	VolumeUsed        ID = "VolumeUsed"        // claim, pods
	VolumeUnused      ID = "VolumeUnused"      // claim
	VolumeAttached    ID = "VolumeAttached"    // node
	VolumeAttaching   ID = "VolumeAttaching"   // node, why
	VolumeDetaching   ID = "VolumeDetaching"   // node, why

	// Workloads.
	WorkloadHealthy      ID = "WorkloadHealthy"      // subject, want
	WorkloadAtZero       ID = "WorkloadAtZero"       // subject
	WorkloadShort        ID = "WorkloadShort"        // subject, have, want
	WorkloadUntold       ID = "WorkloadUntold"       // subject, have, want
	WorkloadPaused       ID = "WorkloadPaused"       // subject, have, want
	WorkloadShortBecause ID = "WorkloadShortBecause" // subject, have, want, why
	WorkloadRefused      ID = "WorkloadRefused"      // subject, why
	PodsAre              ID = "PodsAre"              // n, state, pods, why
	PodsFailed           ID = "PodsFailed"           // n, state, pods, why
	PodsGone             ID = "PodsGone"             //
	RefusedQuota         ID = "RefusedQuota"         // namespace
	RefusedSecurity      ID = "RefusedSecurity"      // namespace
	RefusedQuotaUnset    ID = "RefusedQuotaUnset"    // namespace, unset
	RefusedWebhook       ID = "RefusedWebhook"       // webhook
	RefusedWebhookSilent ID = "RefusedWebhookSilent" // webhook, why
	RefusedWebhookCert   ID = "RefusedWebhookCert"   // webhook
	RefusedPriority      ID = "RefusedPriority"      //
	RefusedLimits        ID = "RefusedLimits"        // namespace
	RefusedPolicy        ID = "RefusedPolicy"        //
	RefusedAccount       ID = "RefusedAccount"       // account, namespace
	RefusedOther         ID = "RefusedOther"         // why
	QuotaUsed            ID = "QuotaUsed"            // quota, hard, resource, used
	RolloutStalled       ID = "RolloutStalled"       // subject, want, why
	CountsAvailable      ID = "CountsAvailable"      // subject, want, why
	NoPodsUntold         ID = "NoPodsUntold"         //
	RolloutWaits         ID = "RolloutWaits"         // subject, want, why
	RolloutDeadline      ID = "RolloutDeadline"      // set, seconds
	RolloutPaused        ID = "RolloutPaused"        //
	OrdinalMissing       ID = "OrdinalMissing"       // subject, have, want, pod, ordered
	OrdinalHolds         ID = "OrdinalHolds"         // subject, have, want, ordered, pod, why
	OrdinalOldRevision   ID = "OrdinalOldRevision"   // object
	OldRevisionHeld      ID = "OldRevisionHeld"      // pod, object, said
	RemedyDeleteOld      ID = "RemedyDeleteOld"      // pod, object
	RemedyDeleteOldCost  ID = "RemedyDeleteOldCost"  //
	RemedyDeleteOldRisk  ID = "RemedyDeleteOldRisk"  //
	DaemonHealthy        ID = "DaemonHealthy"        // subject, want, nodes
	DaemonNowhere        ID = "DaemonNowhere"        // subject, nodes
	DaemonMissing        ID = "DaemonMissing"        // n, nodes
	DaemonExcluded       ID = "DaemonExcluded"       // nodes, why
	DaemonMisplaced      ID = "DaemonMisplaced"      // n
	DaemonOnDelete       ID = "DaemonOnDelete"       // n
	JobDone              ID = "JobDone"              // subject, done
	JobRuns              ID = "JobRuns"              // subject, active, done, of
	JobHeld              ID = "JobHeld"              // subject, done, of, why
	JobHeldPartly        ID = "JobHeldPartly"        // subject, done, of, why
	JobRetries           ID = "JobRetries"           // failed, limit
	JobBackoff           ID = "JobBackoff"           // subject, failed, limit
	JobDeadline          ID = "JobDeadline"          // subject, seconds
	JobPolicy            ID = "JobPolicy"            // subject
	JobIndexes           ID = "JobIndexes"           // subject, indexes
	JobFailed            ID = "JobFailed"            // subject, why
	JobFailing           ID = "JobFailing"           // subject, why
	JobFailingPods       ID = "JobFailingPods"       // n, pods
	JobSuspended         ID = "JobSuspended"         // subject
	CronHealthy          ID = "CronHealthy"          // subject, schedule, age
	CronSuspended        ID = "CronSuspended"        // subject
	CronMissed           ID = "CronMissed"           // subject, why
	CronBehind           ID = "CronBehind"           // subject, schedule, age
	CronBehindWarns      ID = "CronBehindWarns"      //
	CronControllerUntold ID = "CronControllerUntold" //
	CronBusy             ID = "CronBusy"             // subject, job, why
	CronLast             ID = "CronLast"             // job, why
	CronLastFails        ID = "CronLastFails"        // subject, schedule, job, why
)
