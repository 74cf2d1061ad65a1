package cli

import (
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/locale"
)

// words are what the commands print around the catalogue's own.
type words struct {
	language     string
	heads        []string
	states       map[evidence.State]string
	summary      string
	reasonsHeads []string
	occurrences  string
	looks, look  string
	// own is of an own reason: its file and what it means.
	own string
}

func wordsOf(language string) words {
	if language == locale.Japanese {
		return words{
			language:     language,
			heads:        []string{"状態", "condition", "理由", "対象", "読んだもの"},
			states:       map[evidence.State]string{evidence.Fault: "異常", evidence.Unreadable: "不明", evidence.Well: "正常", evidence.Inapplicable: "対象外"},
			summary:      "異常 %d、不明 %d、正常 %d、対象外 %d。一度だけ見た結果です。報告に必要な証拠の量は naosu-agent reasons でわかります。",
			reasonsHeads: []string{"condition", "理由", "重大度", "成立条件", "意味"},
			occurrences:  "%[2]s以内に %[1]d 回",
			looks:        "%s継続",
			look:         "最初の検出",
			own:          "独自（%s）：%s",
		}
	}
	return words{
		language:     locale.English,
		heads:        []string{"STATE", "CONDITION", "REASON", "ENTITY", "READ"},
		states:       map[evidence.State]string{evidence.Fault: "FAULT", evidence.Unreadable: "unknown", evidence.Well: "well", evidence.Inapplicable: "not here"},
		summary:      "Faults: %d, unknown: %d, well: %d, not here: %d. This was one look: naosu-agent reasons tells how much evidence each reason needs before it is reported.",
		reasonsHeads: []string{"CONDITION", "REASON", "SEVERITY", "STANDS AFTER", "MEANS"},
		occurrences:  "%d within %s",
		looks:        "%s",
		look:         "the first look",
		own:          "own (%s): %s",
	}
}
