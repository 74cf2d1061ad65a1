package message

var japaneseAudit = sentences{
	AuditSummary: "{{if .any}}重大 {{.critical}} 件、警告 {{.warning}} 件、参考 {{.info}} 件{{else if gt .unknown 0}}読み取れた範囲では何も見つかりませんでした{{else}}何も見つかりませんでした{{end}}" +
		"{{if .accepted}} (許容済み {{.accepted}} 件){{end}}。",
	AuditMore:         "原因と根拠は naosu why SUBJECT または naosu audit -o json、すべての対処とそのコスト・リスクは naosu audit -o wide、コードの意味は naosu explain CODE で確認できます。",
	AuditLeft:         "ほか {{.n}} 件。-o wide ですべて表示されます。",
	AuditAlike:        "(同様のものがほか {{.n}} 件)",
	AuditMoreRemedies: "または: ほか {{.n}} 件の対処 (-o wide で表示)",
	AuditMoreTogether: "合わせて行う変更: ほか {{.n}} 件 (-o wide で表示)",
	AuditLongCommand:  "コマンドは長いため省略 (-o wide で表示)",
	ProgressAudit:     "ルールの確認とシミュレーション中: {{.done}}/{{.total}}",

	SeverityCritical: "重大",
	SeverityWarning:  "警告",
	SeverityInfo:     "参考",

	AcceptedExpired: "{{.file}}: {{.code}} {{.subject}} の許容期限 ({{.expires}}) は過ぎています",
	AcceptedStale:   "{{.file}}: {{.code}} {{.subject}} に該当する所見はもうありません。この項目を削除してください",
	AcceptedEnding:  "{{.file}}: {{.code}} {{.subject}} の許容期限は {{.expires}} です",

	ErrSelectorRemedy:  "kubectl と同じ書き方で指定してください (例: app=web,tier!=test)",
	ErrAcceptedRemedy:  "各項目には code、subject、reason、expires が必要です",
	ErrAcceptedSubject: "subject の {{.given}} は kind/name でも namespace/kind/name でもありません",
	ErrAcceptedReason:  "reason がありません",
	ErrAcceptedExpires: "expires の {{.given}} は日付 (例: 2027-03-31) ではありません",
	ErrFailOn:          "重大度が {{.severity}} 以上の所見が {{.n}} 件あります",
	ErrNoCode:          "{{.given}} という所見のコードはありません",
	ErrUseCode:         "次のいずれかを指定してください: {{and .codes}}",
}
