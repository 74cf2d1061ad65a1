package message

var japaneseBasis = sentences{
	KindForbidden:   "この認証情報では {{.kind}} を読めません。そのため {{.code}}({{.title}})を判断しきれません。",
	KindAbsent:      "{{.kind}} を読んでいません。そのため {{.code}}({{.title}})を判断しきれません。",
	FitNotModelled:  "リソース、Pod 間の affinity、topology spread、ポート、アタッチ数の上限は判定していません。これらも Pod を妨げているかどうかは分かりません。",
	PodNotModelled:  "ノードに割り当て済みの Pod が動かない理由は、まだ説明できません。",
	OtherScheduler:  "この Pod を配置するのは {{.scheduler}} で、kube-scheduler とは規則が異なる可能性があります。",
	ClaimUnbound:    "{{.claim}} にはまだボリュームがありません。その理由はまだ説明できません。",
	VolumeElsewhere: "{{.claim}} がバインドされている {{.volume}} は、ゾーン以外の条件でノードに結び付いています。これはまだ説明できません。",
	NodesOpen:       "{{.claim}} があるため、Pod は {{or .zones}} でしか動けません。そこでは {{and .nodes}} が使えそうですが、実際に入るかどうかはスケジューラーにしか判断できず、まだ問い合わせていません。",
}
