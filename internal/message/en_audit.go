package message

var englishAudit = sentences{
	AuditSummary: "{{if .any}}{{.critical}} critical, {{count .warning \"warning\" \"warnings\"}}, {{count .info \"note\" \"notes\"}}" +
		"{{else if gt .unknown 0}}Nothing found, as far as could be read{{else}}Nothing found{{end}}{{if .accepted}}; {{.accepted}} accepted{{end}}.",
	AuditMore:         "For causes and evidence: naosu why SUBJECT, or naosu audit -o json. For every remedy with its cost and risk: naosu audit -o wide. For the meaning of a code: naosu explain CODE.",
	AuditLeft:         "and {{.n}} more; -o wide lists them all.",
	AuditAlike:        "({{.n}} more like it)",
	AuditMoreRemedies: "or: {{count .n \"other remedy\" \"other remedies\"}} (shown by -o wide)",
	AuditMoreTogether: "together with: {{count .n \"more change\" \"more changes\"}} (shown by -o wide)",
	AuditLongCommand:  "the command is long (shown by -o wide)",
	ProgressAudit:     "checking rules and simulating failures: {{.done}} of {{.total}}",

	SeverityCritical: "critical",
	SeverityWarning:  "warning",
	SeverityInfo:     "note",

	AcceptedExpired: "{{.file}}: {{.code}} {{.subject}} was accepted only until {{.expires}}",
	AcceptedStale:   "{{.file}}: {{.code}} {{.subject}} no longer matches any finding; remove the entry",
	AcceptedEnding:  "{{.file}}: {{.code}} {{.subject}} is accepted only until {{.expires}}",

	ErrSelectorRemedy:  "use the kubectl syntax, as in app=web,tier!=test",
	ErrAcceptedRemedy:  "each entry needs code, subject, reason and expires",
	ErrAcceptedSubject: "the subject {{.given}} is neither kind/name nor namespace/kind/name",
	ErrAcceptedReason:  "the reason is missing",
	ErrAcceptedExpires: "expires is {{.given}}, which is not a date such as 2027-03-31",
	ErrFailOn:          "{{count .n \"finding has\" \"findings have\"}} severity {{.severity}} or worse",
	ErrNoCode:          "{{.given}} is not the code of a finding",
	ErrUseCode:         "use one of {{and .codes}}",
}
