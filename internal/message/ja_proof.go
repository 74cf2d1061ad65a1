package message

var japaneseProof = sentences{
	TitleN302: "行われない、または行われると実証されていない修復: 途切れている箇所",
	TitleN304: "ガードが止めている修復とその理由",

	HeldPolicy:      "{{.policy}} は現在、何も修復しません: {{.why}}",
	HeldRemediation: "{{.node}} の {{.reason}} に対する {{.action}} が止められています ({{.remediation}})。{{.why}}",
	HeldApprove:     "{{.remediation}} を承認する ({{.node}} の {{.reason}} に対する {{.action}})。{{.why}}",

	ProofNobody:    "このクラスターで確認できるエージェントは、{{.condition}} を {{.status}}{{if not .any}} (理由 {{.reason}}){{end}} として報告しません。{{if .meant}}エージェントはこの理由を {{.meant}} と書きます。{{end}}",
	ProofOff:       "{{.agent}} の設定で {{.reason}} が無効になっています。",
	ProofEventOnly: "{{.agent}} はこれを Event にするだけで、{{.condition}} は変わりません。修復の仕組みは condition しか見ません。",
	ProofBlind:     "{{.agent}} は、これを検出できないと報告しています: {{.why}}",

	ProofVerbosity:  "エージェントが待つ行は、kubelet がログレベル 4 でだけ出力します。EKS のノードはデフォルトで 2 です。",
	ProofDockerOnly: "エージェントのルールが見るのは docker という名前のプロセスのハングだけで、ほかのコンテナランタイムは対象外です。",

	ProofSilent: "{{.agent}} は {{.condition}} を {{span .age}}以上更新していません。",
	ProofAbsent: "{{.agent}} はほかのノードでは動いていますが、このノードでは {{.condition}} が一度も報告されていません。",

	ProofNoRule:          "これを対象とするルールがどのポリシーにもなく、既知のほかの修復の仕組みも対象としません。",
	ProofRepairersUnread: "ほかの仕組みがこれらのノードを修復するかどうかは分かりません: {{.why}}",
	ProofTold:            "コントローラーの報告: {{.why}}",
	ProofOwnUnread:       "naosu 自身のリソースを読み取れません: {{.why}}",
	ProofEnds:            "ルールは {{span .wait}}待ちますが、condition は最後の根拠から {{span .lasts}}しか続きません。障害が繰り返し検出される場合にだけ修復されます。",
	ProofLeftAlone:       "{{.by}} は{{if .rule}}、ルール {{.rule}} により{{end}}このようなノードを意図的に修復しません。",
	ProofNotOffered:      "これらのノードに {{.action}} を行えるプロバイダーがありません。{{if .why}}{{.why}}{{end}}",

	ProofRefused:           "{{.actuator}} は{{if .group}} {{.group}} のマシンに対する{{end}} {{.action}} を拒否します。{{.why}}",
	ProofPermissionUnknown: "{{.actuator}} が{{if .group}} {{.group}} のマシンに対する{{end}} {{.action}} を許可するかどうかは分かりません。{{.why}}",
	ProofNotAsked:          "{{.action}} が許可されるかどうかは分かりません。コントローラーがまだ確かめていません。",

	ProofLedgerUnread:  "台帳を読み取れないため、同時に修復できるノードの上限 (budgets) に余裕があるかどうかは分かりません。{{.why}}",
	ProofLedgerDamaged: "台帳が壊れているため、コントローラーは修復を開始しません: {{.why}}",

	ProofNoController:     "naosu のコントローラーが動いていません。Lease を保持しているものがありません。",
	ProofControllerSilent: "コントローラーの応答が {{span .age}}前から途絶えています。Lease が更新されていません。",
	ProofLeaseUnread:      "コントローラーの Lease を読み取れません: {{.why}}",
	ProofNotTakenUp:       "コントローラーは {{.by}} の最新の変更をまだ反映していません。",

	ProofTheirs:      "{{.by}} が実際に修復することを示すものがありません。修復は、受け付けられても行われないことがあります。condition をノードに実際に設定して試す以外に、確かめる方法はありません。",
	ProofNoDrill:     "{{.by}} による訓練や修復は、まだ一度も完了していません。",
	ProofDrillFailed: "最後の訓練 ({{.remediation}}、{{.at}}) は失敗しました: {{.why}}",
	ProofCutBefore:   "最後の訓練 ({{.remediation}}、{{.at}}) は失敗しましたが、すでに解消している可能性があります: {{.why}}",
	ProofStaleAge:    "最後の実証 ({{.remediation}}、{{.at}}) から 30 日以上経過しています。",
	ProofStalePolicy: "最後の実証 ({{.remediation}}、{{.at}}) の後でポリシーが変更されました。",
	ProofStaleAgent:  "最後の実証 ({{.remediation}}、{{.at}}) の後でエージェントが変更されました。",
	ProofShown:       "{{.remediation}} が {{.at}} に完了しました。",

	ProofFinding: "ノード {{.n}} 台では、{{and .reasons}} ({{.condition}}) が起きても{{if .broken}}修復は行われません{{else}}修復が行われない可能性があります{{end}}。{{.why}}",

	ProofMore: "ほか {{.n}} 件",

	ProofAwaits:   "{{.condition}} が {{span .wait}}続くと、{{.by}} が {{.action}} {{if .asks}}の承認を求めます{{else}}を行います{{end}} (あと {{span .left}})。",
	ProofOverdue:  "{{.condition}} はすでに {{span .age}}続いています。{{.by}} は {{span .wait}}で {{.action}} {{if .asks}}の承認を求める{{else}}を行う{{end}}はずですが、まだ行われていません。",
	ProofUnderWay: "{{.remediation}} がこのノードを修復する予定です (現在のフェーズ: {{.phase}})。",

	ProofRemedyDrill:       "無害な障害で訓練を実行する。",
	ProofRemedyRaise:       "失ってもよいノードで condition を設定し、{{.by}} が修復するかどうかを確認する。",
	ProofRemedyRaiseRisk:   "修復が行われると、そのノードは再起動または交換されます。",
	ProofRemedySwitchOff:   "{{.by}} の修復を無効にし、修復の仕組みを 1 つにする。",
	ProofRemedyMode:        "承認後に {{.by}} が修復できるようにする。",
	ProofRemedyController:  "コントローラーが動いていない理由を調べる。",
	ProofRemedyAgent:       "{{.agent}} が報告しない理由を調べる。",
	ProofRemedyBudget:      "{{.by}} の上限 (budgets) をノード 1 台に上げる。",
	ProofRemedyPermissions: "コントローラーが受け取った応答を確認する。",
	ProofRemedyLedger:      "台帳を読み取れない理由を調べる。",

	CheckSummary:      "報告されうる障害 {{.total}} 件のうち、修復されるものが {{.act}} 件、{{if .approval}}承認後に修復されるものが {{.approval}} 件、{{end}}修復されるか実証されていないものが {{.unproven}} 件、修復されないものが {{.broken}} 件あります。",
	CheckLeft:         "修復が期待されていないものについての所見が {{.n}} 件あります。-o wide で、理由ごとの行とともに表示します。",
	CheckSnapshot:     "スナップショットには、naosu 自身のリソースも、ほかの修復の仕組みについての情報も含まれません。",
	CheckNoCRDs:       "naosu の CRD がインストールされていません (naosu crds | kubectl apply --server-side -f -)。このクラスターでは naosu は何も修復しません。",
	CheckUnread:       "{{.what}} を読み取れません: {{.why}}",
	CheckConfigUnread: "エージェントの設定 {{.configmap}} で無効になっている理由があるかどうかは分かりません: {{.why}}",

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
