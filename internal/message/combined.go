package message

// Sentences that consist of others, and of what others than naosu wrote.
const (
	SentenceSequence ID = "SentenceSequence" // sentences
	VerbatimText     ID = "VerbatimText"     // text
)
