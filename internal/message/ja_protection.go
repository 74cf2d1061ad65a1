package message

var japaneseProtection = sentences{
	ProtectionGiven:           "新しい {{and .kinds}} に PriorityClass {{.class}} を設定します。{{if .jobs}}既存の Job {{.jobs}} 個は優先度が低く、変更できません。{{end}}{{if .others}}既存の Deployment と StatefulSet {{.others}} 個は優先度が低く、優先度の指定がないものには、Pod テンプレートの変更時に設定します。{{end}}",
	ProtectionReportOnly:      "ポリシーのモードが Report のため、PriorityClass を設定しません。",
	ProtectionPaused:          "ポリシーが一時停止中のため、PriorityClass を設定しません。",
	ProtectionInvalidSelector: "protect のセレクターが正しくありません: {{list .errors}}。",
	ProtectionNoClass:         "PriorityClass {{.class}} がありません。存在しないものを指定したワークロードは Pod を作成できません。作成するコマンド: kubectl create priorityclass {{.class}} --value=100000 --preemption-policy=Never",
	ProtectionSystemClass:     "PriorityClass {{.class}} は Kubernetes 自身のもので、ワークロードには設定できません。protect.priorityClassName に別のものを指定してください。",
	ProtectionClassPreempts:   "PriorityClass {{.class}} の Pod は、ほかの Pod をプリエンプトします。protect.priorityClassName には preemptionPolicy: Never のものを指定してください。",
	ProtectionClassTooLow:     "PriorityClass {{.class}} では保護になりません。優先度が {{.value}} で、PriorityClass のない Pod の優先度は {{.lowest}} です。protect.priorityClassName にもっと高いものを指定してください。",
	ProtectionNotServed:       "API サーバーが MutatingAdmissionPolicy の v1 に対応していません (Kubernetes 1.36 以降が必要)。代わりにワークロードの Pod テンプレートに priorityClassName: {{.class}} を指定してください (CronJob の Job では CronJob に)。",
	ProtectionNotInstalled:    "MutatingAdmissionPolicy {{.name}} またはその binding がインストールされていません。Helm チャートはモードが auto の場合にインストールします。config/protection にもあります。",
	ProtectionNotReadable:     "MutatingAdmissionPolicy {{.name}} とその binding がインストールされているかどうかは不明です。コントローラーに読み取る権限がありません。",
	ProtectionTooMany:         "DaemonSet の次の増加により、保護されていても {{and .workloads}} の Pod がプリエンプトされます。同じノードに優先度のより低い Pod が足りません。保護するワークロードを減らすか、survive.steps で増加分の余力を確保してください。",

	ProtectionInVain:  "{{and .workloads}} に PriorityClass を設定しても効果はありません。同じノードに優先度のより低い Pod が足りず、それでもプリエンプトされます。",
	RemedyProtect:     "{{if .held}}HeadroomPolicy で増加分の余力を確保し、{{and .workloads}}{{if not .rollout}} と同様の新しい Job{{end}} に PriorityClass を設定します。{{else}}HeadroomPolicy で {{and .workloads}}{{if not .rollout}} と同様の新しい Job{{end}} に PriorityClass を設定します。優先度がより低い Pod が代わりにプリエンプトされます。{{end}}",
	RemedyProtectCost: "{{if .held}}各ノードで、DaemonSet の Pod が増える分の CPU。{{else}}これらのワークロードにはありません。その Pod はほかの Pod をプリエンプトしません。{{end}}",
	RemedyProtectRisk: "{{if .others}}代わりに {{and .others}} の Pod {{.n}} 個がプリエンプトされます。{{end}}{{if .rollout}}保護の対象は、次のロールアウトまで変わりません。{{else}}既存の Job は変わりません。{{end}}モード auto の naosu のコントローラーが必要で、PriorityClass の設定には Kubernetes 1.36 以降が必要です。",
}
