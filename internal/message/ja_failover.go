package message

var japaneseFailover = sentences{
	FailoverOutOfService: "{{.node}} のマシンは停止しています ({{.proof}})。ノードを停止扱いにしました。Pod は削除され、ボリュームはデタッチされます。実行者: {{.by}}。",
	FailoverNotDeclared:  "{{.by}} による {{.node}} の停止扱いに失敗しました: {{.words}}",
	FailoverKept:         "{{.node}} にはボリュームがあり、応答していません。削除されても、ボリュームがデタッチされるまで、または 10 分間は残ります({{.policy}})。",
	FailoverBack:         "{{.node}} が復帰したため、taint node.kubernetes.io/out-of-service を削除しました。",

	FailoverSilent:       "{{.node}} からの応答がありません: {{.proof}}。このノードの {{.pods}} 個の Pod をほかのノードで置き換え、{{if .notReady}}{{.notReady}} 個の Pod を Ready でない状態にし、{{end}}taint naosu.dev/silent によって新しい Pod が割り当てられないようにしました。実行者: {{.by}}。",
	FailoverWouldReplace: "{{.node}} からの応答がありません: {{.proof}}。モードが Auto であれば、このノードの {{.pods}} 個の Pod がほかのノードで置き換えられ{{if .notReady}}、{{.notReady}} 個の Pod が Ready でない状態になり{{end}}ます ({{.by}})。",
	FailoverNotReplaced:  "応答がない {{.node}} の Pod を {{.by}} によって置き換えること、または Ready でない状態にすることができませんでした: {{.words}}",
	FailoverSilenceProof: "{{span .quiet}}間、動作を示す信号がなく、ほかの {{.witnesses}} 台のノードからも到達できません",
	FailoverSpoke:        "{{.node}} が再び応答したため、taint naosu.dev/silent を削除しました。",

	ConfirmRemedy:       "naosu failover confirm node/NAME の形式でノードを指定します",
	ConfirmNoName:       "{{.given}} はノードの名前ではありません",
	ConfirmGone:         "{{.node}} は存在しません",
	ConfirmReady:        "{{.node}} は Ready なので、マシンは動作しています。何も変更していません",
	ConfirmRenewed:      "{{.node}} の kubelet は {{.ago}} 前に Lease を更新しており、マシンが動作している可能性があります。何も変更していません。更新が 40s 以上途絶えてから、もう一度実行します",
	ConfirmReported:     "{{.node}} の kubelet は Ready ではないと報告しており、マシンが動作している可能性があります。何も変更していません。最後の報告から 50s 経ち、状態 Ready が Unknown になってから、もう一度実行します",
	ConfirmAlready:      "{{.node}} には taint node.kubernetes.io/out-of-service がすでにあります。",
	ConfirmState:        "{{.node}} は {{.since}} 前から Ready ではありません。{{if .renewed}}kubelet が最後に Lease を更新したのは {{.renewed}} 前です{{else}}kubelet の Lease はありません{{end}}。",
	ConfirmReleases:     "停止扱いにすると、{{.pods}} 個の Pod が削除され、{{.volumes}} 個のボリュームがデタッチされます。マシンが動作している場合は、Pod が二重に動作し、ボリュームのデータが失われることがあります。",
	ConfirmNotConfirmed: "何も変更していません。{{.node}} のマシンが確実に停止している場合は、{{.command}} を実行します",
	ConfirmChanged:      "{{.node}} は、読み取った後に変化しました。復帰したか、別のマシンになっています。何も変更していません",
	ConfirmDone:         "{{.node}} を停止扱いにしました。マシンが復帰すると、naosu のコントローラーが taint を削除します。コントローラーがない場合は、復帰後に {{.command}} を実行します。",
	ConfirmProof:        "{{.user}} が確認",
}
