package message

var japanesePod = sentences{}
