package message

var japaneseWords = sentences{
	HeadCauses:      "原因",
	HeadRuledOut:    "原因ではないもの",
	HeadUnknown:     "不明な点",
	HeadRemedy:      "対処",
	HeadNotModelled: "判定に含めていないもの",
	LabelCost:       "コスト",
	LabelRisk:       "リスク",
	LabelFill:       "{{and .parts}} は実際の値に置き換えてください",
	LabelUnverified: "シミュレーション未実施",
	LabelVerified:   "シミュレーションで確認済み",
	LabelAgo:        "{{span .age}}前",
	LabelNone:       "なし",

	OverviewCount:     "{{if .what}}{{if .namespace}}namespace {{.namespace}} で{{end}}動くべきなのに動いていないもの: {{and .what}} (原因は {{.causes}} 件){{else}}{{if .namespace}}namespace {{.namespace}} では、{{end}}動くべきものはすべて動いています。{{end}}",
	OverviewPods:      "Pod {{.n}} 個",
	OverviewWorkloads: "ワークロード {{.n}} 個",
	OverviewConcerns:  "該当する {{.n}} 件: {{and .names}}",
	OverviewMore:      "詳細: {{.command}}",
	OverviewElsewhere: "ほかの namespace に、動くべきなのに動いていない Pod が {{.n}} 個あります: {{.command}}",
	ErrNotThere:       "{{.subject}} は{{if .namespace}} namespace {{.namespace}} に{{end}}存在しません{{if .elsewhere}}。namespace {{or .elsewhere}} にあります{{else if .near}}。{{or .near}} ではありませんか？{{end}}",
	ErrForbiddenKind:  "権限がありません。この認証情報では {{.kind}} を読めません",
	ErrWhyFailOn:      "重大度 {{.severity}} の問題があります",
	ErrUnlike:         "{{.given}} は {{.subject}} と比較できません",
	ErrUnlikeRemedy:   "Pod どうし、またはノードどうしを比較してください。例: why pod/BAD --unlike pod/GOOD",
	UnreadKinds:       "次の種類のオブジェクトを読んでいない (または読む権限がない) ため、ここに書かれていない問題やリスクがあるかもしれません: {{and .kinds}}。それぞれが何に関わるかは JSON で分かります。",
}
