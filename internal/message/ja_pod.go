package message

var japanesePod = sentences{
	PodRunning:    "{{.pod}} は {{.node}} で動いています。",
	PodNotReady:   "{{.pod}} は {{.node}} で動いていますが、Ready になっていません: {{.why}}",
	PodFinished:   "{{.pod}} は正常に完了しています。",
	PodFailed:     "{{.pod}} は失敗しました: {{.why}}",
	PodDeleting:   "{{.pod}} は削除中です。",
	PodGated:      "{{.pod}} は scheduling gate ({{and .gates}}) があるため、まだスケジューリングの対象になっていません。",
	PodUnseen:     "{{.pod}} は Pending で、まだどのスケジューラーにも処理されていません (schedulerName は {{.scheduler}})。",
	PodPending:    "{{.pod}} は Pending です。スケジューラーの報告: {{.why}}",
	PodNominated:  "{{.pod}} は Pending です。{{.node}} で優先度の低い Pod が終了するのを待っています。",
	PodNotStarted: "{{.pod}} は {{.node}} に割り当てられましたが、コンテナが動いていません: {{.why}}",
	PodPlaced:     "{{.pod}} は {{.node}} に割り当てられました。コンテナの状態はまだ報告されていません。",
	PodUnknown:    "{{.pod}} は {{.state}} です。",
}
