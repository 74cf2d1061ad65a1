package main

import (
	"bytes"
	"fmt"
	"strings"
)

// words are what a page says around its tables.
type words struct {
	title, intro, ownTitle, own string
	heads                       [3]string
}

var pages = map[string]words{
	"en": {
		title: "The configuration of the node agent",
		intro: "Generated from the agent's code. The file that `--config` names is YAML; what it does not say stays at its default, and a key that is not here is refused. " +
			"`naosu-agent check --config FILE` says what is wrong with it. NAME is a reason, in any of the spellings of [reasons.md](reasons.md), which also has what holds where nothing is said of it.",
		ownTitle: "Files of own reasons",
		own:      "Files named `*.patterns.yaml` beside the configuration. [agent.md](agent.md#own-reasons) says what they are for.",
		heads:    [3]string{"Key", "Default", "Means"},
	},
	"ja": {
		title: "ノードエージェントの設定",
		intro: "エージェントのコードから生成されています。`--config` で指定するファイルは YAML です。書かれていないものはデフォルトのままで、ここにないキーは拒否されます。" +
			"誤りは `naosu-agent check --config FILE` で確かめられます。NAME は理由の名前で、[reasons.md](reasons.md) の別名でもかまいません。そのデフォルトも reasons.md にあります。",
		ownTitle: "独自の理由のファイル",
		own:      "設定の隣に置く `*.patterns.yaml` という名前のファイルです。用途は [agent.md](agent.md#独自の理由) にあります。",
		heads:    [3]string{"キー", "デフォルト", "意味"},
	},
}

func (w words) page(settings, reasons []key, language string, japanese map[string]string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n\n", w.title, w.intro)
	w.table(&out, settings, language, japanese)
	fmt.Fprintf(&out, "\n## %s\n\n%s\n\n", w.ownTitle, w.own)
	w.table(&out, reasons, language, japanese)
	return out.Bytes()
}

func (w words) table(out *bytes.Buffer, keys []key, language string, japanese map[string]string) {
	fmt.Fprintf(out, "| %s |\n|---|---|---|\n", strings.Join(w.heads[:], " | "))
	for _, k := range keys {
		means, fallback := description(k.comment), k.fallback
		if language == "ja" {
			means = japanese[k.id()]
		}
		if fallback != "" {
			fallback = "`" + fallback + "`"
		}
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", k.path, strings.ReplaceAll(fallback, "|", `\|`), strings.ReplaceAll(means, "|", `\|`))
	}
}

// description is a comment without the name that it begins with: "Links is a regular expression" is "A regular expression".
func description(comment string) string {
	for _, verb := range []string{" is ", " are "} {
		subject, rest, found := strings.Cut(comment, verb)
		if names := strings.NewReplacer(", ", "", " and ", "").Replace(subject); found && !strings.Contains(names, " ") {
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return comment
}
