package message

import (
	"fmt"
	"text/template"
)

// englishSentences, an area of naosu each.
var englishSentences = []sentences{
	englishPod, englishBasis, englishZones, englishWords, englishFit, englishAutoscaling, englishStatus, englishNodes, englishNodeHealth, englishPreemption, englishForecast, englishAudit, englishUnlike, englishErrors, englishProgress, englishGuard, englishAction, englishInput, englishHelp, englishHelpRepair, englishProof, englishDrill, englishRemediations, englishCloud, englishController, englishHelpController, englishFailover, englishRebalance, englishSubjects, englishCombined, englishAddresses, englishHeadroom, englishAddressPolicy, englishHeadroomPolicy, englishProtection, englishZoneCoverage,
}

// japaneseSentences, an area of naosu each.
var japaneseSentences = []sentences{
	japanesePod, japaneseBasis, japaneseZones, japaneseWords, japaneseFit, japaneseAutoscaling, japaneseStatus, japaneseNodes, japaneseNodeHealth, japanesePreemption, japaneseForecast, japaneseAudit, japaneseUnlike, japaneseErrors, japaneseProgress, japaneseGuard, japaneseAction, japaneseInput, japaneseHelp, japaneseHelpRepair, japaneseProof, japaneseDrill, japaneseRemediations, japaneseCloud, japaneseController, japaneseHelpController, japaneseFailover, japaneseRebalance, japaneseSubjects, japaneseCombined, japaneseAddresses, japaneseHeadroom, japaneseAddressPolicy, japaneseHeadroomPolicy, japaneseProtection, japaneseZoneCoverage,
}

var englishGrammar = template.FuncMap{"and": englishAnd, "count": count, "list": englishList, "or": englishOr, "sequence": sequence, "verb": verb}

var japaneseGrammar = template.FuncMap{"and": japaneseAnd, "list": japaneseAnd, "or": japaneseOr, "sequence": sequence, "span": func(length any) string { return span(fmt.Sprint(length)) }}
