package message

var englishUnlike = sentences{}
