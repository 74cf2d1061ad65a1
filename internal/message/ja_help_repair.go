package message

var japaneseHelpRepair = sentences{
	"help/crds":      "naosu の CRD を出力する",
	"help/crds/long": "naosu の CRD (NodeRepairPolicy と Remediation) を、kubectl apply で使える YAML で出力します。クラスターには接続しません。",

	"help/repair":      "修復が行われることを実証する",
	"help/repair/long": "検知から修復までのすべての箇所がつながり、働くことを、必要になる夜の前に実証します。",

	"help/repair/check": "何が修復されるか、されないならどこで途切れるかを示す",
	"help/repair/check/long": "クラスターで確認できるエージェントが報告しうるものすべてについて、今起きているかどうかによらず、検知から修復までの連鎖をたどります。" +
		"何が報告するか、応答があるか、どのルールが扱うか、どれだけ待つか、どの操作か、許可されているか、予算に空きがあるか、ほかの仕組みが同じノードを修復しないか、" +
		"働くことが確かめられているかを調べます。人の承認を待つ修復は「承認が必要」とし、所見にはしません。EKS の node auto repair、Karpenter、Cluster API の MachineHealthCheck も対象で、何も変更しません。\n\n" + exitCodesJapanese,
	"flag/repair/check/fail-on": "重大度がこの `SEVERITY` 以上の所見があれば終了コード 1 で終わる: info、warning",

	"help/repair/drill": "障害を最後まで通し、どこで途切れるかを示す",
	"help/repair/drill/long": "ノードのエージェントに、本物でも害のない障害を起こさせ、検出、根拠、報告、コントローラー、ルール、ガードを経て、実際には行わない修復に至るまでを追い、" +
		"各箇所とかかった時間を表示します。待っても変わらないガードの拒否は、ポリシーの一時停止も含めて連鎖を断ち、ひとりでに解消するものは表示だけします。ノードの condition は変わらず、何も修復しません。\n\n" +
		"--act --expendable node/NAME を付けると、そのノードで本物の condition を立て、修復の仕組みが待つ時間に余裕を加えた間それを維持し、マシンが再起動または交換されるかどうかを見ます。" +
		"受け付けられた修復が実際に行われるかどうかは、naosu のものでもほかの仕組みのものでも、ほかに知る方法がありません。condition は、Ctrl-C を押した場合も含めて必ず元に戻します。" +
		"修復が働けば、そのノードは失われます。\n\n" +
		"終了コードは、すべての箇所を通れば 0、連鎖が途切れていれば 1、入力の誤りか答えが得られない場合は 2 です。",
	"flag/repair/drill/reason":      "訓練する理由 `REASON` (例: InterfaceNotUp)",
	"flag/repair/drill/condition":   "その理由が変えるノードの `CONDITION` (デフォルト: カタログによる)",
	"flag/repair/drill/hop-timeout": "害のない訓練で 1 つの箇所を待つ時間 `DURATION`",
	"flag/repair/drill/act":         "本物の condition を立てる (ノードを失うことがある)",
	"flag/repair/drill/expendable":  "失ってもよいノード `node/NAME`",
	"flag/repair/drill/wait":        "--act: 修復の仕組みが待つ時間 `DURATION` (0: そのルールによる、不明なら 30m)",
	"flag/repair/drill/margin":      "--act: さらに待つ時間 `DURATION` (ノードが Ready に戻るのを待つ時間でもある)",

	"help/repair/abort": "修復を中止し、ノードを元に戻す",
	"help/repair/abort/long": "終わっていない Remediation を中止します。naosu がノードに加えた変更を元に戻し、Aborted で終わります。すでに依頼した再起動は止まりません。" +
		"置き換えを依頼したノードは cordon されたままです。コントローラーに依頼し、リーダーがいなければ、このコマンドがあなたの権限で行います。その間、コントローラーの Lease を保持します。\n\n" +
		"--force を指定すると、リーダーのコントローラーから Lease を引き継ぎ、元に戻せないノードの記録からもファイナライザーを外します。--all --force はアンインストール用で、しばらくの間どのコントローラーもリーダーになりません。\n\n" +
		"終了コードは、すべて終われば 0、時間内に中止できないものがあれば 1、入力が正しくないか回答が得られなければ 2 です。",
	"flag/repair/abort/all":     "終わっていない Remediation をすべて中止する",
	"flag/repair/abort/force":   "リーダーのコントローラーから引き継ぎ、ノードを元に戻せなくてもファイナライザーを外す",
	"flag/repair/abort/timeout": "かけてよい時間 `DURATION`",

	"help/cleanup": "アンインストールしたエージェントの condition を Node から削除する",
	"help/cleanup/long": "エージェントが Node に残した condition (KernelReady、NetworkingReady、StorageReady、ContainerRuntimeReady、AcceleratedHardwareReady) のうち、最後にエージェントが書いたものを削除します。" +
		"ほかのプログラムが書いたものは残します。どちらが書いたかは Node の managedFields で見分けます。エージェントをアンインストールした後に実行してください。エージェントの Pod の終了を待ちますが、Ready でないノードの Pod は待ちません。\n\n" +
		"チャートはアンインストール時にこれを実行します。Node の list、その status の patch、naosu-system の Pod の list の権限が必要です。\n\n" +
		"終了コードは、そのような condition が残っていなければ 0、エージェントがまだ動いているノードがあれば 1、入力が正しくないか回答が得られなければ 2 です。",
	"flag/cleanup/timeout": "エージェントの Pod の終了を待つ時間 `DURATION`",

	"help/approve": "提案された Remediation を承認または却下する",
	"help/approve/long": "提案された Remediation を承認し、ガードが許可すれば進むようにするか、却下します。始まったものを却下すると次の手順の前で終わります。却下は取り消せません。\n\n" +
		"終了コードは、記録できれば 0、入力の誤りか手遅れの場合は 2 です。",
	"flag/approve/reject": "却下する",

	"help/remediations": "naosu が行った修復と提案を表示する",
	"help/remediations/long": "naosu が行った修復と提案を新しい順に、各ポリシーがどこまで自動で修復できるようになったかとともに表示します。" +
		"名前を指定すると、予測と結果、各手順、ガードの判断を表示します。\n\n" +
		"終了コードは、答えがあれば 0、入力の誤りか答えがない場合は 2 です。",
}
