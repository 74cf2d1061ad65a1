package message

import (
	"regexp"
	"strings"
)

// Japanese says the same in Japanese.
func Japanese() Printer { return Printer{&japanese} }

var japanese = languageOf("ja", japaneseTexts)

func japaneseAnd(items []string) string { return strings.Join(items, "、") }

func japaneseOr(items []string) string {
	if last := len(items) - 1; last > 0 {
		return strings.Join(items[:last], "、") + " または " + items[last]
	}
	return strings.Join(items, "")
}

var (
	spanWhole = regexp.MustCompile(`^(\d+[ydhms])+$`)
	spanPart  = regexp.MustCompile(`(\d+)([ydhms])`)
	spanUnits = map[string]string{"y": "年", "d": "日", "h": "時間", "m": "分", "s": "秒"}
)

// span is a length of time such as 5m40s.
func span(text string) string {
	if !spanWhole.MatchString(text) {
		return text
	}
	var parts []string
	for _, part := range spanPart.FindAllStringSubmatch(text, -1) {
		parts = append(parts, part[1]+" "+spanUnits[part[2]])
	}
	return strings.Join(parts, " ")
}
