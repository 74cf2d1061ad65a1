package message

var japaneseHeadroomPolicy = sentences{
	HeadroomPolicyCovered:    "ノードに割り当て済みのプレースホルダー Pod で、どの障害にも耐えられます。",
	HeadroomPolicyLacks:      "ノードに割り当て済みのプレースホルダー Pod では、次の障害に耐えられません: {{list .failures}}。{{.because}}",
	HeadroomPolicyLack:       "{{.failure}} ({{.requests}} の Pod {{.n}} 個が待機するか、プリエンプトされる)",
	HeadroomPolicyUnknown:    "ノードに割り当て済みのプレースホルダー Pod で次の障害に耐えられるかどうかは不明です: {{list .failures}}。{{.because}}",
	HeadroomPolicyReportOnly: "ポリシーのモードが Report のため、余力を確保していません。{{if .wanted}}モードが Auto なら {{.wanted}}を確保します。{{end}}",
	HeadroomPolicyNotBound:   "プレースホルダー Pod {{.n}} 個がノードに割り当てられていません。",
	HeadroomPolicyNotHeld:    "クラスターが変化し、余力の大きさはまだ変更されていません。",
	HeadroomPolicyMaximum:    "必要な余力は {{.wanted}}ですが、maxRoom の上限は {{.most}}です。",
	HeadroomPolicyNeedsNodes: "今のノードでは余力を確保できず、さらに {{.n}} 台が必要です。",
	HeadroomPolicyNotSized:   "耐えられる余力が見つからなかったか、クラスターが大きすぎて計算できません。",
	HeadroomPolicyUnread:     "{{and .kinds}} をすべては読み取れません。",
	HeadroomPolicyNotFound:   "{{and .names}} はクラスターにありません。",
	HeadroomPolicyNoClass:    "PriorityClass {{.class}} がないか、優先度が異なります。Helm チャートが作成します。",
	HeadroomPolicyForbidden:  "コントローラーに {{.namespace}} の Deployment と DaemonSet を作成する権限がありません。Helm チャートは、モードが auto の場合だけ権限を与えます。",
	HeadroomPolicyGrowth:     "{{.daemonSet}} の {{.requests}} の増加",
	HeadroomPolicyBurst:      "{{.workload}} の急増",
	HeadroomPolicyAmount:     "プレースホルダー Pod {{.n}} 個 ({{.requests}}) ",
	HeadroomPolicyResized:    "余力の大きさを変更しました: {{.amount}}。",
	HeadroomPolicyGivenBack:  "余力を手放しました。",
	HeadroomPolicyPreempted:  "{{.node}} の {{.pod}} がプリエンプトされ、その余力が使われました。",
}
