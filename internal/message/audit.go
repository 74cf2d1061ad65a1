package message

// Words of the audit and of accepted findings.
const (
	AuditSummary      ID = "AuditSummary"      // any, critical, warning, info, accepted, unknown
	AuditMore         ID = "AuditMore"         //
	AuditLeft         ID = "AuditLeft"         // n
	AuditAlike        ID = "AuditAlike"        // n
	AuditMoreRemedies ID = "AuditMoreRemedies" // n
	AuditMoreTogether ID = "AuditMoreTogether" // n
	AuditLongCommand  ID = "AuditLongCommand"  //
	ProgressAudit     ID = "ProgressAudit"     // done, total

	SeverityCritical ID = "Severitycritical"
	SeverityWarning  ID = "Severitywarning"
	SeverityInfo     ID = "Severityinfo"

	AcceptedExpired ID = "AcceptedExpired" // file, code, subject, expires
	AcceptedStale   ID = "AcceptedStale"   // file, code, subject, expires
	AcceptedEnding  ID = "AcceptedEnding"  // file, code, subject, expires

	ErrSelectorRemedy  ID = "ErrSelectorRemedy"  //
	ErrAcceptedRemedy  ID = "ErrAcceptedRemedy"  //
	ErrAcceptedSubject ID = "ErrAcceptedSubject" // given
	ErrAcceptedReason  ID = "ErrAcceptedReason"  //
	ErrAcceptedExpires ID = "ErrAcceptedExpires" // given
	ErrFailOn          ID = "ErrFailOn"          // n, severity
	ErrNoCode          ID = "ErrNoCode"          // given
	ErrUseCode         ID = "ErrUseCode"         // codes
)
