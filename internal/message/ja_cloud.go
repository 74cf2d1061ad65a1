package message

var japaneseCloud = sentences{
	CloudDryRunPassed: "{{.call}} の DryRun は許可されました。",
	CloudNoDryRun:     "{{.call}} には DryRun がありません。許可されるかどうかは、実行するまで分かりません。",
	CloudRefused:      "{{.call}} は拒否されます: {{.words}}",
	CloudUnanswered:   "{{.call}} に応答がありません: {{.words}}",
	CloudGone:         "マシン {{.machine}} はすでに存在しません。",
	CloudNoScaling:    "マシン {{.machine}} はどの Auto Scaling グループにも属していないため、代わりが作成されません。",
	CloudProtected:    "マシン {{.machine}} は Auto Scaling グループ {{.group}} でスケールインから保護されています。",
	CloudOtherMachine: "要求は拒否されます: {{.words}}",
	CloudNoLaunch:     "Auto Scaling グループ {{.group}} はプロセス Launch が中断されていてインスタンスを起動しないため、マシンの代わりが作成されません。",

	CloudNoCredentials: "AWS の認証情報がありません: {{.words}}",
	CloudNoRegion:      "AWS のリージョンが分かりません。AWS_REGION を設定してください。",
	CloudNoCluster:     "{{.group}} がどの EKS クラスターに属するのかが、ノードのラベルからもインスタンスのタグからも分かりません。",
	CloudUnread:        "{{.what}} を読み取れません: {{.words}}",

	CloudAccessAllowed: "API サーバーは naosu に {{.resource}} の {{.verb}} を許可しています。",
	CloudAccessDenied:  "API サーバーは naosu に {{.resource}} の {{.verb}} を許可していません。",
	CloudHeld:          "{{.machine}} にアノテーション {{.annotation}} があるため、Cluster API は対象から除外します。",
	CloudNoOwner:       "{{.machine}} は MachineSet に属しておらず、対象とする MachineHealthCheck もないため、代わりが作成されません。",
	CloudNoKarpenter:   "Karpenter の Deployment が見つからないため、そのノード修復が有効かどうか分かりません。",
	CloudNoRules:       "{{.by}} はノードを修復しますが、どの condition に対応するのかが分かりません。",
	CloudGKERepair:     "GKE は、{{.group}} のノードが約 10 分間 Ready でなければ修復します。自動修復が無効にされているかどうかは、Google の API でしか分かりません。",
}
