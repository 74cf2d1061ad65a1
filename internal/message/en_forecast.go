package message

var englishForecast = sentences{}
