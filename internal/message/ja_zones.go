package message

var japaneseZones = sentences{}
