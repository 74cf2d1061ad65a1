package message

var japaneseCombined = sentences{
	SentenceSequence: "{{sequence .sentences}}",
	VerbatimText:     "{{.text}}",
}
