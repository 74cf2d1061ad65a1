package message

var japaneseInput = sentences{
	ErrSchedulerConfigRemedy: "kubescheduler.config.k8s.io/v1 の KubeSchedulerConfiguration を含むファイルを指定してください。フラグを省略するとデフォルトのプロファイルを使います",
	ErrNodePricesRemedy:      "インスタンスタイプごとに Node の1時間あたりの価格を書いた YAML ファイルを指定してください。例: m5.large: 0.096",

	ErrFromParse:         "読み取れません: {{.problem}}",
	ErrFromMissing:       "{{.from}} が存在しません",
	ErrFromForbidden:     "{{.from}} を読み取る権限がありません",
	ErrFromBinary:        "{{.from}} はスナップショットでもテキストでもありません",
	ErrFromVersion:       "{{.from}} は、このバージョンの naosu では読み取れない形式のスナップショットです",
	ErrFromTruncated:     "スナップショット {{.from}} が途中で切れています",
	ErrFromDamaged:       "スナップショット {{.from}} が壊れています",
	ErrFromTooLarge:      "{{.from}} は大きすぎるため、メモリに読み込めません",
	ErrFromNothing:       "{{.from}} には naosu が読み取る種類のオブジェクトがありません",
	ErrFromRemedy:        "`naosu snapshot -o FILE` が書き出したファイルか、`kubectl get -o yaml` の出力のファイルまたはフォルダーを指定してください",
	ErrFromVersionRemedy: "書き出したときのバージョンか、それより新しい naosu で読み取ってください",
	ErrFromAgain:         "もう一度コピーするか、`naosu snapshot -o FILE` で取り直してください",

	ErrOutMissing:       "指定されていません",
	ErrOutMissingRemedy: "書き出すファイル、または標準出力を表す - を指定してください",
	ErrOutExists:        "{{.path}} はすでに存在します",
	ErrOutExistsRemedy:  "別のファイルを指定するか、--force で上書きしてください",
	ErrOutTerminal:      "スナップショットは端末に表示できません",
	ErrOutFormat:        "{{.given}} は出力形式の名前ですが、スナップショットの形式は選べません",
	ErrOutFormatRemedy:  "書き出すファイルを指定してください (例: prod.naosu)",
	ErrOutWrite:         "{{.path}} に書き込めません: {{.problem}}",
	SnapshotWritten:     "{{.path}}: ノード {{.nodes}} 台、Pod {{.pods}} 個",
	SnapshotKey:         "{{.path}}: このキーがファイルと同じ場所にあれば、whatif apply は環境変数のどの値が変わるかを判定できます。両方を持つ人は値を推測して確かめられるため、キーを共有しないでください。",
	SnapshotAnonymous:   "名前、ラベル、イメージ、アドレスは置き換えました。クラウドのゾーン、マシンタイプ、数量、時刻は元のままです",
	SnapshotUnread:      "権限がない、クラスターが提供していない、または読み取り元にないため、含まれていない種類: {{and .kinds}}",
}
