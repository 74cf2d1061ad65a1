package message

var englishProgress = sentences{}
