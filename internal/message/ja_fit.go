package message

var japaneseFit = sentences{}
