package message

var japaneseProtection = sentences{
	ProtectionGiven:           "新しい Job に PriorityClass {{.class}} を設定します。{{if .exposed}}既存の Job {{.exposed}} 個は優先度が低く、変更できません。{{end}}",
	ProtectionReportOnly:      "ポリシーのモードが Report のため、新しい Job に PriorityClass を設定しません。",
	ProtectionPaused:          "ポリシーが一時停止中のため、新しい Job に PriorityClass を設定しません。",
	ProtectionInvalidSelector: "protect のセレクターが正しくありません: {{list .errors}}。",
	ProtectionNoClass:         "PriorityClass {{.class}} がありません。存在しないものを指定した Job は Pod を作成できません。作成するコマンド: kubectl create priorityclass {{.class}} --value=100000 --preemption-policy=Never",
	ProtectionSystemClass:     "PriorityClass {{.class}} は Kubernetes 自身のもので、Job には使えません。protect.priorityClassName に別のものを指定してください。",
	ProtectionClassPreempts:   "PriorityClass {{.class}} の Pod は、ほかの Pod をプリエンプトします。protect.priorityClassName には preemptionPolicy: Never のものを指定してください。",
	ProtectionClassTooLow:     "PriorityClass {{.class}} では保護になりません。優先度が {{.value}} で、PriorityClass のない Pod の優先度は {{.lowest}} です。protect.priorityClassName にもっと高いものを指定してください。",
	ProtectionNotServed:       "API サーバーが MutatingAdmissionPolicy の v1 に対応していません (Kubernetes 1.36 以降が必要)。代わりに Job と CronJob の Pod テンプレートに priorityClassName: {{.class}} を指定してください。",
	ProtectionNotInstalled:    "MutatingAdmissionPolicy {{.name}} またはその binding がインストールされていません。Helm チャートはモードが auto の場合にインストールします。config/protection にもあります。",
	ProtectionNotReadable:     "MutatingAdmissionPolicy {{.name}} とその binding がインストールされているかどうかは不明です。コントローラーに読み取る権限がありません。",
	ProtectionTooMany:         "DaemonSet の次の増加により、保護されていても {{and .jobs}} がプリエンプトされます。同じノードに優先度のより低い Pod が足りません。保護する Job を減らすか、survive.steps で増加分の余力を確保してください。",

	ProtectionInVain:  "{{and .jobs}} に PriorityClass を設定しても効果はありません。同じノードに優先度のより低い Pod が足りず、それでもプリエンプトされます。",
	RemedyProtect:     "{{if .held}}HeadroomPolicy で増加分の余力を確保し、{{and .jobs}} と同様の新しい Job に PriorityClass を設定します。{{else}}HeadroomPolicy で {{and .jobs}} と同様の新しい Job に PriorityClass を設定します。優先度がより低い Pod が代わりにプリエンプトされます。{{end}}",
	RemedyProtectCost: "{{if .held}}各ノードで、DaemonSet の Pod が増える分の CPU。{{else}}これらの Job にはありません。その Pod はほかの Pod をプリエンプトしません。{{end}}",
	RemedyProtectRisk: "{{if .others}}代わりに {{and .others}} の Pod {{.n}} 個がプリエンプトされます。{{end}}既存の Job は変わりません。モード auto の naosu のコントローラーが必要で、Job の保護には Kubernetes 1.36 以降が必要です。",
}
