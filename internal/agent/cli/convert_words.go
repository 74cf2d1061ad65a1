package cli

import (
	"github.com/naosu-dev/naosu/internal/agent/npd"
	"github.com/naosu-dev/naosu/internal/locale"
)

// conversionWords are the texts of convert-npd in one language. In notes, %s is the argument.
type conversionWords struct {
	outcomes         map[npd.Outcome]string
	notes            map[npd.Kind]string
	comment, summary string
}

func conversionWordsOf(language string) conversionWords {
	if language == locale.Japanese {
		return japaneseConversion
	}
	return englishConversion
}

var englishConversion = conversionWords{
	outcomes: map[npd.Outcome]string{npd.Kept: "converted", npd.BuiltIn: "built in", npd.Refused: "refused"},
	comment:  "^ was added: check that real lines begin like this.",
	summary:  "Converted: %d, built in: %d, refused: %d.",
	notes: map[npd.Kind]string{
		npd.Anchored:        "^ was added to its pattern, which now matches only from the beginning of a line: compare it with a real line",
		npd.Begins:          "^ was added to its pattern, which matches this line: %s",
		npd.InMessage:       "its pattern is searched for in the message (msg=) of lines that begin with time or level",
		npd.BeginsOtherwise: "its pattern matches the middle of this line; add the beginning of the line to the pattern: %s",
		npd.IsWarning:       "it set the condition %s and becomes a warning (an Event), because log lines alone never set a condition; specify --witness to keep it fatal",
		npd.IsFatal:         "it turns its condition False after at least 2 lines that %s confirms, and True again when there are no more lines",
		npd.InCondition:     "it belongs to %s",
		npd.HasReason:       "the agent already has the reason %s; if this rule detects something else, rename it",
		npd.OfFile:          "node-problem-detector extracts the message from lines of %s, but own reasons match the whole line from its beginning: write the reason by hand, with this file as log",
		npd.RunsCommand:     "it runs %s; the agent does not run commands",
		npd.OtherPlugin:     "its plugin %s is unknown",
		npd.NoUnit:          "the systemd service of %s is unknown: specify --unit %s=NAME.service",
		npd.Reverts:         "some lines cancel others (--revert-pattern), which own reasons do not support",
		npd.BeginsAnywhere:  "its pattern begins with a wildcard, so it may match text from another writer: write the beginning of the line",
		npd.SeveralLines:    "its pattern matches several lines, but own reasons match single lines",
		npd.NoPattern:       "its pattern is missing or invalid: %s",
		npd.Differs:         "another rule with the same reason has a different type or count: rename one of them",
		npd.Fails:           "%s",
	},
}

var japaneseConversion = conversionWords{
	outcomes: map[npd.Outcome]string{npd.Kept: "変換", npd.BuiltIn: "組み込み済み", npd.Refused: "変換不可"},
	comment:  "先頭に ^ を付けました。実際の行がこのとおりに始まるか確認してください。",
	summary:  "変換 %d、組み込み済み %d、変換不可 %d。",
	notes: map[npd.Kind]string{
		npd.Anchored:        "パターンの先頭に ^ を付けたため、そのとおりに始まる行だけが対象です。実際の行で確認してください",
		npd.Begins:          "パターンの先頭に ^ を付けました。実際の行もそのとおりに始まります: %s",
		npd.InMessage:       "time か level で始まる行のメッセージ (msg=) の中を探します",
		npd.BeginsOtherwise: "パターンがこの行の途中に一致します。行の先頭を書き加えてください: %s",
		npd.IsWarning:       "condition %s を変えるルールですが、warning (Event) になります。ログの行だけでは condition を変えません。変えるには --witness で裏付けを指定します",
		npd.IsFatal:         "2 行以上あり、%s が同じことを示している間に condition を False にし、行が途絶えると True に戻します",
		npd.InCondition:     "%s に属します",
		npd.HasReason:       "エージェントに %s として組み込まれています。このルールが別のものを検出するなら、名前を変えてください",
		npd.OfFile:          "node-problem-detector は %s の行からメッセージを切り出します。ここではパターンが行全体を先頭から見るため、log にこのファイルを指定して手で書いてください",
		npd.RunsCommand:     "%s を実行するルールです。エージェントはコマンドを実行しません",
		npd.OtherPlugin:     "プラグイン %s は未知のものです",
		npd.NoUnit:          "journal の行はサービスで探しますが、%s のサービスが不明です: --unit %s=NAME.service",
		npd.Reverts:         "ほかの行を取り消す行 (--revert-pattern) には対応していません",
		npd.BeginsAnywhere:  "パターンが任意の文字列で始まり、書き手以外の文字列まで一致するおそれがあります。行の先頭を書いてください",
		npd.SeveralLines:    "パターンが複数行にまたがりますが、独自の理由は 1 行ずつ照合します",
		npd.NoPattern:       "パターンがないか、正しくありません: %s",
		npd.Differs:         "同じ名前の別のルールと種類か回数が異なります。名前を変えてください",
		npd.Fails:           "%s",
	},
}
