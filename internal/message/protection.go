package message

// What is said of workloads that HeadroomPolicies protect from preemption.
const (
	ProtectionGiven           ID = "ProtectionGiven"           // kinds, class, jobs, others
	ProtectionReportOnly      ID = "ProtectionReportOnly"      //
	ProtectionPaused          ID = "ProtectionPaused"          //
	ProtectionInvalidSelector ID = "ProtectionInvalidSelector" // errors
	ProtectionNoClass         ID = "ProtectionNoClass"         // class
	ProtectionSystemClass     ID = "ProtectionSystemClass"     // class
	ProtectionClassPreempts   ID = "ProtectionClassPreempts"   // class
	ProtectionClassTooLow     ID = "ProtectionClassTooLow"     // class, value, lowest
	ProtectionNotServed       ID = "ProtectionNotServed"       // class
	ProtectionNotInstalled    ID = "ProtectionNotInstalled"    // name
	ProtectionNotReadable     ID = "ProtectionNotReadable"     // name
	ProtectionTooMany         ID = "ProtectionTooMany"         // workloads

	ProtectionInVain  ID = "ProtectionInVain"  // workloads
	RemedyProtect     ID = "RemedyProtect"     // workloads, held, rollout
	RemedyProtectCost ID = "RemedyProtectCost" // held
	RemedyProtectRisk ID = "RemedyProtectRisk" // n, others, rollout
)
