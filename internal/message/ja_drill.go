package message

var japaneseDrill = sentences{
	DrillNoNodeGiven:      "{{.given}} はノードではありません",
	DrillNodeGone:         "ノード {{.node}} は存在しません",
	DrillNodeRemedy:       "node/NAME の形で指定してください",
	DrillExpendableAlone:  "--act がなければ効果がありません",
	DrillActAlone:         "ノードを失う可能性がありますが、失ってもよいノードが指定されていません",
	DrillOtherNode:        "{{.given}} は、訓練の対象 {{.node}} ではありません",
	DrillExpendableRemedy: "失ってもよいノードを --act --expendable node/NAME のように指定してください",
	DrillConditionRemedy:  "{{.reason}} が変える condition を --condition NetworkingReady のように指定してください",

	DrillBegins:   "{{if .act}}{{.node}} に {{.reason}} の {{.condition}} を設定し、{{if .by}}{{.by}} が{{else}}何かが{{end}}修復するかどうかを確認します。{{else}}{{.node}} で無害な {{.reason}} を発生させ、検出から操作のドライランまでを追跡します。{{end}}",
	DrillThrough:  "{{if .act}}マシンは修復されました。すべての区間を通過しました。{{else}}すべての区間を通過しました。{{end}}{{if .remediation}}記録は remediation/{{.remediation}} にあります。{{end}}",
	DrillStopped:  "訓練は {{.hop}} で失敗しました。{{if .remediation}}記録は remediation/{{.remediation}} にあります。{{end}}",
	DrillDidFail:  "訓練が {{.hop}} で失敗しました",
	DrillFailedAt: "{{.hop}} で失敗しました: {{.why}}",

	DrillLate:           "{{.hop}} が {{span .after}}以内に行われませんでした。{{.who}}",
	DrillLateAgent:      "{{.node}} の naosu エージェントが訓練を受け取りませんでした。エージェントが動いていないか、応答していないか、Remediation を watch する権限がありません。",
	DrillLateFault:      "{{.node}} のエージェントは訓練を受け取りましたが、障害を発生させませんでした。",
	DrillLateDetect:     "{{.node}} の {{.reason}} の検出器が障害を検出しませんでした。",
	DrillLateEvidence:   "{{.node}} の検出器が検出した内容は、{{.reason}} の根拠として十分ではありませんでした。",
	DrillLateReport:     "{{.node}} のエージェントが根拠から condition を作らなかったか、書き込めませんでした。",
	DrillLateController: "コントローラーが訓練を受け取りませんでした。コントローラーが動いていないか、Remediation を読み取れません。",

	DrillUnrecorded:   "naosu の CRD がインストールされていないため、この訓練の結果は記録されません。",
	DrillNotForgotten: "中断した訓練の {{.remediation}} を削除できませんでした: {{.why}}",
	DrillNotWritten:   "訓練の結果を記録できませんでした: {{.why}}",
	DrillNotPutBack:   "{{.node}} の {{.condition}} を元に戻せず、設定したままになっています: {{.why}}",

	DrillMark:          "naosu repair drill が設定したもので、異常はありません。{{.at}} に確認。",
	DrillRaisedSays:    "{{.condition}} は {{.reason}} により {{.status}}",
	DrillHolding:       "最長 {{span .most}}のうち {{span .held}}維持",
	DrillWaited:        "修復の仕組みが待つ {{span .wait}}の間、condition が続いた",
	DrillGone:          "{{.node}} がなくなった",
	DrillReplaced:      "{{.node}} の名前が別のマシンに移った",
	DrillRebooted:      "{{.node}} が再起動された (boot ID は {{.before}} から {{.after}} へ)",
	DrillMended:        "{{.node}} は Ready",
	DrillNotMended:     "操作の後 {{span .after}}以内に、{{.node}} も同じグループの新しいノードも Ready になりませんでした。",
	DrillNeverHappened: "condition は {{span .held}}続きましたが、{{if .by}}{{.by}} による{{end}}修復は確認できませんでした。{{if .sign}}修復は受け付けられましたが ({{.sign}})、行われませんでした。{{else}}修復が受け付けられたとしても、行われませんでした。{{end}}{{if .n}}condition は何かによって {{.n}} 回元に戻され、そのたびに設定し直しました。{{end}}",
	DrillNotProposed:   "condition は {{span .held}}続きましたが、{{.by}} の Remediation は作成されませんでした。コントローラーが動いていないか、待ち時間に達したルールがありません。{{if .n}}condition は何かによって {{.n}} 回元に戻されました。{{end}}{{if .sign}}{{.sign}} が変わりました。{{end}}",
	DrillHeldBack:      "{{.by}} の {{.remediation}} が作成されましたが、{{span .held}}たっても {{.phase}} のままです: {{.why}}{{if .n}}condition は何かによって {{.n}} 回元に戻されました。{{end}}{{if .sign}}{{.sign}} が変わりました。{{end}}",
}
