package message

var japaneseController = sentences{
	EventProposed: "{{.node}} がルール {{.rule}} に該当しました。{{.remediation}} が {{.action}} を提案しています。",

	PolicyReady:      "妨げになるものは確認されていません。",
	PolicyPaused:     "ポリシーは一時停止中です。新しい修復は始めません。",
	PolicyNoNodes:    "ノードセレクターに一致するノードがありません。",
	PolicyCompeting:  "{{and .repairers}} が同じノードを修復します。先にそちらを無効にしてください。互いを知らない修復機能が二つあるのは、一つだけの場合より危険です。",
	PolicyNoActuator: "{{if ne .actuator \"None\"}}{{.actuator}} を通じた {{end}}{{.action}} は実行できません。{{.why}}",

	PermissionNobody:     "{{.machine}} のマシンに対してこれを実行できるものが見つかりません。{{range .gaps}} {{.}}{{end}}",
	PermissionNotAsked:   "{{.actuator}} には事前に問い合わせることができません。",
	PermissionUnanswered: "{{.actuator}} から応答がありませんでした。{{.words}}",
	PermissionRBAC:       "コントローラーのロールでは {{.resource}} に対する {{.verb}} が許可されていません。",
	PermissionAgent:      "エージェントがサービスを再起動できるかどうかは、実行するまでわかりません。その設定はノード上にあります。",
	PermissionNoAgent:    "naosu-agent の Pod が見当たりません。",

	DrillSeen:      "エージェントが {{.condition}} を理由 {{.reason}} とともに報告しました。",
	DrillSilent:    "{{.node}} のエージェントは {{.after}} 以内に根拠を報告しませんでした。",
	DrillFailed:    "エージェントは訓練を実行できませんでした。{{.words}}",
	DrillNoNode:    "{{.node}} がありません。",
	DrillNoPolicy:  "{{.node}} を選択するポリシーがありません。",
	DrillNoRule:    "このノードのポリシーには、{{.condition}} {{.status}} (理由 {{.reason}}) に該当するルールがありません。",
	DrillNone:      "ポリシー {{.policy}} のルール {{.rule}} は、ノードに何もしません。",
	DrillMatched:   "ポリシー {{.policy}} のルール {{.rule}} は、{{.after}} 経過後に {{.action}} を求めます。",
	DrillAssessed:  "現状のままではいられない Pod は {{.n}} 個です。",
	DrillUnplayed:  "Pod がどうなるかを予測できませんでした。{{.words}}",
	DrillAllowed:   "ガードは続行を許可します。",
	DrillHeld:      "いま実行すると、ガードの {{.check}} により保留されます。{{.why}}",
	DrillUnjudged:  "ガードの {{.check}} が判断できませんでした。{{.why}}",
	DrillWouldAct:  "{{.action}} は {{.actuator}} に依頼され、許可されます。{{.why}}",
	DrillMayNot:    "{{.action}} は{{if ne .actuator \"None\"}} {{.actuator}} で{{end}}失敗します。{{.why}}",
	DrillNotProven: "{{.action}} は {{.actuator}} に依頼されますが、実行されるという裏付けはありません。{{.why}}",
	DrillPassed:    "訓練はアクションの直前まで到達しました。アクションは実行していません。",
	DrillCut:       "連鎖は {{.step}} で途切れています。{{.why}}",

	ErrNoDefinitions:       "{{.host}} のクラスターに naosu のカスタムリソース定義がありません。`naosu crds | kubectl apply --server-side -f -` でインストールしてください",
	ErrNamespaceName:       "{{.given}} は namespace の名前として使えません",
	ErrNamespaceNameRemedy: "コントローラーが lease と台帳を置ける namespace (naosu-system など) を指定してください",
	ErrAddress:             "{{.given}} は待ち受けアドレスとして使えません",
	ErrAddressRemedy:       ":PORT または HOST:PORT の形で、使わない場合は 0 を指定してください",
}
