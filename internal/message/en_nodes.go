package message

var englishNodes = sentences{}
