package message

var japaneseBasis = sentences{
	KindForbidden:   "この認証情報では {{.kind}} を読めません。そのため {{.code}}({{.title}})を判断しきれません。",
	KindAbsent:      "{{.kind}} を読んでいません。そのため {{.code}}({{.title}})を判断しきれません。",
	PodNotModelled:  "ノードに割り当て済みの Pod が動かない理由は、まだ説明できません。",
	OtherScheduler:  "この Pod を配置するのは {{.scheduler}} で、kube-scheduler とは規則が異なる可能性があります。",
	NoJudge:         "スケジューラーの判定は行っていません。クラスターについて分かっていることが足りません。",
	OtherVersion:    "クラスターのバージョンは {{.server}} ですが、Kubernetes {{.version}} の規則で判定しています。",
	UnknownVersion:  "クラスターのバージョンが分からないため、Kubernetes {{.version}} の規則で判定しています。",
	DefaultProfile:  "スケジューラーは Kubernetes {{.version}} の既定のプロファイルで動いているものとみなしています。異なる場合は --scheduler-config で設定を渡してください。",
	RuleNotModelled: "{{.what}} は Pod の配置に影響しますが、モデル化していません。",
	SomePods:        "クラスターの Pod の一部しか分かっていません。ほかの Pod がノードをどれだけ使っているかは分からず、対処の検証もできません。",
	JudgeFailed:     "スケジューラーの規則を適用できませんでした: {{.why}}",
}
