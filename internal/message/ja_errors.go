package message

var japaneseErrors = sentences{}
