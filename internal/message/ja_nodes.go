package message

var japaneseNodes = sentences{
	TitleN102: "ボリュームのあるゾーンで最後のノードを失うおそれのあるノードグループ",
	TitleN103: "ゾーンを失うと Pending になる Pod",

	AndMore:          "ほか {{.n}} 件",
	UnknownMachine:   "{{.node}} のマシンが停止しているのか、ネットワークから切り離されているだけでコンテナは動き続けているのかは、Kubernetes API では分かりません。クラウド側で確認してください (EC2 ならインスタンスの状態)。",
	CauseNodeSilent:  "{{.node}} の kubelet からの応答が途絶え、コントロールプレーンの猶予時間を過ぎています。",
	CauseNodeGone:    "{{.node}} はすでに存在しません。",
	CauseNodeUp:      "{{.node}} は Ready なので、強制デタッチは行われません。",
	UnknownKubelet:   "{{.node}} の kubelet がコンテナを終了できない理由は、Kubernetes API ではなく kubelet のログにあります。カーネル内で固まったプロセスや、アンマウントできないボリュームがよくある原因です。",
	UnknownNotJudged: "スケジューラーのルールによる判定ができなかったため、シミュレーションは行っていません。",

	TitleN104: "解放されない VolumeAttachment",

	AttachmentStuck:         "{{.claim}} のボリュームは、{{.attachment}} により {{.node}} ({{if .gone}}すでに存在しません{{else if .up}}Ready{{else}}応答なし{{end}}) にアタッチされたままです。{{if .waiting}}これが消えるまで {{and .waiting}} は起動できません。{{end}}VolumeAttachment を削除しても解決しません。",
	CauseAttached:           "コントロールプレーンは {{.volume}} が {{.node}} にアタッチされていると認識しています。このボリュームを同時に使えるノードは 1 台だけです。",
	CauseStillUsed:          "そのノードでは {{and .pods}} がまだこのボリュームを使用中とみなされています。Pod オブジェクトが消えるまでは、コンテナが書き込んでいる可能性があるためです。",
	CauseAttachmentReturns:  "{{.attachment}} を削除してもデタッチはされません。CSI ドライバーがデタッチを終えるまで external-attacher の finalizer によりオブジェクトが残り、コントロールプレーンがアタッチ済みと認識している間は作り直されます。",
	CauseForceDetach:        "{{if .up}}CSI ドライバーがデタッチできるようになれば解消します。{{else}}時間が経てば解消します。{{.node}} でボリュームを使う Pod がなくなってから 6 分後に強制デタッチされます{{if not .gone}} (out-of-service taint があれば直ちに行われます){{end}}。{{end}}",
	NotWaitingForAttachment: "{{and .unplaced}} が Pending なのはこのためではありません。アタッチは Pod のノードが決まった後に行われ、この Pod のノードはまだ決まっていません。",
	UnknownDetachSince:      "VolumeAttachment ごとの 6 分がいつ始まったか、また --disable-force-detach-on-timeout が指定されているかは、kube-controller-manager の内部にしかなく、確認できません。",

	TitleN201: "ノードの停止: 何がいつまで待つか",

	NodeDown:          "{{.node}} が停止しています{{if .parts}}: {{and .parts}}{{else}}。待っている Pod はありません{{end}}。",
	CauseNodeNotReady: "{{.node}} の kubelet が、Pod を動かせない状態だと報告しています{{if .why}}: {{.why}}{{else}}。{{end}}",

	DownOverdue:     "{{.at}} に削除または除去されるはずでしたが、まだ残っています。それを行う kube-controller-manager が動いていないようです: {{and .pods}}",
	DownTerminating: "削除済みですが、kubelet が終了を確認するか Node オブジェクトが消えるまで Terminating のままです: {{and .pods}}",
	DownStateful:    "{{.at}} に削除されますが、古いオブジェクトがある限り StatefulSet は代わりを作りません。ノードの復帰、Node オブジェクトの削除、手動での解放のいずれかまで続きます: {{and .pods}}",
	DownAttached:    "{{.at}} に削除され、代わりはすぐに作られますが、ボリュームが空くまで起動できません。古い Pod のオブジェクトが消えた後、さらに最大 6 分かかります: {{and .pods}}",
	DownMoves:       "{{.at}} まではこのノードで動作中とみなされます。その後削除され、すぐに代わりが作られます: {{and .pods}}",
	DownForgotten:   "{{.at}} に削除され、代わりを作るコントローラーはありません: {{and .pods}}",
	DownStays:       "ノードの状態を期限なしで許容 (toleration) しているため、いつまでもこのノードで動作中とみなされます: {{and .pods}}",
	DownUntold:      "このノードで動作中とみなされています。Pod を退避させる taint はまだ付いていません。同じゾーンで多くのノードが同時に落ちると、コントロールプレーンは taint の付与を遅らせます: {{and .pods}}",

	DownOverduePart:     "すでに消えているはずの Pod {{.n}} 個が残ったまま",
	DownTerminatingPart: "Pod {{.n}} 個が Terminating のまま",
	DownStatefulPart:    "StatefulSet の Pod {{.n}} 個は解放されるまで代わりを作れない",
	DownAttachedPart:    "ボリュームを持つ Pod {{.n}} 個が移動できるのは {{.at}} の数分後",
	DownMovesPart:       "Pod {{.n}} 個が {{.at}} まで動作中とみなされる",
	DownForgottenPart:   "代わりの作られない Pod {{.n}} 個が {{.at}} に削除される",
	DownStaysPart:       "Pod {{.n}} 個がいつまでも残る",
	DownUntoldPart:      "Pod {{.n}} 個が期限なしに動作中とみなされる",

	RemedyOutOfService:     "{{.node}} が確実に停止している場合は、out-of-service taint を付けます。Pod は直ちに削除され、ボリュームもすぐにデタッチされます。",
	RemedyOutOfServiceCost: "ノードの復帰後に taint を外す必要があります: {{.untaint}}",
	RemedyOutOfServiceRisk: "マシンが動いていればコンテナも動いており、1 つのボリュームに 2 つの Pod が書き込むおそれがあります。先にクラウド側でインスタンスが停止または終了していることを確認してください。",

	TitleN205: "Terminating のまま残る Pod、または停止したノードで止まった StatefulSet",

	StuckTerminating: "{{and .pods}} が {{.node}} で Terminating のままです。{{if .blocked}}{{and .blocked}} は代わりの Pod を作れません。{{end}}",
	CauseDeleted:     "すでに削除されており、終了の猶予期間も過ぎています。",
	StuckFinalizer:   "finalizer によりオブジェクトが残っています。付けた側がまだ外していません。",
	StuckNodeGone:    "{{.node}} はすでに存在しないため、終了を確認する kubelet がありません。このような Pod は 1 分ほどでコントロールプレーンのガベージコレクションが削除します。",
	StuckNodeDown:    "Pod のオブジェクトは、コンテナの終了を kubelet が確認してはじめて消えますが、{{.node}} の kubelet は応答していません。Pod はまだ動いている可能性があります。",
	StuckKubelet:     "{{.node}} は Ready ですが、kubelet がコンテナの終了をまだ報告していません。",

	CauseStatefulBlocked:  "{{and .blocked}} は Pod ごとに固有の名前を付けるため、同じ名前の Pod がある間は次を作りません。",
	CauseVolumeHeld:       "{{and .waits}} は、{{.pod}} がまだ使用中とみなされているボリュームを待っています。",
	CauseNobodyBlocked:    "これを待っているものはありません。",
	DaemonSetWaits:        "これが消えるまで、{{.owner}} は {{.node}} に次の Pod を作りません。",
	RecreateWaits:         "{{.owner}} は strategy が Recreate のため、古いバージョンの Pod が終了するまで新しいバージョンの Pod を作りません。",
	JobWaitsToEnd:         "{{.owner}} は Pod が終了してから完了します。{{if .cron}}concurrencyPolicy が Forbid のため、{{.cron}} はそれまで次の Job を作りません。{{end}}",
	JobWaitsToReplace:     "{{.owner}} は podReplacementPolicy が Failed のため、これが消えるまで次の Pod を作りません。{{if .cron}}concurrencyPolicy が Forbid のため、{{.cron}} はその Job が終わるまで次の Job を作りません。{{end}}",
	RemedyForceDelete:     "{{.node}} が確実に停止している場合は、{{.pod}} のオブジェクトを強制削除します。コントローラーが代わりを作成します。",
	RemedyForceDeleteCost: "マシンが停止していれば特にありません。Pod ごとに削除が必要です。",
	RemedyForceDeleteRisk: "マシンが動いていると、同じ名前の Pod が 2 つ同時に動きます。StatefulSet のプログラムが想定していない状態です。",

	TitleN202: "必要以上に遅いフェイルオーバー",

	SlowFailover:           "ノードが停止すると、{{and .workloads}} の Pod は約 {{span .total}}の間、そのノードで動作中とみなされ続けます。{{if .single}}{{if gt .n 1}}いずれも {{end}}Pod が 1 個しかないため、その間は停止します。{{else if .half}}しかも半数以上が 1 台のノードに集中しています。{{end}}",
	CauseSilence:           "kubelet からの応答が {{span .silence}}途絶えると、ノードは NotReady とみなされます (Kubernetes 1.32 以降のデフォルト値)。",
	CauseDefaultToleration: "その後も Pod は {{span .wait}}残ります。これは、指定のない Pod すべてに API サーバーが付けるデフォルト値です。マネージドのコントロールプレーンでは変更できませんが、ワークロードごとに指定できます。",
	CauseHalf:              "{{if .single}}その間、処理を引き継げる Pod はありません。{{else}}その間、残りの Pod だけですべてを処理することになります。{{end}}",
	NotTied:                "ボリュームが原因ではありません。1 台のノードにしかアタッチできないボリュームは使っていないため、代わりの Pod はすぐに別のノードで起動できます。",
	RemedyTolerate:         "ノードの停止後、{{.workload}} の Pod が {{span .wait}}でそのノードから離れるようにします。",
	RemedyTolerateRisk:     "ノードが {{span .wait}}より長くネットワークから切り離されて復帰した場合、Pod は動き続けていても削除されます。",
	RemedyRolloutCost:      "{{.workload}} のロールアウトが 1 回行われます。",

	TitleN203: "復旧後の配置の偏り",

	Lopsided:          "{{.node}} は {{.at}} に{{if .back}}復帰しました{{else}}追加されました{{end}}が、ほかより空いたままです。{{and .workloads}} の Pod {{.total}} 個のうち {{.lost}} 個が {{.fullest}} に集中しており、このノードを失うとその {{.lost}} 個が一度に失われます。",
	CauseUnevenSpread: "使えるノードの数に比べて、Pod が一部のノードに集中しています。",
	CauseCameLater:    "{{.node}} が{{if .back}}再び{{end}} Ready になったのは、これらの Pod が配置された後です。",
	CauseNothingMoves: "Kubernetes がノードを選ぶのは Pod の作成時だけで、動いている Pod を移すことはありません。",
	NotClosed:         "ノード側の問題ではありません。{{.node}} は Ready で、cordon されておらず、taint や label もこれらの Pod を妨げていません。",
	RemedyEvict:       "{{.pod}} を退避 (evict) します{{if gt .of 1}} ({{.of}} 個のうち {{.i}} 個目。すべて行うと偏りがなくなります){{end}}。{{.workload}} が新しい Pod を作り、スケジューラーが改めて配置します。",
	RemedyEvictCost:   "Pod が 1 つ終了し、新しい Pod が起動します。PodDisruptionBudget は守られます。",
	RemedyEvictRisk:   "入れ替わるまでの間、ワークロードの Pod が 1 つ少なくなります。",

	TitleN204: "すべてのレプリカが 1 台のノードまたは 1 つのゾーンに集中",

	ConcentratedOnNode: "{{and .workloads}} は、すべての Pod が 1 台のノードにあります。そのノードを失うと完全に停止します。",
	ConcentratedInZone: "{{and .workloads}} は、すべての Pod が 1 つのゾーンにあります。そのゾーンを失うと完全に停止します。",
	CauseConcentration: "複数の Pod が 1 か所に集まっています。",
	CauseUnspread:      "Pod テンプレートに {{.key}} での分散の指定がありません。指定がなければ、スケジューラーは分散をほかの優先条件と比べて決めます。",
	CauseSpreadIgnored: "Pod テンプレートに {{.key}} での分散の指定はありますが、その後に配置された Pod にしか適用されないか、ほかの優先条件が優先されています。",
	RemedySpread:       "{{.workload}} の Pod を {{.key}} で分散するように指定します。",
	RemedySpreadRisk:   "優先条件 (ScheduleAnyway) なので Pending にはなりませんが、ほかの条件が優先されることがあります。",

	LastNode:         "{{and .workloads}} は、{{and .zones}} でボリュームを使える唯一のノードで動いています。{{and .nodes}} がなくなると、そのゾーンに再びノードができるまで Pending になります。",
	CauseVolumesLive: "{{and .workloads}} のボリュームは {{and .zones}} にあり、そこでしか使えません。",
	CauseOneNode:     "{{and .zones}} でこれらの Pod を受け入れられるノードは {{and .nodes}} だけです。",
	CauseMayGo:       "そのノードはいつでもなくなる可能性があります。障害、スケールイン、台数やゾーンの変わる入れ替えなどがあります。ノードグループは台数しか見ておらず、どのゾーンにボリュームがあるかを知りません。",
	CauseGroupStands: "{{.group}} のノードは {{.n}} 台です。",
	UnknownMinimum:   "{{.group}} の最小サイズと使用できるゾーンは Kubernetes API では分かりません。最小サイズをゾーン数 (ここでは {{.zones}}) 以上にすれば、スケールインや入れ替えでゾーンが空になることは防げます。ノード自体の障害に備えるには 2 台目が必要です。",

	ScarceZone:         "{{.place}} を失うと、{{and .workloads}} の Pod {{.n}} 個が Pending になります。{{if .others}}全 {{.total}} ゾーンのうち、ほか {{.others}} ゾーンでも同様です。{{end}}",
	CauseWouldWait:     "Pod {{.n}} 個が Pending になります。requests の合計: {{if .room}}{{and .room}}{{else}}なし{{end}}。",
	CauseNoPlaceholder: "{{if .holders}}プレースホルダーの Pod {{.holders}} 個が CPU {{.held}} を確保していますが、量が足りないか、場所が合っていません。{{else}}このような障害に備えて空きを確保しているものがありません (優先度が負の Pod がありません)。{{end}}",
	RemedyHeadroom:     "{{.group}} のサイズを {{.to}} にします。{{.place}} を失ってもこれらの Pod がすべて動く最小の台数です。",
	RemedyHeadroomRisk: "グループの最大サイズを超える変更は拒否されるため、その場合は先に最大サイズを上げてください。空いたノードはオートスケーラーが再び削除します。プレースホルダーの Pod で空きを確保するか、グループの最小サイズを設定してください。どのゾーンに追加するかはグループが決めます。",
	RootedInZone:       "{{and .workloads}} はゾーンを失うと動けません。ボリュームが {{and .zones}} にあり、ほかのゾーンのノードからは使えません。",
	CauseNoCopy:        "ノードを増やしても解決しません。アプリケーション自身のレプリケーションや、複数のゾーンにまたがる StorageClass などで、別のゾーンにデータの複製を持つ必要があります。",
}
