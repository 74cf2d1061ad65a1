package message

var englishCombined = sentences{
	SentenceSequence: "{{sequence .sentences}}",
	VerbatimText:     "{{.text}}",
}
