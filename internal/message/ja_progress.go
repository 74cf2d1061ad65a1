package message

var japaneseProgress = sentences{}
