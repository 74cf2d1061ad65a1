package message

var japaneseAction = sentences{
	ActionBegan:      "{{.remediation}} を開始しました: {{.action}}",
	ActionAllowed:    "すべての検査を通過しました。",
	ActionApproval:   "{{with .by}}{{.}} {{else}}ユーザー{{end}}が Remediation を{{if .rejected}}却下{{else}}承認{{end}}しました。",
	ActionNoActuator: "{{.node}} に {{.action}} を行えるプロバイダーが、このクラスターにありません。",

	ActionHealthy:       "操作を実行する前に、{{.node}} が正常に戻りました。",
	ActionNodeGone:      "{{.node}} はすでに存在しないか、同じ名前の別のノードに替わっています。",
	ActionNotSelected:   "{{.policy}} は {{.node}} を選択していません。",
	ActionNoSuchRule:    "{{.policy}} にルール {{.rule}} はありません。",
	ActionNotDue:        "{{.node}} がルール {{.rule}} に該当した状態は、ルールの定める時間まで続いていません。",
	ActionAnotherRule:   "{{.node}} には、{{.rule}} とは別のルールが適用されます。",
	ActionAnotherAction: "{{.policy}} は {{.node}} に対する {{.action}} を指定していません。",

	ActionPolicyGone: "ポリシーはすでに存在しません。",
	ActionNoLeave:    "ポリシーのモードが {{.mode}} に変わったため、続行できません。",
	ActionLost:       "手順の記録に矛盾があります。naosu 以外によって書き換えられています。",

	ActionNotReserved:     "台帳にこの Remediation の有効な予約がないため、続行しません。",
	ActionAborted:         "Remediation は中止されました。",
	ActionProposalDeleted: "提案が削除されました。これは却下とみなされます。",

	ActionNodeDeleted:  "naosu 以外が {{.node}} を削除しています。",
	ActionNodeRemoved:  "naosu 以外が {{.node}} を取り除こうとしています。taint {{.by}} が付いています。",
	ActionNodeShutDown: "naosu 以外が {{.node}} を停止しました。taint {{.by}} が付いています。",
	ActionUncordoned:   "naosu 以外が {{.node}} を uncordon しました。これは却下とみなされます。",

	ActionCordonedBefore:   "{{.node}} は以前から cordon されているため、そのままにします。",
	ActionCordonedByOthers: "{{.node}} は naosu 以外によって cordon されているため、そのままにします。",
	ActionLeftCordoned:     "{{.by}} がある間、{{.node}} は cordon したままにします。naosu 以外が取り除いている途中か、停止しています。",
	ActionMayNotUncordon:   "コントローラーのロールで {{.node}} の uncordon が許可されなくなりました。権限を元に戻すか、ノードを uncordon して {{and .annotations}} を削除してください。",
	ActionStaysCordoned:    "{{.node}} のマシンの交換は {{.actuator}} に要求済みで、取り消せません。ノードがなくなるか、誰かが uncordon するまで、cordon したままにします。",
	ActionPodsReturn:       "cordon されている {{.node}} に、{{and .controllers}} の Pod が {{.n}} 回戻ってきました: {{and .pods}}",
	ActionPodsLeft:         "drain の期限までに {{.n}} 個の Pod が残りました: {{and .pods}}",

	ActionAskedPerhaps: "{{.actuator}} に要求が届いたかどうかは不明です。ノードの boot ID で分かります。",
	ActionUnsure:       "{{.actuator}} は、操作を実行するかどうかを回答しませんでした: {{.words}}",
	ActionTurnedAway:   "{{.actuator}} は、この時点では操作を実行できませんでした: {{.words}}",
	ActionBusy:         "{{.actuator}} に {{.n}} 回要求しましたが、操作を実行できませんでした。マシンには何もしていません。",
	ActionRefused:      "{{.actuator}} が要求を拒否しました{{if .permission}} (naosu に権限 {{.permission}} がありません){{end}}: {{.words}}",
	ActionAgentSaid:    "{{.node}} のエージェントの報告は {{.state}} です{{if .words}}: {{.words}}{{end}}",
	ActionAgentSilent:  "{{.node}} のエージェントは {{span .within}}以内に操作を実行しませんでした。",

	ActionNotSeen:        "{{.node}} は {{span .within}}以内に再起動しませんでした。{{.actuator}} が要求を受け付けたかどうかは不明です。",
	ActionNotRebooted:    "{{.node}} は {{span .within}}以内に再起動しませんでした。再起動は要求されましたが、行われませんでした。",
	ActionNotReady:       "{{.node}} は {{span .within}}以内に Ready になりませんでした。",
	ActionStillUnhealthy: "{{span .within}}たっても {{.node}} の {{.condition}} は {{.status}} のままです。",
	ActionNotGone:        "マシンは交換されるはずでしたが、{{span .within}}たっても {{.node}} が残っています。{{if .cordoned}}ノードがなくなるか、誰かが uncordon するまで、cordon したままにします。{{end}}",
	ActionNoSuccessor:    "{{.node}} に代わる正常なノードは {{span .within}}以内に現れませんでした。",
	ActionRelapsed:       "{{.node}} の正常な状態は {{span .dwell}}続きませんでした。",

	ActionPodsBroken:  "{{.node}} の condition は正常ですが、{{span .within}}たってもこのノードで動いていない Pod があります: {{and .pods}}",
	ActionPodsMissing: "{{.node}} は正常ですが、{{span .within}}たっても以前より少ない Pod しか動いていません: {{and .workloads}}",
	ActionAsForecast:  "{{.node}} は正常で、Pod は予測どおりに動いています。",
}
