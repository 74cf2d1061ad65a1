package message

var japaneseProof = sentences{
	TitleN302: "行われない修復、または行われると確かめられていない修復: どこで途切れるか",
	TitleN304: "ガードが止めている修復とその理由",

	HeldPolicy:      "{{.policy}} は今、何も修復しません: {{.why}}",
	HeldRemediation: "{{.node}} の {{.reason}} に対する {{.action}} が止められています ({{.remediation}})。{{.why}}",
	HeldApprove:     "{{.remediation}} を承認する ({{.node}} の {{.reason}} に対する {{.action}})。{{.why}}",

	ProofNobody:    "このクラスターで確認できるエージェントは、{{.condition}} を {{.status}}{{if not .any}} (理由 {{.reason}}){{end}} として報告しません。{{if .meant}}エージェントはこの理由を {{.meant}} と書きます。{{end}}",
	ProofOff:       "{{.agent}} の設定で {{.reason}} が無効になっています。",
	ProofEventOnly: "{{.agent}} はこれを Event にするだけで、{{.condition}} は変わりません。修復の仕組みは condition しか見ません。",
	ProofBlind:     "{{.agent}} は、これを判定できないと報告しています: {{.why}}",

	ProofVerbosity:  "エージェントが待つ行は、kubelet がログレベル 4 でだけ出力します。EKS のノードはデフォルトで 2 です。",
	ProofDockerOnly: "エージェントのルールが見るのは docker という名前のプロセスのハングだけで、ほかのコンテナランタイムは対象外です。",

	ProofSilent: "{{.agent}} は {{.condition}} を {{span .age}}以上確認していません。",
	ProofAbsent: "{{.agent}} はほかのノードでは動いていますが、ここでは {{.condition}} が一度も報告されていません。",

	ProofNoRule:          "これを扱うルールがどのポリシーにもなく、知られているほかの修復の仕組みも扱いません。",
	ProofRepairersUnread: "ほかの仕組みがこれらのノードを修復するかどうかは分かりません: {{.why}}",
	ProofTold:            "コントローラーによる: {{.why}}",
	ProofOwnUnread:       "naosu 自身のリソースを読めません: {{.why}}",
	ProofEnds:            "ルールは {{span .wait}}待ちますが、condition は最後の根拠から {{span .lasts}}しか続きません。障害が現れ続ける場合にだけ修復します。",
	ProofLeftAlone:       "{{.by}} は{{if .rule}}、ルール {{.rule}} により{{end}}このようなノードに意図して手を付けません。",
	ProofNotOffered:      "これらのノードに {{.action}} を行えるものがありません。{{if .why}}{{.why}}{{end}}",

	ProofRefused:           "{{.actuator}} は{{if .group}} {{.group}} のマシンに対する{{end}} {{.action}} を拒否します。{{.why}}",
	ProofPermissionUnknown: "{{.actuator}} が{{if .group}} {{.group}} のマシンに対する{{end}} {{.action}} を許可するかどうかは分かりません。{{.why}}",
	ProofNotAsked:          "{{.action}} が許可されるかどうかは分かりません。コントローラーがまだ確かめていません。",

	ProofLedgerUnread:  "台帳を読めないため、予算に空きがあるかどうかは分かりません。{{.why}}",
	ProofLedgerDamaged: "台帳が壊れているため、コントローラーは何も始めません: {{.why}}",

	ProofNoController:     "naosu のコントローラーが動いていません。リースの保持者がいません。",
	ProofControllerSilent: "コントローラーの応答が {{span .age}}前から途絶えています。リースが更新されていません。",
	ProofLeaseUnread:      "コントローラーのリースを読めません: {{.why}}",
	ProofNotTakenUp:       "コントローラーは {{.by}} の最新の変更をまだ反映していません。",

	ProofTheirs:      "{{.by}} が実際に行うことを示すものがありません。修復は、受け付けられても行われないことがあります。condition を実際に立ててみるほかに確かめる方法はありません。",
	ProofNoDrill:     "{{.by}} を最後まで通った訓練も修復も、まだありません。",
	ProofDrillCut:    "最後の訓練 ({{.remediation}}、{{.at}}) は途中で途切れました: {{.why}}",
	ProofCutBefore:   "最後の訓練 ({{.remediation}}、{{.at}}) は途中で途切れましたが、今は違うかもしれません: {{.why}}",
	ProofStaleAge:    "最後の実証 ({{.remediation}}、{{.at}}) から 30 日以上たっています。",
	ProofStalePolicy: "最後の実証 ({{.remediation}}、{{.at}}) の後でポリシーが変わりました。",
	ProofStaleAgent:  "最後の実証 ({{.remediation}}、{{.at}}) の後でエージェントが変わりました。",
	ProofShown:       "{{.remediation}} が {{.at}} に最後まで通りました。",

	ProofFinding: "ノード {{.n}} 台で、{{and .reasons}} ({{.condition}}) が起きても{{if .broken}}修復は行われません{{else}}修復が行われない可能性があります{{end}}。{{.why}}",

	ProofMore: "ほか {{.n}} 件",

	ProofAwaits:   "{{.condition}} が {{span .wait}}続くと、{{.by}} が {{.action}} {{if .asks}}の承認を求めます{{else}}を行います{{end}} (あと {{span .left}})。",
	ProofOverdue:  "{{.condition}} はすでに {{span .age}}続いています。{{.by}} は {{span .wait}}で {{.action}} {{if .asks}}の承認を求める{{else}}を行う{{end}}はずですが、まだ行われていません。",
	ProofUnderWay: "{{.remediation}} がこのノードを修復する予定で、現在 {{.phase}} です。",

	ProofRemedyDrill:       "害のない障害を最後まで通してみる。",
	ProofRemedyRaise:       "失ってもよいノードで condition を立て、{{.by}} が動くかどうかを見る。",
	ProofRemedyRaiseRisk:   "修復が働けば、そのノードは再起動または交換されます。",
	ProofRemedySwitchOff:   "{{.by}} の修復を無効にし、修復の仕組みを 1 つにする。",
	ProofRemedyMode:        "人が承認すれば {{.by}} が修復できるようにする。",
	ProofRemedyController:  "コントローラーが動いていない理由を調べる。",
	ProofRemedyAgent:       "{{.agent}} の応答がない理由を調べる。",
	ProofRemedyBudget:      "{{.by}} の予算をノード 1 台に上げる。",
	ProofRemedyPermissions: "コントローラーが受けた回答を見る。",
	ProofRemedyLedger:      "台帳を読めない理由を調べる。",

	CheckSummary:      "報告されうる {{.total}} 件のうち、修復されるものが {{.act}} 件、{{if .approval}}人が承認すれば修復されるものが {{.approval}} 件、{{end}}どちらとも言えないものが {{.unproven}} 件、修復されないものが {{.broken}} 件あります。",
	CheckLeft:         "修復が期待されていないものについての所見が {{.n}} 件あります。-o wide で、理由ごとの行とともに表示します。",
	CheckSnapshot:     "スナップショットには、naosu 自身のリソースも、ほかの修復の仕組みについての情報も含まれません。",
	CheckNoCRDs:       "naosu の CRD がインストールされていません (naosu crds | kubectl apply --server-side -f -)。ここでは naosu は何も修復しません。",
	CheckUnread:       "{{.what}} を読めません: {{.why}}",
	CheckConfigUnread: "エージェントの設定 {{.configmap}} が理由を無効にしているかどうかは分かりません: {{.why}}",

	VerdictWouldAct:      "修復する",
	VerdictNeedsApproval: "承認が必要",
	VerdictUnproven:      "未実証",
	VerdictBroken:        "途切れる",

	CheckColumnVerdict: "判定",
	CheckColumnLink:    "箇所",
	CheckColumnAgent:   "エージェント",
	CheckColumnNodes:   "ノード",
	CheckColumnBy:      "修復の仕組み",
	CheckColumnReasons: "CONDITION: 理由",
}
