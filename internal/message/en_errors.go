package message

var englishErrors = sentences{}
