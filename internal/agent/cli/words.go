package cli

import (
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/locale"
)

// words are the texts of the commands, besides those of the catalogue, in one language.
type words struct {
	language     string
	heads        []string
	states       map[evidence.State]string
	summary      string
	reasonsHeads []string
	occurrences  string // count and time
	everyCheck   string // time
	oneCheck     string
	// own is for an own reason: its file and what it means.
	own string
}

func wordsOf(language string) words {
	if language == locale.Japanese {
		return words{
			language:     language,
			heads:        []string{"状態", "condition", "理由", "対象", "読み取ったもの"},
			states:       map[evidence.State]string{evidence.Fault: "異常", evidence.Unreadable: "不明", evidence.Well: "正常", evidence.Inapplicable: "対象外"},
			summary:      "異常 %d、不明 %d、正常 %d、対象外 %d。1 回だけ確認した結果です。報告の条件は naosu-agent reasons で確認できます。",
			reasonsHeads: []string{"condition", "理由", "重大度", "報告する条件", "意味"},
			occurrences:  "%[2]s以内に %[1]d 回",
			everyCheck:   "%sの間、毎回検出",
			oneCheck:     "最初の検出",
			own:          "独自 (%s): %s",
		}
	}
	return words{
		language:     locale.English,
		heads:        []string{"STATE", "CONDITION", "REASON", "ENTITY", "SOURCE"},
		states:       map[evidence.State]string{evidence.Fault: "FAULT", evidence.Unreadable: "unknown", evidence.Well: "healthy", evidence.Inapplicable: "n/a"},
		summary:      "Faults: %d, unknown: %d, healthy: %d, not applicable: %d. This was a single check; naosu-agent reasons shows how much evidence each reason needs before it is reported.",
		reasonsHeads: []string{"CONDITION", "REASON", "SEVERITY", "REPORTED AFTER", "MEANING"},
		occurrences:  "%d within %s",
		everyCheck:   "%s",
		oneCheck:     "the first check",
		own:          "own (%s): %s",
	}
}
