package message

var englishProgress = sentences{
	ProgressReading: "reading the cluster: {{.done}} of {{.total}} objects",
	ProgressJudge:   "setting up the scheduler's rules",
}
