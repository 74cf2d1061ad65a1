package message

var japaneseErrors = sentences{
	ErrBadInput:         "{{if .field}}{{.field}}: {{end}}{{.problem}}。{{.remedy}}",
	ErrSeeHelp:          "{{.command}} --help を参照してください",
	ErrNoCommand:        "{{.command}} に {{.given}} というコマンドはありません",
	ErrFlag:             "解釈できません: {{.problem}}",
	ErrNoFlag:           "{{.flag}} というフラグはありません",
	ErrFlagValue:        "{{.flag}} には値が必要です",
	ErrValue:            "{{.given}} は有効な値ではありません",
	ErrKubeconfig:       "読み取れません: {{.problem}}",
	ErrKubeconfigRemedy: "--kubeconfig または KUBECONFIG で別のファイルを、--context で別のコンテキストを指定してください",
	ErrNotOneOf:         "{{.given}} は有効な値ではありません",
	ErrUseOneOf:         "次のいずれかを指定してください: {{and .choices}}",
	ErrInterrupted:      "中断されました",
	ErrUnauthorized:     "{{.host}} の API サーバーに認証情報を拒否されました。認証情報を更新するか、--context または --user で別のものを指定してください",
	ErrForbidden:        "権限がありません: {{.problem}}",
	ErrAnswered:         "{{.host}} の API サーバーがエラーを返しました: {{.answer}}",
	ErrTimeout:          "{{.host}} の API サーバーが時間内に応答しませんでした。このマシンから到達できるか確認するか、--request-timeout を延ばしてください",
	ErrUnreachable:      "{{.host}} の API サーバーに接続できません: {{.problem}}。稼働しているか確認するか、--context または --kubeconfig で別のクラスターを指定してください",
	ErrAskWhy:           "why pod/NAME -n NAMESPACE のように指定してください",
	ErrMissing:          "指定されていません",
	ErrNoSubject:        "naosu は {{.given}} を説明できません",
}
