package message

var japaneseAudit = sentences{}
