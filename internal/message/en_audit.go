package message

var englishAudit = sentences{
	AuditSummary: "{{if .any}}{{.critical}} critical, {{count .warning \"warning\" \"warnings\"}}, {{count .info \"note\" \"notes\"}}" +
		"{{else if .unknown}}Nothing found, as far as could be read{{else}}Nothing found{{end}}{{if .accepted}}; {{.accepted}} accepted{{end}}.",
	AuditMore:         "The causes of a finding, with their evidence: naosu why SUBJECT, or naosu audit -o json. Every remedy, with cost and risk: naosu audit -o wide. What a code means: naosu explain CODE.",
	AuditLeft:         "and {{.n}} more; -o wide has them all.",
	AuditAlike:        "({{.n}} more like it)",
	AuditMoreRemedies: "or: {{count .n \"other way\" \"other ways\"}}, in -o wide",
	AuditMoreTogether: "and with it: {{count .n \"more change\" \"more changes\"}}, in -o wide",
	AuditLongCommand:  "its command is long, and in -o wide",
	ProgressAudit:     "checking rules and simulating failures: {{.done}} of {{.total}}",

	SeverityCritical: "critical",
	SeverityWarning:  "warning",
	SeverityInfo:     "note",

	AcceptedExpired: "{{.file}}: {{.code}} {{.subject}} was accepted until {{.expires}} and no longer is",
	AcceptedStale:   "{{.file}}: {{.code}} {{.subject}} no longer meets anything; take it out",
	AcceptedEnding:  "{{.file}}: {{.code}} {{.subject}} is accepted until {{.expires}} only",

	ErrSelectorRemedy:  "write it as for kubectl, as in app=web,tier!=test",
	ErrAcceptedRemedy:  "each entry needs code, subject, reason and expires",
	ErrAcceptedSubject: "the subject {{.given}} is neither kind/name nor namespace/kind/name",
	ErrAcceptedReason:  "the reason is missing",
	ErrAcceptedExpires: "expires is {{.given}} and not a day such as 2027-03-31",
	ErrFailOn:          "{{count .n \"finding is\" \"findings are\"}} {{.severity}} or worse",
	ErrNoCode:          "{{.given}} is no code of a finding",
	ErrUseCode:         "use one of {{and .codes}}",
}
