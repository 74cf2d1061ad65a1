package message

var englishAudit = sentences{}
