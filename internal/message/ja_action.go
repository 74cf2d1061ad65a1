package message

var japaneseAction = sentences{
	ActionBegan:      "{{.remediation}} を開始しました: {{.action}}",
	ActionAllowed:    "すべてのチェックが許可しています。",
	ActionApproval:   "{{with .by}}{{.}} {{else}}人{{end}}が{{if .rejected}}却下{{else}}承認{{end}}しました。",
	ActionNoActuator: "{{.node}} に対する {{.action}} を実行できるものが、このクラスターにありません。",

	ActionHealthy:       "何かを実行する前に、{{.node}} は正常に戻りました。",
	ActionNodeGone:      "{{.node}} はなくなったか、同じ名前の別のノードになっています。",
	ActionNotSelected:   "{{.policy}} は {{.node}} を選択していません。",
	ActionNoSuchRule:    "{{.policy}} にルール {{.rule}} はありません。",
	ActionNotDue:        "{{.node}} は、ルール {{.rule}} が求める時間だけ条件を満たしていません。",
	ActionAnotherRule:   "{{.node}} には、{{.rule}} とは別のルールが適用されます。",
	ActionAnotherAction: "{{.policy}} は {{.node}} の {{.action}} を求めていません。",

	ActionPolicyGone: "ポリシーがなくなりました。",
	ActionNoLeave:    "ポリシーのモードが {{.mode}} に変わったため、続行できません。",
	ActionLost:       "ステップがあり得ない状態です。ほかの誰かが書き換えています。",

	ActionNotReserved:     "台帳にこの Remediation の進行中の予約がないため、続行しません。",
	ActionAborted:         "中止されました。",
	ActionProposalDeleted: "提案が削除されたため、却下として扱います。",

	ActionNodeDeleted:  "{{.node}} は naosu 以外によって削除されている途中です。",
	ActionNodeRemoved:  "{{.node}} は naosu 以外によって取り除かれる途中です。taint {{.by}} があります。",
	ActionNodeShutDown: "{{.node}} は naosu 以外によって停止されています。taint {{.by}} があります。",
	ActionUncordoned:   "{{.node}} は naosu 以外によって uncordon されました。これは却下とみなします。",

	ActionCordonedBefore:   "{{.node}} は以前から cordon されていたため、そのままにします。",
	ActionCordonedByOthers: "{{.node}} は naosu 以外によって cordon されているため、そのままにします。",
	ActionLeftCordoned:     "{{.node}} は {{.by}} がある間 (naosu 以外による削除または停止)、cordon したままにします。",
	ActionMayNotUncordon:   "コントローラーのロールでは、{{.node}} の uncordon がもう許可されていません。権限を戻すか、ノードを uncordon して {{and .annotations}} を外してください。",
	ActionStaysCordoned:    "{{.node}} のマシンの置き換えは {{.actuator}} に依頼済みで、取り消せません。ノードがなくなるか、誰かが uncordon するまで、cordon したままにします。",
	ActionPodsReturn:       "cordon されている {{.node}} に、{{and .controllers}} の Pod が {{.n}} 回戻ってきました: {{and .pods}}",
	ActionPodsLeft:         "drain の期限までに {{.n}} 個の Pod が残りました: {{and .pods}}",

	ActionAskedPerhaps: "{{.actuator}} に依頼したかどうかは不明です。ノードの boot ID で分かります。",
	ActionUnsure:       "{{.actuator}} が実行するかどうかは不明です: {{.words}}",
	ActionTurnedAway:   "{{.actuator}} は今は実行できませんでした: {{.words}}",
	ActionBusy:         "{{.actuator}} に {{.n}} 回依頼しましたが、いずれもその時は実行できませんでした。マシンには何もしていません。",
	ActionRefused:      "{{.actuator}} に拒否されました{{if .permission}} (naosu に権限 {{.permission}} がありません){{end}}: {{.words}}",
	ActionAgentSaid:    "{{.node}} のエージェントの報告は {{.state}} です: {{.words}}",
	ActionAgentSilent:  "{{.node}} のエージェントは {{span .within}}以内に実行しませんでした。",

	ActionNotSeen:     "{{.node}} は {{span .within}}以内に再起動しませんでした。{{.actuator}} が依頼を受け付けたかどうかは不明です。",
	ActionNotRebooted: "{{.node}} は {{span .within}}以内に再起動しませんでした。再起動は依頼されましたが、実行されていません。",
	ActionNotReady:    "{{.node}} は {{span .within}}以内に Ready になりませんでした。",
	ActionStillIll:    "{{span .within}}たっても {{.node}} の {{.condition}} は {{.status}} のままです。",
	ActionNotGone:     "{{span .within}}たっても {{.node}} が残っています。マシンは置き換えられるはずでした。{{if .cordoned}}ノードがなくなるか、誰かが uncordon するまで、cordon したままにします。{{end}}",
	ActionNoSuccessor: "{{.node}} に代わる正常なノードは {{span .within}}以内に現れませんでした。",
	ActionRelapsed:    "{{.node}} の正常な状態は {{span .dwell}}続きませんでした。",

	ActionPodsBroken:  "{{.node}} のコンディションは正常ですが、{{span .within}}たってもこのノードで動いていない Pod があります: {{and .pods}}",
	ActionPodsMissing: "{{.node}} は正常ですが、{{span .within}}たっても以前より少ない Pod しか動いていません: {{and .workloads}}",
	ActionAsForecast:  "{{.node}} は正常で、Pod は予測どおりに動いています。",
}
