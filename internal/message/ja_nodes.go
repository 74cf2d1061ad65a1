package message

var japaneseNodes = sentences{}
