package message

var japaneseForecast = sentences{}
