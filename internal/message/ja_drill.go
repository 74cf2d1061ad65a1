package message

var japaneseDrill = sentences{
	DrillNoNodeGiven:      "{{.given}} はノードではありません",
	DrillNodeGone:         "ノード {{.node}} はありません",
	DrillNodeRemedy:       "node/NAME の形で指定してください",
	DrillExpendableAlone:  "--act がなければ何も立てません",
	DrillActAlone:         "ノードを失う可能性がありますが、失ってもよいノードが示されていません",
	DrillOtherNode:        "{{.given}} は、訓練の対象 {{.node}} ではありません",
	DrillExpendableRemedy: "失ってもよいノードを --act --expendable node/NAME のように指定してください",
	DrillConditionRemedy:  "{{.reason}} が変える condition を --condition NetworkingReady のように指定してください",

	DrillBegins:  "{{if .act}}{{.node}} で {{.reason}} として {{.condition}} を立て、{{if .by}}{{.by}} が{{else}}何かが{{end}}修復するかどうかを見ます。{{else}}{{.node}} で害のない {{.reason}} を起こし、実際には行わない修復まで最後まで通します。{{end}}",
	DrillThrough: "{{if .act}}マシンは修復されました。すべての箇所を通りました。{{else}}すべての箇所を通りました。{{end}}{{if .remediation}}記録は remediation/{{.remediation}} にあります。{{end}}",
	DrillStopped: "連鎖は {{.hop}} で途切れています。{{if .remediation}}記録は remediation/{{.remediation}} にあります。{{end}}",
	DrillWasCut:  "連鎖が {{.hop}} で途切れています",
	DrillCutAt:   "{{.hop}} で途切れました: {{.why}}",

	DrillLate:           "{{.hop}} が {{span .after}}以内に来ませんでした。{{.who}}",
	DrillLateAgent:      "{{.node}} の naosu のエージェントが受け取りませんでした。エージェントがないか、応答していないか、Remediation を監視する権限がありません。",
	DrillLateFault:      "{{.node}} のエージェントは受け取りましたが、障害を起こしませんでした。",
	DrillLateDetect:     "{{.node}} の {{.reason}} の検出器が障害を見つけませんでした。",
	DrillLateEvidence:   "{{.node}} の検出器が見たものが、{{.reason}} の十分な根拠になりませんでした。",
	DrillLateReport:     "{{.node}} のエージェントが根拠から condition を作らなかったか、書き込めませんでした。",
	DrillLateController: "コントローラーが受け取りませんでした。動いているコントローラーがないか、Remediation を見ることができません。",

	DrillUnrecorded:   "naosu の CRD がインストールされていないため、この訓練の結果は記録されません。",
	DrillNotForgotten: "中断した訓練の {{.remediation}} を削除できませんでした: {{.why}}",
	DrillNotWritten:   "訓練の結果を記録できませんでした: {{.why}}",
	DrillNotPutBack:   "{{.node}} の {{.condition}} を元に戻せず、立てたままになっています: {{.why}}",

	DrillMark:          "naosu repair drill が立てたもので、異常はありません。{{.at}} に確認。",
	DrillRaisedSays:    "{{.condition}} は {{.reason}} により {{.status}}",
	DrillHolding:       "最長 {{span .most}}のうち {{span .held}}維持",
	DrillWaited:        "修復の仕組みが待つ {{span .wait}}の間 condition が続いた",
	DrillGone:          "{{.node}} がなくなった",
	DrillReplaced:      "{{.node}} の名前を別のマシンが持つ",
	DrillRebooted:      "{{.node}} が再起動された (boot ID は {{.before}} から {{.after}} へ)",
	DrillMended:        "{{.node}} は Ready",
	DrillNotMended:     "修復の後 {{span .after}}以内に、{{.node}} も同じグループの新しいノードも Ready になりませんでした。",
	DrillNeverHappened: "condition は {{span .held}}続きましたが、{{if .by}}{{.by}} が{{else}}何かが{{end}}修復した形跡はありません。{{if .sign}}修復は受け付けられました ({{.sign}}) が、行われませんでした。{{else}}受け付けられたとしても、行われませんでした。{{end}}{{if .n}}condition は {{.n}} 回何かに戻され、そのたびに立て直しました。{{end}}",
	DrillNotProposed:   "condition は {{span .held}}続きましたが、{{.by}} の Remediation は作られませんでした。コントローラーが動いていないか、時間に達したルールがありません。{{if .n}}condition は {{.n}} 回何かに戻されました。{{end}}{{if .sign}}{{.sign}} が変わりました。{{end}}",
	DrillHeldBack:      "{{.by}} の {{.remediation}} が作られましたが、{{span .held}}たっても {{.phase}} のままです: {{.why}}{{if .n}}condition は {{.n}} 回何かに戻されました。{{end}}{{if .sign}}{{.sign}} が変わりました。{{end}}",
}
