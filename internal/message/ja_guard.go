package message

var japaneseGuard = sentences{
	GuardUnknown:        "判断に必要な情報が分かりません: {{.fact}}",
	GuardStale:          "判断に必要な情報が古すぎます: {{.fact}} ({{span .age}}前のもの)",
	GuardStaleEvidence:  "根拠が最後に確認されたのは {{span .age}}前です。古すぎるため、実行できません。",
	GuardFutureEvidence: "根拠が最後に確認された時刻が {{span .ahead}}先になっています。ノードの時計が進んでいるか、コントローラーの時計が遅れているため、根拠の古さが分かりません。NTP などで時計を合わせてください。",

	GuardPaused:      "ポリシーは一時停止中です。",
	GuardNotLeading:  "このコントローラーはリースを保持していません。実行するのは別のコントローラーです。",
	GuardReportOnly:  "ポリシーのモードは Report です。これは実行した場合の内容を示すだけです。",
	GuardNotApproved: "まだ承認されていません。ポリシーのモードは Approve です。",
	GuardNotEarned:   "まだ承認されていません。このポリシーが承認なしで {{.action}} を実行できるのは、予測どおりに終わった {{.action}} が {{.wanted}} 件に達してからです。現在は {{.n}} 件です。",
	GuardRejected:    "却下されました。",
	GuardCompeting:   "このノードは別の仕組みによっても修復されます: {{and .repairers}}",

	GuardInHand:     "{{.by}} が {{.node}} を処理中です。",
	GuardLeaving:    "{{.node}} は naosu 以外によって取り除かれる途中か、停止されています ({{.by}})。",
	GuardReplacing:  "{{.by}} が {{.node}} のマシンの置き換えを依頼しましたが、ノードはまだあります。uncordon すると、このノードの扱いは naosu から離れます。",
	GuardBudgetZero: "{{.scope}} の予算では 1 台も修復できません。{{.total}} 台に対する {{.budget}} は 0 台です。",
	GuardBudgetFull: "{{.scope}} の予算を使い切っています。上限 {{.limit}} 台に対し、{{.n}} 台を修復中です。",

	GuardZone:       "{{.zone}} のノード {{.total}} 台のうち {{.n}} 台が Ready ではありません。原因はノードではなくゾーンにあります。",
	GuardPattern:    "{{and .patterns}} が共通するノード {{.total}} 台のうち {{.n}} 台に同時に異常があります。1 台を修復しても共通の原因は解消しません。",
	GuardAPIServer:  "API サーバーが Ready ではないため、ノードの状態が正しいとは限りません。",
	GuardLeases:     "kubelet {{.total}} 台のうち {{.n}} 台が同時に応答していません。原因はノードではなく、API サーバーへの経路にあります。",
	GuardZonalShift: "{{and .zones}} からトラフィックを移しています。その間、新しい修復は始めません。",

	GuardNewNode:           "{{.node}} は起動中のため、あと {{span .left}}は何もしません。",
	GuardMachineClaimed:    "{{and .nodes}} がいずれも {{.machine}} で動いていることになっており、実際にどのノードなのか分かりません。違う Node を削除してください。",
	GuardControlPlane:      "コントロールプレーンの (またはそうでないと言えない) {{and .nodes}} が修復中か、Ready ではありません。同時に 2 台目を止めると、etcd のクォーラムが失われるおそれがあります。",
	GuardControlPlaneStuck: "コントロールプレーンの {{and .nodes}} が同時に Ready ではありません。etcd のクォーラムにどのノードが必要なのか分からないため、1 台を手動で復旧してください。",

	GuardDisruptionBudget: "{{.futures}} 通りの予測のうち {{.in}} 通りで、{{and .budgets}} を守れません。",
	GuardPodsLost:         "{{.futures}} 通りの予測のうち {{.in}} 通りで、{{.n}} 個の Pod が失われ、代わりは作られません: {{and .pods}}",
	GuardPodsWait:         "{{.futures}} 通りの予測のうち {{.in}} 通りで、{{.n}} 個の Pod を置けるノードがなくなります: {{and .pods}}。修復しなければ待ちません。",
	GuardPodsPreempted:    "{{.futures}} 通りの予測のうち {{.in}} 通りで、ほかの {{.n}} 個の Pod がプリエンプトされます: {{and .pods}}",
	GuardPodsGuessed:      "ほかのスケジューラーが配置する {{.n}} 個の Pod が移動します。どこに配置されるかは分かりません: {{and .pods}}。承認すれば、この判定では止まりません。",
	GuardLastReplica:      "{{.n}} 個の Pod が、そのワークロードで Ready である最後の Pod です: {{and .pods}}",
	GuardLocalData:        "{{.n}} 個の Pod のデータがこのノードだけにあり、ポリシーはそれを残すよう定めています: {{and .pods}}",
	GuardNodeAnnotation:   "{{.node}} にアノテーション {{.annotation}} があります。",
	GuardPodAnnotation:    "{{.n}} 個の Pod に退避 (evict) を禁じるアノテーションがあります: {{and .pods}}",

	GuardCoolDown:   "{{.node}} は修復されたばかりのため、あと {{span .left}}は何もしません。",
	GuardRefused:    "{{.node}} に対する {{.action}} は最近拒否されました。{{if .words}}{{.words}}{{end}}",
	GuardDidNotHelp: "{{.action}} は最近 {{.node}} に効果がありませんでした ({{.n}} 回)。",
	GuardWindow:     "メンテナンスウィンドウは {{.opens}} に始まります。",

	GuardReplaceLoop: "{{.group}}{{if .image}} のイメージ {{.image}}{{end}} のマシン {{.n}} 台が続けて交換され、そのたびに次のマシンにも異常が起きました。原因はマシンではありません。グループのイメージと設定を確認してください。",
	GuardDailyLimit:  "{{.group}} では 24 時間以内に {{.n}} 台のマシンが再起動または交換されました。上限は {{.limit}} 台です。",
}
