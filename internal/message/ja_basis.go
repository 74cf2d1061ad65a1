package message

var japaneseBasis = sentences{}
