package message

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"text/template"
)

// Japanese says the same in Japanese.
func Japanese() Printer { return Printer{japanese()} }

var japanese = sync.OnceValue(func() *template.Template { return compile(japaneseGrammar, japaneseSentences...) })

var japaneseGrammar = template.FuncMap{
	"and":  func(items []string) string { return strings.Join(items, "、") },
	"list": func(items []string) string { return strings.Join(items, "、") },
	"or": func(items []string) string {
		if last := len(items) - 1; last > 0 {
			return strings.Join(items[:last], "、") + " または " + items[last]
		}
		return strings.Join(items, "")
	},
	// span is a length of time such as 5m40s.
	"span": span,
}

var (
	spanWhole = regexp.MustCompile(`^(\d+[ydhms])+$`)
	spanPart  = regexp.MustCompile(`(\d+)([ydhms])`)
	spanUnits = map[string]string{"y": "年", "d": "日", "h": "時間", "m": "分", "s": "秒"}
)

func span(length any) string {
	text := fmt.Sprint(length)
	if !spanWhole.MatchString(text) {
		return text
	}
	var parts []string
	for _, part := range spanPart.FindAllStringSubmatch(text, -1) {
		parts = append(parts, part[1]+" "+spanUnits[part[2]])
	}
	return strings.Join(parts, " ")
}

// japaneseSentences, an area of naosu each.
var japaneseSentences = []sentences{
	japanesePod, japaneseBasis, japaneseZones, japaneseWords, japaneseFit, japaneseAutoscaling, japaneseStatus, japaneseNodes, japaneseNodeHealth, japanesePreemption, japaneseForecast, japaneseAudit, japaneseUnlike, japaneseErrors, japaneseProgress, japaneseGuard, japaneseAction, japaneseInput, japaneseHelp, japaneseHelpRepair, japaneseProof, japaneseDrill, japaneseRemediations, japaneseCloud, japaneseController, japaneseHelpController, japaneseSubjects,
}
