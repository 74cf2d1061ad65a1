package message

var japaneseProgress = sentences{
	ProgressReading: "クラスターを読み取っています: {{.total}} 個中 {{.done}} 個",
	ProgressLoading: "{{.from}} を読み取っています",
	ProgressJudge:   "スケジューラーのルールを準備しています",
}
