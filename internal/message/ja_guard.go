package message

var japaneseGuard = sentences{
	GuardUnknown:        "判定に必要な情報がありません: {{.fact}}",
	GuardStale:          "判定に必要な情報が古すぎます: {{.fact}} ({{span .age}}前のもの)",
	GuardStaleEvidence:  "根拠が最後に確認されたのは {{span .age}}前です。古すぎるため、修復に使えません。",
	GuardFutureEvidence: "根拠が最後に確認された時刻が {{span .ahead}}先になっています。ノードの時計が進んでいるか、コントローラーの時計が遅れているため、根拠の古さが分かりません。NTP などで時計を合わせてください。",

	GuardPaused:      "ポリシーは一時停止中です。",
	GuardNotLeading:  "このコントローラーは Lease を保持していません。実行するのは別のコントローラーです。",
	GuardReportOnly:  "ポリシーのモードは Report です。これは実行した場合の内容を示すだけです。",
	GuardNotApproved: "承認が必要ですが、まだ承認されていません。",
	GuardNotEarned:   "まだ承認されていません。このポリシーが承認なしで {{.action}} を実行できるのは、予測どおりに終わった {{.action}} が {{.wanted}} 件に達してからです。現在は {{.n}} 件です。",
	GuardRejected:    "Remediation は却下されました。",
	GuardCompeting:   "このノードは別の仕組みによっても修復されます: {{and .repairers}}",

	GuardInHand:     "{{.by}} が {{.node}} を処理中です。",
	GuardLeaving:    "naosu 以外が {{.node}} を取り除こうとしているか、停止しています ({{.by}})。",
	GuardReplacing:  "{{.by}} が {{.node}} のマシンの交換を要求しましたが、ノードはまだ存在します。uncordon すると、naosu はこのノードを扱わなくなります。",
	GuardBudgetZero: "{{.scope}} で同時に修復できるノードの上限は 0 台です{{if ne .budget \"0\"}} ({{.total}} 台の {{.budget}} を切り捨て){{end}}。",
	GuardBudgetFull: "{{.scope}} で同時に修復できるノードの上限に達しています (上限 {{.limit}} 台、修復中 {{.n}} 台)。",

	GuardZone:       "{{.zone}} のノード {{.total}} 台のうち {{.n}} 台が Ready ではありません。原因はノードではなくゾーンにあります。",
	GuardPattern:    "{{and .patterns}} が共通するノード {{.total}} 台のうち {{.n}} 台に同時に異常があります。1 台を修復しても共通の原因は解消しません。",
	GuardAPIServer:  "API サーバーが Ready ではないため、ノードの状態が正しいとは限りません。",
	GuardLeases:     "kubelet {{.total}} 台のうち {{.n}} 台が同時に応答していません。原因はノードではなく、API サーバーへの経路にあります。",
	GuardZonalShift: "{{and .zones}} からトラフィックを移しています。その間、新しい修復は開始しません。",

	GuardNewNode:           "{{.node}} は起動中のため、あと {{span .left}}は何もしません。",
	GuardMachineClaimed:    "{{and .nodes}} がいずれも {{.machine}} で動いていると報告しており、どれが実際のノードなのか分かりません。該当しない Node オブジェクトを削除してください。",
	GuardControlPlane:      "コントロールプレーンのノード (またはその可能性がある) {{and .nodes}} が修復中か、Ready ではありません。同時に 2 台目を止めると、etcd のクォーラムが失われるおそれがあります。",
	GuardControlPlaneStuck: "コントロールプレーンの {{and .nodes}} が同時に Ready ではありません。etcd のクォーラムにどのノードが必要なのか分からないため、1 台を手動で復旧してください。",

	GuardDisruptionBudget: "{{.futures}} 回のシミュレーションのうち {{.in}} 回で、{{and .budgets}} に違反します。",
	GuardPodsLost:         "{{.futures}} 回のシミュレーションのうち {{.in}} 回で、{{.n}} 個の Pod が失われ、再作成されません: {{and .pods}}",
	GuardPodsWait:         "{{.futures}} 回のシミュレーションのうち {{.in}} 回で、{{.n}} 個の Pod に、空き容量とアドレスのあるノードがなくなります: {{and .pods}}。修復しなければ待機しません。",
	GuardPodsPreempted:    "{{.futures}} 回のシミュレーションのうち {{.in}} 回で、ほかの {{.n}} 個の Pod がプリエンプトされます: {{and .pods}}",
	GuardPodsGuessed:      "ほかのスケジューラーが配置する {{.n}} 個の Pod が移動します。どこに配置されるかは分かりません: {{and .pods}}。承認すれば、この検査では止まりません。",
	GuardLastReplica:      "{{.n}} 個の Pod が、そのワークロードで Ready である最後の Pod です: {{and .pods}}",
	GuardLocalData:        "{{.n}} 個の Pod のデータがこのノードだけにあり、ポリシーはそのようなデータを保護します: {{and .pods}}",
	GuardNodeAnnotation:   "{{.node}} にアノテーション {{.annotation}} があります。",
	GuardPodAnnotation:    "{{.n}} 個の Pod に退避 (evict) を禁じるアノテーションがあります: {{and .pods}}",

	GuardCoolDown:   "{{.node}} は修復されたばかりのため、あと {{span .left}}は何もしません。",
	GuardRefused:    "{{.node}} に対する {{.action}} は最近拒否されました。{{if .words}}{{.words}}{{end}}",
	GuardDidNotHelp: "{{.action}} は最近 {{.node}} に効果がありませんでした ({{.n}} 回)。",
	GuardDwell:      "{{.node}} は {{.ago}} 前に変化しました。{{.dwell}} の間どのノードも変化しなければ、Pod を退避します。",
	GuardWindow:     "メンテナンスウィンドウは {{.opens}} に始まります。",

	GuardReplaceLoop: "{{.group}}{{if .image}} のイメージ {{.image}}{{end}} のマシン {{.n}} 台が続けて交換され、そのたびに次のマシンにも異常が起きました。原因はマシンではありません。グループのイメージと設定を確認してください。",
	GuardDailyLimit:  "{{.group}} では 24 時間以内に {{.n}} 台のマシンが再起動または交換されました。上限は {{.limit}} 台です。",
}
