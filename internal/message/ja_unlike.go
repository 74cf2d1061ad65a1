package message

var japaneseUnlike = sentences{}
