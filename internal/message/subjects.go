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
	ServiceExternal       ID = "ServiceExternal"       // subject, name
	ServiceByHand         ID = "ServiceByHand"         // subject
	EndpointsUnread       ID = "EndpointsUnread"       //
	ServiceUnknown        ID = "ServiceUnknown"        // subject
	ServiceServes         ID = "ServiceServes"         // subject, ready, n
	ServiceAtZero         ID = "ServiceAtZero"         // subject, workload
	ServiceWithoutPods    ID = "ServiceWithoutPods"    // subject, workload, why
	ServiceMatchesNothing ID = "ServiceMatchesNothing" // subject, selector
	ServicePortUnnamed    ID = "ServicePortUnnamed"    // subject, port, protocol, target, pod, names
	ServiceNoneReady      ID = "ServiceNoneReady"      // subject, n, why
	NearSelector          ID = "NearSelector"          // near, labels

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
	RemedyUnsuspend        ID = "RemedyUnsuspend"        // subject
	RemedyUnsuspendCost    ID = "RemedyUnsuspendCost"    //
	RemedyUnsuspendRisk    ID = "RemedyUnsuspendRisk"    //
	RemedyDeleteJob        ID = "RemedyDeleteJob"        // object, subject
	RemedyDeleteJobCost    ID = "RemedyDeleteJobCost"    //
	RemedyDeleteJobRisk    ID = "RemedyDeleteJobRisk"    // object
)
