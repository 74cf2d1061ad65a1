package message

var japanesePreemption = sentences{}
