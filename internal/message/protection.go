package message

// What is said of Jobs that HeadroomPolicies protect from preemption.
const (
	ProtectionGiven           ID = "ProtectionGiven"           // class, exposed
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
	ProtectionTooMany         ID = "ProtectionTooMany"         // jobs

	ProtectionInVain  ID = "ProtectionInVain"  // jobs
	RemedyProtect     ID = "RemedyProtect"     // jobs, held
	RemedyProtectCost ID = "RemedyProtectCost" // held
	RemedyProtectRisk ID = "RemedyProtectRisk" // n, others
)
