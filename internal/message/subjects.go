package message

// Why things that only some questions are about are as they are: budgets, Services, schedules and what depends on them.
const (
	TitleN602 ID = "TitleN602"
	TitleN603 ID = "TitleN603"

	// PodDisruptionBudgets.
	BudgetAllows           ID = "BudgetAllows"           // subject, n, healthy, of
	BudgetUncounted        ID = "BudgetUncounted"        // subject, why
	BudgetUnseen           ID = "BudgetUnseen"           // subject
	BudgetControllerUntold ID = "BudgetControllerUntold" //
	BudgetWithoutPods      ID = "BudgetWithoutPods"      // subject, workloads
	BudgetMatchesNothing   ID = "BudgetMatchesNothing"   // subject, selector
	BudgetsShare           ID = "BudgetsShare"           // subject, others, pods
	BudgetNever            ID = "BudgetNever"            // subject, limit, of
	BudgetUsedUp           ID = "BudgetUsedUp"           // subject, limit, want, healthy, of, why
	BudgetBusy             ID = "BudgetBusy"             // subject, want, healthy
	BudgetHoldsBroken      ID = "BudgetHoldsBroken"      // pods, want

	// Services.
	ServiceExternal   ID = "ServiceExternal"   // subject, name
	ServiceByHand     ID = "ServiceByHand"     // subject, known, ready, n
	EndpointsUnread   ID = "EndpointsUnread"   //
	ServiceByHandNone ID = "ServiceByHandNone" // subject, n
	ServiceByHandPort ID = "ServiceByHandPort" // subject, port
	ServiceUnlisted   ID = "ServiceUnlisted"   // subject, ready
	ServiceEnding     ID = "ServiceEnding"     // subject, pods, n, answers

	EndpointsControllerUntold ID = "EndpointsControllerUntold" //
	ServiceUnknown            ID = "ServiceUnknown"            // subject
	ServiceServes             ID = "ServiceServes"             // subject, ready, n
	ServiceAtZero             ID = "ServiceAtZero"             // subject, workload
	ServiceWithoutPods        ID = "ServiceWithoutPods"        // subject, workload, why
	ServiceMatchesNothing     ID = "ServiceMatchesNothing"     // subject, selector
	ServicePortUnnamed        ID = "ServicePortUnnamed"        // subject, port, protocol, target, pod, names
	ServiceNoneReady          ID = "ServiceNoneReady"          // subject, n, why
	NearSelector              ID = "NearSelector"              // near, labels

	// When a CronJob is due.
	CronNext          ID = "CronNext"          // next, zone, in
	CronNever         ID = "CronNever"         // schedule
	CronLate          ID = "CronLate"          // subject, due, age
	CronUnreadable    ID = "CronUnreadable"    // subject, why
	CronDeadlineShort ID = "CronDeadlineShort" // seconds

	RemedySelect           ID = "RemedySelect"           // subject, near, labels
	RemedySelectCost       ID = "RemedySelectCost"       //
	RemedySelectRisk       ID = "RemedySelectRisk"       // near
	RemedyDeleteBudget     ID = "RemedyDeleteBudget"     // object, subject
	RemedyDeleteBudgetCost ID = "RemedyDeleteBudgetCost" //
	RemedyDeleteBudgetRisk ID = "RemedyDeleteBudgetRisk" // object, subject
	RemedyAllowOne         ID = "RemedyAllowOne"         // subject
	RemedyAllowOneCost     ID = "RemedyAllowOneCost"     //
	RemedyAllowOneRisk     ID = "RemedyAllowOneRisk"     // of
	RemedyEvictBroken      ID = "RemedyEvictBroken"      // subject
	RemedyEvictBrokenCost  ID = "RemedyEvictBrokenCost"  //
	RemedyEvictBrokenRisk  ID = "RemedyEvictBrokenRisk"  //
	RemedyTargetPort       ID = "RemedyTargetPort"       // subject, name
	RemedyTargetPortCost   ID = "RemedyTargetPortCost"   //
	RemedyTargetPortRisk   ID = "RemedyTargetPortRisk"   // name
	RemedyDeadline         ID = "RemedyDeadline"         // subject
	RemedyDeadlineCost     ID = "RemedyDeadlineCost"     //
	RemedyDeadlineRisk     ID = "RemedyDeadlineRisk"     //
	RemedyJobTime          ID = "RemedyJobTime"          // subject, seconds, limit, paced, done, of
	RemedyJobTimeCost      ID = "RemedyJobTimeCost"      // done
	RemedyJobTimeRisk      ID = "RemedyJobTimeRisk"      //
	RemedyCronTime         ID = "RemedyCronTime"         // object, seconds, limit, paced, done, of
	RemedyCronTimeCost     ID = "RemedyCronTimeCost"     //
	RemedySchedule         ID = "RemedySchedule"         // subject
	RemedyScheduleCost     ID = "RemedyScheduleCost"     //
	RemedyScheduleRisk     ID = "RemedyScheduleRisk"     //
	RemedyRunJob           ID = "RemedyRunJob"           // subject
	RemedyRunJobCost       ID = "RemedyRunJobCost"       //
	RemedyRunJobRisk       ID = "RemedyRunJobRisk"       // subject
	RemedyUnsuspend        ID = "RemedyUnsuspend"        // subject
	RemedyUnsuspendCost    ID = "RemedyUnsuspendCost"    //
	RemedyUnsuspendRisk    ID = "RemedyUnsuspendRisk"    //
	RemedyDeleteJob        ID = "RemedyDeleteJob"        // object, subject
	RemedyDeleteJobCost    ID = "RemedyDeleteJobCost"    //
	RemedyDeleteJobRisk    ID = "RemedyDeleteJobRisk"    // object

	TitleN604 ID = "TitleN604"

	// What depends on a Service.
	DependsOn          ID = "DependsOn"          // why
	ServiceMissing     ID = "ServiceMissing"     // service
	PodNames           ID = "PodNames"           // container, service
	PodNamesItsOwn     ID = "PodNamesItsOwn"     // container, service
	PodHasMore         ID = "PodHasMore"         // said, why
	PodWaitsForService ID = "PodWaitsForService" // said, container, service, why
	RefusedTimeout     ID = "RefusedTimeout"     //
	WebhooksTake       ID = "WebhooksTake"       // n, webhooks, seconds, limit, more

	// HorizontalPodAutoscalers.
	HPAScales         ID = "HPAScales"         // subject, target, have, min, max
	HPAUnseen         ID = "HPAUnseen"         // subject, target
	HPATargetMissing  ID = "HPATargetMissing"  // subject, target
	HPATargetAtZero   ID = "HPATargetAtZero"   // subject, target
	HPAUnable         ID = "HPAUnable"         // subject, target, why
	HPANoMetrics      ID = "HPANoMetrics"      // subject, target, have, why
	HPAUntold         ID = "HPAUntold"         // why
	HPANoRequest      ID = "HPANoRequest"      // target, container, resource
	HPAAtMaximum      ID = "HPAAtMaximum"      // subject, target, max, want
	MetricsAPIMissing ID = "MetricsAPIMissing" // api
	MetricsAPIDown    ID = "MetricsAPIDown"    // api, why
	RemedyMetricsAPI  ID = "RemedyMetricsAPI"  // api

	RemedyPublish           ID = "RemedyPublish"           // service
	RemedyPublishCost       ID = "RemedyPublishCost"       //
	RemedyPublishRisk       ID = "RemedyPublishRisk"       // service
	RemedyFindHook          ID = "RemedyFindHook"          // webhook, cert
	RemedyFindSlowHooks     ID = "RemedyFindSlowHooks"     // limit
	RemedyHookCert          ID = "RemedyHookCert"          // webhook, config
	RemedyIgnoreHook        ID = "RemedyIgnoreHook"        // webhook
	RemedyIgnoreHookCost    ID = "RemedyIgnoreHookCost"    //
	RemedyIgnoreHookRisk    ID = "RemedyIgnoreHookRisk"    // config
	RemedyHookTimeout       ID = "RemedyHookTimeout"       // webhook, seconds
	RemedyHookTimeoutCost   ID = "RemedyHookTimeoutCost"   //
	RemedyHookTimeoutRisk   ID = "RemedyHookTimeoutRisk"   // config
	RemedyTarget            ID = "RemedyTarget"            // subject, name
	RemedyTargetCost        ID = "RemedyTargetCost"        //
	RemedyTargetRisk        ID = "RemedyTargetRisk"        //
	RemedyMetricsServer     ID = "RemedyMetricsServer"     //
	RemedyMetricsServerCost ID = "RemedyMetricsServerCost" //
	RemedyMetricsServerRisk ID = "RemedyMetricsServerRisk" //
	RemedyRequest           ID = "RemedyRequest"           // target, container, resource
	RemedyRequestCost       ID = "RemedyRequestCost"       // target
	RemedyRequestRisk       ID = "RemedyRequestRisk"       //
	RemedyMaxReplicas       ID = "RemedyMaxReplicas"       // subject, want
	RemedyMaxReplicasCost   ID = "RemedyMaxReplicasCost"   //
	RemedyMaxReplicasRisk   ID = "RemedyMaxReplicasRisk"   //

	TitleN605 ID = "TitleN605"
	TitleN606 ID = "TitleN606"
	TitleN607 ID = "TitleN607"

	NamespaceActive    ID = "NamespaceActive"    // subject
	NamespaceStays     ID = "NamespaceStays"     // subject, age, why
	NamespaceUntold    ID = "NamespaceUntold"    // why
	NamespaceFinalizer ID = "NamespaceFinalizer" // finalizer
	APISilent          ID = "APISilent"          // object, why
	ObjectKept         ID = "ObjectKept"         // object, finalizer
	FinalizerUnread    ID = "FinalizerUnread"    // finalizer

	QuotaUncounted ID = "QuotaUncounted" // subject
	QuotaLeaves    ID = "QuotaLeaves"    // subject
	QuotaFull      ID = "QuotaFull"      // subject, full
	QuotaUsers     ID = "QuotaUsers"     // n, workload, others
	QuotaRefuses   ID = "QuotaRefuses"   // subject, who, why

	IngressServes ID = "IngressServes" // subject, n
	IngressFails  ID = "IngressFails"  // subject, why
	BackendPort   ID = "BackendPort"   // service, port, ports

	RemedyDeleteAPI       ID = "RemedyDeleteAPI"       // object
	RemedyDeleteAPICost   ID = "RemedyDeleteAPICost"   //
	RemedyDeleteAPIRisk   ID = "RemedyDeleteAPIRisk"   //
	RemedyFinalizer       ID = "RemedyFinalizer"       // object, finalizer
	RemedyFinalizerCost   ID = "RemedyFinalizerCost"   //
	RemedyFinalizerRisk   ID = "RemedyFinalizerRisk"   // finalizer
	RemedyQuota           ID = "RemedyQuota"           // subject, hard
	RemedyQuotaCost       ID = "RemedyQuotaCost"       //
	RemedyQuotaRisk       ID = "RemedyQuotaRisk"       //
	RemedyBackendPort     ID = "RemedyBackendPort"     // subject, service, ports
	RemedyBackendPortCost ID = "RemedyBackendPortCost" //
	RemedyBackendPortRisk ID = "RemedyBackendPortRisk" //
)
