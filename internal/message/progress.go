package message

// What long work says of its progress.
const (
	ProgressReading ID = "ProgressReading" // done, total
	ProgressLoading ID = "ProgressLoading" // from
	ProgressJudge   ID = "ProgressJudge"   //
)
