package message

var japaneseHelpRepair = sentences{
	"help/crds":      "naosu のカスタムリソース定義 (CRD) を出力する",
	"help/crds/long": "naosu の CRD (NodeRepairPolicy と Remediation) を、kubectl apply で使える YAML で出力します。クラスターには接続しません。",

	"help/repair":      "修復が行われることを実証する",
	"help/repair/long": "検出から操作までのすべての箇所がつながり、機能することを、必要になる前に実証します。",

	"help/repair/check": "何が修復されるか、修復されない場合はどこで途切れるかを示す",
	"help/repair/check/long": "クラスターで確認できるエージェントが報告しうるすべての障害について、現在起きているかどうかによらず、検出から操作までを順に調べます。" +
		"何が報告するか、報告が新しいか、どのルールに該当するか、どれだけ待つか、どの操作か、許可されているか、上限に余裕があるか、ほかの仕組みが同じノードを修復しないか、" +
		"機能することが実証されているかを調べます。承認を待つ修復は「承認が必要」とし、所見にはしません。EKS の node auto repair、Karpenter、Cluster API の MachineHealthCheck も対象で、何も変更しません。\n\n" + exitCodesJapanese,
	"flag/repair/check/fail-on": "重大度がこの `SEVERITY` 以上の所見があれば終了コード 1 で終わる: info、warning",

	"help/repair/drill": "無害な障害を発生させ、検出から操作のドライランまでを追跡する",
	"help/repair/drill/long": "ノードのエージェントに実際の無害な障害を発生させ、検出、根拠、報告、コントローラー、ルール、ガードを経て、操作のドライランまでを追跡し、" +
		"各区間とかかった時間を表示します。ガードが恒久的に拒否した場合とポリシーが一時停止中の場合、訓練は失敗します。時間が経てば解消するものは表示だけします。ノードの condition は変わらず、何も修復しません。\n\n" +
		"--act --expendable node/NAME を付けると、そのノードに実際の condition を設定し、修復の仕組みが待つ時間に余裕を加えた間それを維持し、マシンが再起動または交換されるかどうかを確認します。" +
		"受け付けられた修復が実際に行われるかどうかは、naosu によるものでもほかの仕組みによるものでも、この方法でしか確かめられません。condition は、Ctrl-C を押した場合も含めて必ず元に戻します。" +
		"修復が行われると、そのノードは失われます。\n\n" +
		"終了コードは、すべての区間を通過すれば 0、訓練が失敗すれば 1、入力の誤りや答えを出せなかった場合は 2 です。",
	"flag/repair/drill/reason":      "障害の理由 `REASON` (例: InterfaceNotUp)",
	"flag/repair/drill/condition":   "その理由が変えるノードの `CONDITION` (デフォルト: カタログによる)",
	"flag/repair/drill/hop-timeout": "無害な訓練で 1 つの区間を待つ時間 `DURATION`",
	"flag/repair/drill/act":         "実際の condition を設定する (ノードを失うことがある)",
	"flag/repair/drill/expendable":  "失ってもよいノード `node/NAME`",
	"flag/repair/drill/wait":        "--act: 修復の仕組みが待つ時間 `DURATION` (0: そのルールによる、不明なら 30m)",
	"flag/repair/drill/margin":      "--act: --wait に加えて待つ時間 `DURATION` (ノードが Ready に戻るのを待つ時間でもある)",

	"help/repair/abort": "修復を中止し、ノードを元に戻す",
	"help/repair/abort/long": "終了していない Remediation を中止します。naosu がノードに加えた変更を元に戻し、Remediation は Aborted で終了します。すでに要求した再起動は止まりません。" +
		"交換を要求したノードは cordon されたままです。中止はコントローラーに要求します。リーダーのコントローラーがなければ、このコマンドが利用者の権限で行い、その間コントローラーの Lease を保持します。\n\n" +
		"--force を指定すると、リーダーのコントローラーから Lease を引き継ぎ、ノードを元に戻せない Remediation からも finalizer を削除します。--all --force はアンインストール用で、しばらくの間どのコントローラーもリーダーになりません。\n\n" +
		"終了コードは、すべて終了すれば 0、時間内に中止できないものがあれば 1、入力の誤りや答えを出せなかった場合は 2 です。",
	"flag/repair/abort/all":     "終了していない Remediation をすべて中止する",
	"flag/repair/abort/force":   "リーダーのコントローラーから引き継ぎ、ノードを元に戻せなくても finalizer を削除する",
	"flag/repair/abort/timeout": "制限時間 `DURATION`",

	"help/cleanup": "アンインストールしたエージェントの condition を Node から削除する",
	"help/cleanup/long": "エージェントが Node に残した condition (KernelReady、NetworkingReady、StorageReady、ContainerRuntimeReady、AcceleratedHardwareReady) のうち、最後にエージェントが書いたものを削除します。" +
		"ほかのプログラムが書いたものは残します。どちらが書いたかは Node の managedFields で見分けます。エージェントをアンインストールした後に実行してください。エージェントの Pod の終了を待ちますが、Ready でないノードの Pod は待ちません。\n\n" +
		"チャートはアンインストール時にこれを実行します。Node の list、その status の patch、naosu-system の Pod の list の権限が必要です。\n\n" +
		"終了コードは、そのような condition が残っていなければ 0、エージェントがまだ動いているノードがあれば 1、入力の誤りや答えを出せなかった場合は 2 です。",
	"flag/cleanup/timeout": "エージェントの Pod の終了を待つ時間 `DURATION`",

	"help/approve": "提案された Remediation を承認または却下する",
	"help/approve/long": "提案された Remediation を承認し、ガードが許可すれば実行されるようにするか、却下します。開始後に却下した Remediation は次の手順の前で終了します。却下は取り消せません。\n\n" +
		"終了コードは、記録できれば 0、入力の誤りか手遅れの場合は 2 です。",
	"flag/approve/reject": "Remediation を却下する",

	"help/remediations": "naosu が行った修復と提案を表示する",
	"help/remediations/long": "naosu が行った修復と提案を新しい順に、各ポリシーが承認なしで修復できるようになるまでの進み具合とともに表示します。" +
		"名前を指定すると、予測と結果、各手順、ガードの判定を表示します。\n\n--watch (-w) を指定すると、一覧に続けて、中断するまで変更のたびに 1 行を表示します。-o json または yaml では、Remediation ごと、変更ごとに 1 つの文書を出力します。\n\n" +
		"終了コードは、答えを出せれば 0、入力の誤りや答えを出せなかった場合は 2 です。",
	"flag/remediations/watch": "既存の Remediation に続けて、変更のたびに表示する",

	"help/rebalance":      "ノードの復帰後に偏りをなくす退避を計画し、依頼する",
	"help/rebalance/long": "ノードとゾーンの間でのワークロードの偏りをなくす退避を計画し、依頼します。Kubernetes は Pod の作成時にノードを選び、ノードが追加されたり復帰したりしても Pod を移しません。",

	"help/rebalance/plan": "偏りをなくす最も少ない退避と、その後に Pod が動作するノードを表示する",
	"help/rebalance/plan/long": "偏りをなくす退避のうち、見つかった最も少ないものを、順序と、代わりに作られる Pod をスケジューラーが配置するノードとともに表示します。何も変更しません。\n\n" +
		"次のいずれかに当てはまるワークロードを、偏りがあるとみなします。均等に配置すればより少なくなるのに、1 台のノードまたは 1 つのゾーンに、Pod の --max-share パーセントを超える数がある。" +
		"topology spread constraint に違反している。ノードの label や taint が、動作中の Pod をもう受け入れない。必須のアンチアフィニティが除外する Pod と並んで動いている。対象は Deployment、ReplicaSet、ReplicationController、StatefulSet だけです。\n\n" +
		"--max-utilization-deviation を指定すると、使用率が高すぎるノードの Pod も退避します。ノードの CPU またはメモリのうち Pod が要求する割合が、同じ taint を持つ使用可能なノード全体での割合を、" +
		"指定したポイント数を超えて上回るノードです。Karpenter または cluster-autoscaler がノードを集約 (consolidation) するクラスターでは、使用率を考慮しません。\n\n" +
		"Pod の配置はスケジューラーが決めます。計画には、同点のノードのどれが選ばれても効果がある退避だけが含まれ、16 通りの未来でシミュレーション済みです。PersistentVolumeClaim やノード上のデータを使う Pod、" +
		"アノテーションで退避が禁じられた Pod、PodDisruptionBudget が中断を許さない Pod は退避しません。\n\n" +
		"終了コード: 結果を表示した場合は 0、入力が正しくない場合や結果が得られない場合は 2。",
	"flag/rebalance/plan/all-namespaces":            "すべての namespace を対象にする (--namespace を指定しない場合のデフォルト)",
	"flag/rebalance/plan/selector":                  "label がこの `SELECTOR` に一致する Pod とワークロードだけを対象にする",
	"flag/rebalance/plan/max-utilization-deviation": "CPU またはメモリの要求の割合が、同種のノード全体での割合を何ポイントまで上回ってよいか (`PERCENTAGE-POINTS`)。0 なら使用率を考慮しない",
	"flag/rebalance/plan/max-share":                 "1 台のノードまたは 1 つのゾーンが持ってよいワークロードの割合 (`PERCENT`)",

	"help/rebalance/apply": "naosu rebalance plan が示す退避を依頼する",
	"help/rebalance/apply/long": "naosu rebalance plan と同じ計画を作り、その退避を依頼して承認する Remediation を作成します。naosu のコントローラーは、RebalancePolicy の Remediation と同じように実行します。同じ退避になることをもう一度計画して確かめ、" +
		"ガードが許可すると Pod を順に退避し、毎回、残りの退避をシミュレーションします。ポリシーは必要ありません。結果は naosu remediations で表示します。\n\n" +
		"--yes がなければ、計画を表示し、何も作成しません。すべてのワークロードに偏りがない場合、コントローラーのリーダーがいない場合、同じワークロードの Pod を退避する Remediation がすでにある場合も、何も作成しません。" +
		"退避が 30 個を超える計画は、最初の 30 個までとします。\n\n" +
		"Remediation の作成、Pod の退避、承認の権限が必要です。承認の権限がない場合は、ほかの人が承認できます。\n\n" +
		"終了コードは、退避を依頼した場合、すでに依頼されている場合、偏りがない場合は 0、--yes がない場合や改善できる退避がない場合は 1、入力の誤り、依頼や承認ができなかった場合は 2 です。",
	"flag/rebalance/apply/all-namespaces":            "すべての namespace を対象にする (--namespace を指定しない場合のデフォルト)",
	"flag/rebalance/apply/selector":                  "label がこの `SELECTOR` に一致する Pod とワークロードだけを対象にする",
	"flag/rebalance/apply/max-share":                 "1 台のノードまたは 1 つのゾーンが持ってよいワークロードの割合 (`PERCENT`)",
	"flag/rebalance/apply/max-utilization-deviation": "CPU またはメモリの要求の割合が、同種のノード全体での割合を何ポイントまで上回ってよいか (`PERCENTAGE-POINTS`)。0 なら使用率を考慮しない",
	"flag/rebalance/apply/yes":                       "退避を依頼し、承認する",

	"help/failover":      "停止したノードの Pod を解放する",
	"help/failover/long": "停止したノードの Pod とボリュームを解放します。何もしない場合に Pod がそのノードに残る時間は、FailoverPolicy で指定します。",

	"help/failover/confirm": "マシンが停止しているノードを停止扱いにする",
	"help/failover/confirm/long": "マシンが確実に停止しているノードを停止扱いにします。実行者の権限で、ノードに taint node.kubernetes.io/out-of-service を付けます。すると Kubernetes は、そのノードの Pod をすぐに削除します。" +
		"StatefulSet は代わりの Pod を作成し、ボリュームは 6 分間待たずにデタッチされます。マシンが復帰すると、naosu のコントローラーが taint を削除します。復帰とは、マシンが再び起動するか、kubelet が Lease を更新することです。\n\n" +
		"--yes がなければ、削除される Pod とデタッチされるボリュームを表示し、何も変更しません。Ready のノードと、kubelet が 40 秒以内に Lease を更新したノードは拒否します。" +
		"応答しないノードでも、Pod が動作し、ボリュームに書き込んでいることがあります。クラウドプロバイダーのコンソールなどで、マシンの停止を確認してください。\n\n" +
		"終了コードは、停止扱いになった場合は 0、--yes がない場合は 1、入力の誤り、マシンが動作している可能性がある場合、応答がない場合は 2 です。",
	"flag/failover/confirm/yes": "マシンが停止していることを確認済みとして、ノードを停止扱いにする",
}
