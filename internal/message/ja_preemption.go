package message

var japanesePreemption = sentences{
	TitleN502: "DaemonSet またはその垂直オートスケーラーの次の段階でプリエンプトされる Pod",
	TitleN503: "想定する障害に対して足りない余力",

	TitleN501: "プリエンプトされた Pod: どの Pod のためか、その Pod はなぜ大きくなったか",

	PreemptedBy:            "{{and .pods}} が{{if .known}} {{.by}} により{{end}}プリエンプトされました。{{if .failed}}その結果 {{and .failed}} が失敗しました。{{end}}",
	CausePreempted:         "スケジューラーが、優先度の高い Pod のために場所を空けました。",
	CausePriority:          "{{.by}}{{if not .pod}} の Pod{{end}} のほうが優先度が高く、空きのないノードでは優先度の低い Pod がプリエンプトされます。",
	CauseRollout:           "{{.by}} が変更され、ロールアウトされました。各ノードで Pod が作り直され、新しい requests の分の空きがなければほかの Pod がプリエンプトされます。",
	CauseScaler:            "{{.by}} の requests は {{.scaler}} がノード数やコア数に応じて決めています。クラスターが 1 段階大きくなると、全ノードの Pod が大きくなります。{{if .nodes}}今のノードは {{.nodes}} 台です。{{end}}",
	CauseRecommendation:    "{{.by}} の requests は {{.autoscaler}} が決めています。新しく作られる Pod は、その時点の推奨値を要求します。",
	CauseJobFailed:         "{{and .failed}} にはもう再試行の回数が残っていませんでした。",
	CauseNeedless:          "その後 {{.owner}} が作成した {{.pod}} は、{{.node}} で {{.by}} と並んで動いており、両方が動く余裕はありました。ロールアウト中、スケジューラーは古い Pod がなくなったことを知る前に新しい Pod を知る場合があります (https://github.com/kubernetes/kubernetes/issues/102382)。",
	NotBudget:              "drain や evict によるものではありません。スケジューラーは Pod を直接削除し、PodDisruptionBudget は選択の余地がある場合にだけ考慮します。",
	UnknownPreemptor:       "どの Pod のためだったかを示す Event は、すでに消えたか、読み取れませんでした。Event の保持期間はデフォルトで 1 時間です。",
	RemedyPlaceholders:     "各ノードに CPU {{.cpu}} 分の空きをプレースホルダーの Pod で確保します。優先度が最も低いので、ほかのどの Pod よりも先にプリエンプトされます。",
	RemedyPlaceholdersCost: "ノード {{.nodes}} 台で CPU {{.cpu}} ずつ。{{if .more}}{{and .guests}} の実行中は、さらにノード {{.more}} 台が必要です。{{end}}",
	RemedyPlaceholdersRisk: "すでに空きのないノードにはプレースホルダーの Pod も入りません。{{if gt .n 0}}{{and .guests}} の次の実行より前に作成し、そのテンプレートに priorityClassName: {{.class}} を指定してください。{{else}}バッチ処理が始まる前に作成し、その処理には preemptionPolicy: Never の PriorityClass を指定してください。{{end}}そうしないと、その処理に場所を使われます。待機中の Pod のために追加されたノードも、プレースホルダーの Pod より先に埋まるため、グループのサイズは事前に増やしておいてください。",

	ScarceNode: "{{.place}} を失うと、{{and .workloads}} の Pod {{.n}} 個は、受け入れられるノードがほかになく Pending になります。{{if .others}}全 {{.total}} ノードのうち、ほか {{.others}} ノードでも同様です。{{end}}",

	NextStep: "{{if .more}}クラスターがノード {{.nodes}} 台 (あと {{.more}} 台) になると、{{end}}{{.set}} の requests が全ノードで {{.now}} から {{.next}} に増え、" +
		"{{and .workloads}} の Pod {{.n}} 個がプリエンプトされます。{{if .lost}}その結果 Job が失敗し、さらに Pod {{.lost}} 個が終了します。{{end}}",
	CauseNextStep:    "{{if .more}}ノード {{.nodes}} 台 (現在より {{.more}} 台多い) のとき、計算上は {{.next}} になります。{{else}}{{.next}} を要求しますが、それより少ない Pod がまだ動いています。{{end}}",
	CauseNoRoom:      "Pod は元のノードで作り直されますが、次のノードには増えた分の空きがありません (括弧内が残り)。",
	RemedyShrink:     "CPU の requests を少し減らします: {{and .asks}}。そうすれば {{.set}} の次の requests が全ノードに収まります。",
	RemedyShrinkCost: "ノードの CPU 使用率が高いときに、これらの Pod に保証される CPU が減ります。",
	RemedyShrinkRisk: "効果があるのはこの段階までで、次の段階では再び必要になることがあります。{{if .jobs}}既存の Job のテンプレートは変更できないため、コマンドは実行中の Pod をその場でリサイズします (kubelet 1.33 以降が必要)。以後に作られる Pod はテンプレートの値に戻るため、Job を作る側も変更してください。{{end}}{{if .crons}}CronJob への変更が効くのは次の実行からで、実行中の Pod は変わりません。{{end}}",
	UnknownNewNode:   "新しいノードは最も大きいグループのものと同じだと仮定しています。どのグループが増えるかはオートスケーラーが決めます。",
}
