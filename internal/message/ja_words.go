package message

var japaneseWords = sentences{}
