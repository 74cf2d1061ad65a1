package message

// What may be wrong with where a verb is to read from.
const (
	ErrSchedulerConfig       ID = "ErrSchedulerConfig"       // problem
	ErrSchedulerConfigRemedy ID = "ErrSchedulerConfigRemedy" //
)
