package message

import (
	"strings"
	"sync"
	"text/template"
)

// Japanese says the same in Japanese.
func Japanese() Printer { return Printer{japanese()} }

var japanese = sync.OnceValue(func() *template.Template { return compile(japaneseGrammar, japaneseSentences...) })

var japaneseGrammar = template.FuncMap{
	"and": func(items []string) string { return strings.Join(items, "、") },
	"or":  func(items []string) string { return strings.Join(items, "または") },
}

// japaneseSentences, an area of naosu each.
var japaneseSentences = []sentences{
	japanesePod, japaneseBasis, japaneseZones, japaneseWords, japaneseFit, japaneseStatus, japaneseNodes, japanesePreemption, japaneseForecast, japaneseAudit, japaneseUnlike, japaneseErrors, japaneseProgress, japaneseInput, japaneseHelp,
}
