package message

var englishProgress = sentences{
	ProgressReading: "reading the cluster: {{.done}} of {{.total}} objects",
	ProgressLoading: "reading {{.from}}",
	ProgressJudge:   "setting up the scheduler's rules",
}
