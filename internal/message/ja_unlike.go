package message

var japaneseUnlike = sentences{
	Differs:        "{{.field}}: {{.object}} は{{if .value}} {{.value}}{{else}}「なし」{{end}}、{{.other}} は{{if .otherValue}} {{.otherValue}} {{else}}「なし」{{end}}です。",
	DiffersVolume:  "{{.claim}} のボリュームを使える場所は {{.place}} です。{{if .other}}{{.otherClaim}} のほうは {{.other}} です。{{else}}{{.otherClaim}} には対応するボリュームがありません。{{end}}",
	DiffersVersion: "{{.owner}} の別のバージョンです。リビジョンはこちらが {{if .version}}{{.version}}{{else}}不明{{end}}、比較先が {{if .other}}{{.other}}{{else}}不明{{end}}です。",
	DiffersAgent:   "{{.daemon}}: {{if .state}}{{.node}} の Pod は {{.state}} です{{else}}{{.node}} に Pod がありません{{end}}。{{if .other}}{{.good}} の Pod は {{.other}} です。{{else}}{{.good}} には Pod がありません。{{end}}",

	OthersOnNode:      "{{if not .all}}{{.node}} にほかの Pod はありません。{{else if .poor}}{{.node}} のほかの Pod {{.all}} 個のうち {{.poor}} 個が正常に動いていません。{{else}}{{.node}} のほかの Pod {{.all}} 個は{{if gt .all 1}}すべて{{end}}正常に動いています。{{end}}",
	SiblingsElsewhere: "{{if .poor}}ほかのノードにある {{.owner}} の Pod {{.all}} 個のうち {{.poor}} 個が正常に動いていません。{{else if .all}}ほかのノードにある {{.owner}} の Pod {{.all}} 個は{{if gt .all 1}}すべて{{end}}正常に動いています。{{else}}{{.owner}} の Pod はほかのノードにはありません。{{end}}",
	ProbesFit:         "試した {{.n}} 個の Pod ({{.good}} で動いているものと同じ Pod と、待機中の Pod) のうち、現状の {{.node}} に配置できるのは {{.fit}} 個です。",

	UnlikePodCause:  "{{.subject}} が動かない原因は {{and .what}} です。{{.good}} と同じ値にすると、配置できるノードがあります。",
	UnlikeNodeCause: "{{and .what}} のために {{.subject}} に Pod を配置できません。{{.good}} と同じ値にすると、配置できる Pod が増えます。",
	UnlikeCameFirst: "{{.subject}} と {{.good}} の違いは原因ではありません。いまは {{.good}} と同じ Pod でも配置できるノードがありません。{{.good}} は先に配置されたから動いています。",
	UnlikeSuspects:  "{{.subject}} と {{.good}} の違いのうち、原因かもしれないがシミュレーションで確かめられないものが {{.n}} 件あります。最も疑わしいもの: {{.first}}",
	UnlikeNothing:   "{{.subject}} と {{.good}} には、Kubernetes API から分かる範囲で関係する違いがありません。{{.why}}",
	UnlikeWell:      "{{.subject}} にも問題はありません。{{.why}}",
	UnlikeUntried:   "ノードや Pod の一部が分からないか、別のスケジューラーが使われるため、違いをシミュレーションで確かめられませんでした。",

	HeadDiffers:        "原因となる違い",
	HeadTogether:       "原因となる違い (すべてが揃った場合のみ)",
	HeadSuspects:       "原因の可能性がある違い",
	HeadTried:          "試した結果、原因ではない違い",
	HeadObserved:       "周辺の状況",
	UnlikeOthers:       "ほかに、関係のない違いが {{.n}} 件あります。",
	UnlikeMoreSuspects: "ほか {{.n}} 件 (-o wide で表示)",
}
