package message

var japaneseStatus = sentences{}
