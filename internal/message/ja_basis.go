package message

var japaneseBasis = sentences{
	KindForbidden:   "この認証情報では {{.kind}} を読み取れないため、{{.code}} ({{.title}}) を完全には判定できません。",
	KindAbsent:      "読み取ったデータに {{.kind}} がないため、{{.code}} ({{.title}}) を完全には判定できません。",
	KindsPartial:    "{{and .kinds}} は 1 つの Namespace の分しか分かりません。ほかの Namespace にも問題があるかもしれず、ノードにはここでの集計より多くのものがあるかもしれません。",
	PodNotModelled:  "naosu は、ノードに割り当て済みの Pod が動かない理由をまだ説明できません。",
	OtherScheduler:  "この Pod を配置するのは {{.scheduler}} で、kube-scheduler とはルールが異なる可能性があります。",
	NoJudge:         "クラスターの情報が足りないため、スケジューラーのルールによる判定は行っていません。",
	OtherVersion:    "クラスターのバージョンは {{.server}} ですが、Kubernetes {{.version}} のルールで判定しています。",
	UnknownVersion:  "クラスターのバージョンが分からないため、Kubernetes {{.version}} のルールで判定しています。",
	DefaultProfile:  "スケジューラーは Kubernetes {{.version}} のデフォルトのプロファイルで動いているものとみなしています。異なる場合は --scheduler-config で設定を渡してください。",
	RuleNotModelled: "{{.what}} は Pod の配置に影響しますが、判定に含めていません。",
	NoAttachLimits:  "{{and .kinds}} を読み取れないため、各ノードがあといくつボリュームをアタッチできるかは分かりません。",
	NoNamespaces:    "Namespace を読み取れないため、Pod の affinity がどの Namespace を対象とするかは分かりません。",
	SomePods:        "クラスターの Pod の一部しか分かりません。ほかの Pod がノードをどれだけ使っているか分からないため、対処の検証もできません。",
	JudgeFailed:     "スケジューラーのルールを適用できませんでした: {{.why}}",
}
