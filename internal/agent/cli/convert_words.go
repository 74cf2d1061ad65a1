package cli

import (
	"github.com/naosu-dev/naosu/internal/agent/npd"
	"github.com/naosu-dev/naosu/internal/locale"
)

// fates are what convert-npd says of rules. In notes %s is the argument.
type fates struct {
	fates            map[npd.Fate]string
	notes            map[npd.About]string
	comment, summary string
}

func fatesOf(language string) fates {
	if language == locale.Japanese {
		return japaneseFates
	}
	return englishFates
}

var englishFates = fates{
	fates:   map[npd.Fate]string{npd.Kept: "kept", npd.BuiltIn: "built in", npd.Refused: "refused"},
	comment: "^ was put before it: look at a real line whether it begins so.",
	summary: "Kept: %d, built in: %d, refused: %d.",
	notes: map[npd.About]string{
		npd.Anchored:        "^ was put before its pattern, so that it takes only lines that begin so: look at a real one",
		npd.Begins:          "^ was put before its pattern, and lines begin so: %s",
		npd.InMessage:       "its pattern is looked for in the message of the line (msg=), which begins with time or level",
		npd.BeginsOtherwise: "its pattern takes the middle of a line: write what the line begins with: %s",
		npd.IsWarning:       "it turned %s, and is a warning (an Event) now: lines alone turn no condition here; --witness names what agrees with them",
		npd.IsFatal:         "it turns its condition False while %s agrees, after 2 lines or more, and True again when no more come",
		npd.InCondition:     "it belongs to %s",
		npd.HasReason:       "the agent has it as %s; if this rule finds something else, give it another name",
		npd.OfFile:          "node-problem-detector cuts the message out of lines of %s; here a pattern takes the whole line, from its beginning: write it by hand, with the file as log",
		npd.RunsCommand:     "it runs %s; the agent runs no commands",
		npd.OtherPlugin:     "its plugin %s is none that is known",
		npd.NoUnit:          "lines of the journal are found by their service, which is not known of %s: --unit %s=NAME.service",
		npd.Reverts:         "some lines take others back (--revert-pattern); here a line stands",
		npd.BeginsAnywhere:  "its pattern begins with any text, so that another's text may be taken for the writer's: write what the line begins with",
		npd.SeveralLines:    "its pattern takes several lines; here each is taken by itself",
		npd.NoPattern:       "it has no pattern that can be read %s",
		npd.Differs:         "another rule of the same name has another type or count: give it another name",
		npd.Fails:           "%s",
	},
}

var japaneseFates = fates{
	fates:   map[npd.Fate]string{npd.Kept: "変換", npd.BuiltIn: "組み込み済み", npd.Refused: "変換不可"},
	comment: "先頭に ^ を付けました。実際の行がこのとおりに始まるか確認してください。",
	summary: "変換 %d、組み込み済み %d、変換不可 %d。",
	notes: map[npd.About]string{
		npd.Anchored:        "パターンの先頭に ^ を付けたため、そのとおりに始まる行だけが対象です。実際の行で確認してください",
		npd.Begins:          "パターンの先頭に ^ を付けました。実際の行もそのとおりに始まります: %s",
		npd.InMessage:       "time か level で始まる行のメッセージ（msg=）の中を探します",
		npd.BeginsOtherwise: "パターンは行の途中に当たります。行の先頭を書いてください: %s",
		npd.IsWarning:       "%s を変えていたルールですが、warning（Event）になります。行だけでは condition は変わりません。裏付けは --witness で指定します",
		npd.IsFatal:         "2 行以上あり、%s が同じことを示している間に condition を False にし、行が途絶えると True に戻します",
		npd.InCondition:     "%s に属します",
		npd.HasReason:       "エージェントに %s として組み込まれています。このルールが別のものを検出するなら、名前を変えてください",
		npd.OfFile:          "node-problem-detector は %s の行からメッセージを切り出します。ここではパターンが行全体を先頭から見るため、log にこのファイルを指定して手で書いてください",
		npd.RunsCommand:     "%s を実行するルールです。エージェントはコマンドを実行しません",
		npd.OtherPlugin:     "プラグイン %s は未知のものです",
		npd.NoUnit:          "journal の行はサービスで探しますが、%s のサービスが不明です: --unit %s=NAME.service",
		npd.Reverts:         "ほかの行を取り消す行があります（--revert-pattern）。ここでは行は取り消されません",
		npd.BeginsAnywhere:  "パターンが任意の文字列で始まり、書き手以外の文字列まで取り込む恐れがあります。行の先頭を書いてください",
		npd.SeveralLines:    "パターンが複数行にまたがります。ここでは 1 行ずつ見ます",
		npd.NoPattern:       "読み取れるパターンがありません %s",
		npd.Differs:         "同じ名前の別のルールと種類か回数が異なります。名前を変えてください",
		npd.Fails:           "%s",
	},
}
