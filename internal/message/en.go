package message

import (
	"fmt"
	"strings"
	"sync"
	"text/template"
)

// English is naosu's first language.
func English() Printer { return Printer{english()} }

var english = sync.OnceValue(func() *template.Template { return compile(englishGrammar, englishSentences...) })

var englishGrammar = template.FuncMap{
	"count": func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", n, many)
	},
	"and": func(items []string) string { return enumerate(items, "and") },
	// list is for items that are clauses with commas of their own.
	"list": func(items []string) string { return strings.Join(items, "; ") },
	"or":   func(items []string) string { return enumerate(items, "or") },
	// verb is the form that goes with a number.
	"verb": func(n int, one, many string) string {
		if n == 1 {
			return one
		}
		return many
	},
}

func enumerate(items []string, word string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		return strings.Join(items[:n-1], ", ") + " " + word + " " + items[n-1]
	}
}

// englishSentences, an area of naosu each.
var englishSentences = []sentences{
	englishPod, englishBasis, englishZones, englishWords, englishFit, englishAutoscaling, englishStatus, englishNodes, englishNodeHealth, englishPreemption, englishForecast, englishAudit, englishUnlike, englishErrors, englishProgress, englishGuard, englishAction, englishInput, englishHelp, englishHelpRepair, englishProof, englishDrill, englishRemediations, englishCloud, englishController, englishHelpController, englishSubjects,
}
