package message

// Language is the name of the Printer's language, as --lang takes it.
func (p Printer) Language() string {
	if p.catalogue == japanese() {
		return "ja"
	}
	return "en"
}
