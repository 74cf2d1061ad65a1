package message

var englishFit = sentences{}
