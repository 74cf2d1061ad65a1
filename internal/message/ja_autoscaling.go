package message

var japaneseAutoscaling = sentences{
	AutoscalerUnnamed:   "オートスケーラー",
	ScaleUpAsked:        "{{.source}} によれば、{{if .age}}{{span .age}}前に{{end}}ノードの追加が要求されています: {{if .groups}}{{and .groups}}{{else}}{{.says}}{{end}}。{{if .came}}その後 {{and .came}} が追加されましたが、この Pod のノードはまだ決まっていません。{{else if .overdue}}ノードの追加が遅れています。オートスケーラーは、デフォルトでは 15 分で追加をあきらめます。追加されない理由は、{{if .karpenter}}その NodeClaim{{else}}オートスケーラーのログと、kube-system の ConfigMap cluster-autoscaler-status についてのイベント{{end}}にあります。{{end}}",
	ScaledGroup:         "{{.group}} を {{.from}} 台から {{.to}} 台に (最大 {{.max}} 台)",
	ScaleUpFailed:       "{{.source}} によれば、{{if .zones}}{{or .zones}} で{{end}}クラウドがノードを提供しませんでした: {{.why}}。{{if .quota}}割り当て (quota) を引き上げるか、割り当てを使っているリソースを減らすまで、グループを大きくしてもノードは増えません。{{end}}",
	ScaleUpOverLimit:    "{{.source}} によれば、{{.pool}} は limits に達しています。使えるインスタンスタイプのどれを追加しても limits を超えます。",
	ScaleUpKarpenter:    "{{.source}} によれば、ノードを追加できません: {{.says}}。",
	ScaleReason:         "ノードグループ {{.n}} 個: {{.says}}",
	ScaleReasonBackoff:  "ノードグループ {{.n}} 個は、スケールアップに失敗した後のバックオフ中です",
	ScaleReasonNotReady: "ノードグループ {{.n}} 個は、スケールアップできる状態ではありません",
	ScaleReasonWhole:    "{{.says}}",

	NodeBlocked:          "{{.source}} は{{if .age}} {{span .age}}前に{{end}}、{{.node}} を削除または交換できないと報告しました: {{.why}}。",
	NodeUnconsolidatable: "{{.source}} は{{if .age}} {{span .age}}前に{{end}}、{{.node}} を集約 (consolidation) できないと報告しました: {{.why}}。",
	NodeAnnotated:        "アノテーション {{.annotation}} がある間、{{.source}} は {{.node}} を削除しません。",
	NodeKeptByPods:       "アノテーション {{.annotation}} のある {{and .pods}} が動いている間、{{.source}} は {{.node}} を drain しません。",
	NodeBudget:           "{{.namespace}} の {{.budget}} が現在許可する退避 (evict) は {{.allowed}} 個です。{{if not .allowed}}正常な Pod は {{.healthy}} 個で、{{.desired}} 個必要です。{{end}}{{if gt .n 0}}Ready でない Pod: {{and .pods}}{{end}}",

	AutoscalerSays:          "{{.source}} によれば: {{.says}}。",
	PoolReady:               "{{.pool}} は使用可能で、ノードは {{.nodes}} 台です。",
	PoolNotReady:            "{{.pool}} はノードを追加しません。{{.condition}} が False です: {{.why}}。",
	PoolAtLimit:             "{{.pool}} は {{and .resources}} の上限 (limits) に達しています。Karpenter はこれ以上ノードを追加しません。",
	PoolNoCapacity:          "{{.source}} によれば、{{if .age}}{{span .age}}前、{{end}}クラウドに {{.claim}} のためのマシンの空きがありませんでした: {{.says}}。",
	NodeClaimReady:          "{{.claim}} は {{.node}} になり、初期化が完了しています。",
	NodeClaimLeaving:        "{{.claim}} は削除中です。",
	NodeClaimNotLaunched:    "{{.claim}} には{{if .age}} {{span .age}}たっても{{end}}マシンがありません{{if .why}}: {{.why}}{{end}}。Karpenter は {{.minutes}} 分たつとこれを削除し、再試行します。",
	NodeClaimNotRegistered:  "{{.claim}} のマシンは{{if .age}} {{span .age}}たっても{{end}}ノードになっていません{{if .why}}: {{.why}}{{end}}。Karpenter は {{.minutes}} 分たつとこれを削除します。kubelet が登録されない理由は、マシン自身のログにあります。",
	NodeClaimNotInitialized: "{{if .named}}{{.claim}} のノード {{.node}}{{else}}{{.claim}} のノード{{end}} は{{if .age}} {{span .age}}たっても{{end}}初期化が完了していません{{if .why}}: {{.why}}{{end}}。完了するまで、Karpenter はこのノードを使えるものとみなさず、削除もしません。",

	WorkloadFinished: "{{.workload}} は終了しました。",
	WorkloadInactive: "{{.workload}} は Kueue のキューから外されています (spec.active が false){{if .why}}: {{.why}}{{end}}。",
	WorkloadAdmitted: "{{.workload}} は Kueue に承認されています。",
	WorkloadReserved: "{{.workload}} の割り当て (quota) は{{if .age}} {{span .age}}前に{{end}}確保され、admission check を待っています。",
	WorkloadUnqueued: "{{.workload}} に LocalQueue の指定がないため、Kueue は承認しません。",
	WorkloadPending:  "{{.workload}} {{if .queue}}(LocalQueue {{.queue}}) {{end}}は Kueue に承認されていません{{if .why}}: {{.why}}{{end}}。",
	WorkloadMissing:  "{{if .queue}}LocalQueue {{.queue}} の指定がありますが、{{end}}Kueue の Workload がありません。Kueue が動いていないか、このオブジェクトを管理していない可能性があります。",

	LocalQueueMissing:   "namespace {{.queue.Namespace}} の {{.queue}} が存在しません。",
	ClusterQueueMissing: "{{.local}} の参照先 {{.queue}} が存在しません。",
	QueueStopped:        "{{.queue}} は何も承認しません{{if .policy}} (stopPolicy が {{.policy}}){{else}}: {{.why}}{{end}}。",
	RemedyKueueQuota:    "{{if .never}}{{.workload}} の要求を減らすか、割り当てを増やします (最大容量を超えるものを Kueue が承認することはありません){{else}}割り当てを増やすか、キューのほかの Workload が終わるのを待ちます{{end}}",
	QueueHas:            "{{.queue}} の flavor {{.flavor}} の {{.resource}} の割り当て (nominal) は {{.nominal}} で、{{.used}} が確保されています{{if .borrowed}} ({{.borrowed}} は借用){{end}}。{{if not .cohort}}cohort に属していないため、借用はできません{{else if .limit}}cohort {{.cohort}} のほかのキューが使わない分から {{.limit}} まで借用できます{{else}}cohort {{.cohort}} のほかのキューが使わない分を借用できます{{end}}。",

	DeviceClaimMissing: "{{.pod}} は Pending です。クレーム {{.claim}} に指定された {{.missing}} が {{.namespace}} に存在しません。存在するまで、スケジューリングの対象になりません。",
	RemedyDeviceClaim:  "{{.namespace}} に {{.missing}} を作成するか、{{if .owned}}Pod の作成元のテンプレート{{else}}Pod (作り直しが必要です){{end}} の名前を修正します{{if .others}} (存在するもの: {{and .others}}){{end}}",

	CrashesFormat:  "{{.subject}} は起動しても終了を繰り返しています。コンテナ {{.container}} は {{.n}} 回再起動しています。プログラムが {{.node}}{{if .platform}} ({{.platform}}){{end}} で実行できない形式です (exec format error)。",
	ExitFormat:     "exec format error は、プログラムが{{if .platform}} {{.platform}} {{else}}ノード{{end}}とは異なるアーキテクチャ用にビルドされているか、先頭行にインタープリターの指定がないスクリプトであることを示します。",
	RemedyArch:     "{{.object}} の Pod を、nodeSelector kubernetes.io/arch で {{.arch}} のノード ({{and .nodes}} など) だけに配置します。",
	RemedyArchRisk: "{{if .runs}}このイメージは {{.arch}} のノードで動いています。{{else}}{{.image}} が {{.arch}} 用にビルドされているかは Kubernetes API では分かりません。先にマニフェストを確認してください。{{end}}{{if .daemon}}ほかのノードではこの Pod が動かなくなります。{{end}}",
	AttachedThere:  "{{.node}}{{if .type}} ({{.type}}){{end}} には {{.driver}} のボリュームが {{.n}} 個アタッチされています。CSINode での上限は {{.most}} 個です。{{if .shared}}Nitro のインスタンスタイプの多くでは、EC2 がアタッチできるのはボリュームとネットワークインターフェイスを合わせて {{.shared}} 個までです。該当する場合、ネットワークインターフェイスの分は残り {{.left}} 個で、ドライバーの示す上限が大きすぎます。{{end}}",
	RemedyAttached: "{{.driver}} を新しいバージョンにするか、--reserved-volume-attachments または --volume-attach-limit オプションを付けて、スケジューラーが先に別のノードを選べるようにします。それまでは、ほかに受け入れられるノードがあれば、{{.node}} を cordon して Pod を削除します",

	TitleN611: "上限に達した、または使用できない Karpenter の NodePool",
	TitleN612: "ノードにならない Karpenter の NodeClaim",
	TitleN613: "承認されていない Kueue の Workload",

	RemedyCloudQuota:     "{{if .region}}{{.region}} の{{end}}どの割り当て (quota) を使い切っているかを調べ、クラウドプロバイダーに引き上げを申請するか、割り当てを使っているリソースを減らします。",
	RemedyCloudQuotaCost: "なし。このコマンドは読み取りだけです。",
	RemedyCloudQuotaRisk: "割り当ての引き上げには数日かかることや、認められないことがあります。",

	PoolLimit:           "{{.pool}} の {{.resource}} の上限 (spec.limits) は {{.most}} で、現在は {{.has}} です。{{if .reached}}{{else if .over}}最も大きいノードと同じものをもう 1 台追加すると {{.next}} になります。{{end}}",
	PoolLimitStep:       "{{.resource}} を {{.from}} から {{.to}} に",
	RemedyPoolLimit:     "{{.pool}} の limits を引き上げます{{if .limits}}: {{and .limits}}。これで Karpenter は、既存の最も大きいノードと同じものを追加できます{{end}}。",
	RemedyPoolLimitCost: "Karpenter が追加するノードの分 (必要な間)。",
	RemedyPoolLimitRisk: "limits は費用の上限を決めるものです。NodePool は、ほかの Pod のためにもそこまで増えることがあります。",
}
