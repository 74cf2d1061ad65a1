package message

var englishStatus = sentences{}
