package message

var englishPreemption = sentences{}
