package main

import (
	"bytes"
	"fmt"
	"strings"
)

// words are the texts of a page around its tables.
type words struct {
	title, intro, ownTitle, own string
	heads                       [3]string
}

var pages = map[string]words{
	"en": {
		title: "Configuration of the node agent",
		intro: "Generated from the agent's code. `--config` specifies a YAML file. Keys that it does not contain keep their defaults; unknown keys are errors. " +
			"`naosu-agent check --config FILE` reports all errors in the file. NAME is the name of a reason; [reasons.md](reasons.md) lists all reasons and the defaults of `reasons.NAME`.",
		ownTitle: "Files of own reasons",
		own:      "Files named `*.patterns.yaml` in the folder of the configuration file. [agent.md](agent.md#own-reasons) describes them.",
		heads:    [3]string{"Key", "Default", "Description"},
	},
	"ja": {
		title: "ノードエージェントの設定",
		intro: "エージェントのコードから生成されています。`--config` で指定するファイルは YAML です。ファイルにないキーはデフォルトのままで、未知のキーはエラーになります。" +
			"誤りは `naosu-agent check --config FILE` で確認できます。NAME は理由の名前です。理由の一覧と `reasons.NAME` のデフォルトは [reasons.md](reasons.md) にあります。",
		ownTitle: "独自の理由のファイル",
		own:      "設定ファイルと同じフォルダーに置く、`*.patterns.yaml` という名前のファイルです。[agent.md](agent.md#独自の理由) で説明しています。",
		heads:    [3]string{"キー", "デフォルト", "説明"},
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

// description returns a comment without the name of the field: "A regular expression" for "Links is a regular expression".
func description(comment string) string {
	for _, verb := range []string{" is ", " are "} {
		name, rest, found := strings.Cut(comment, verb)
		if found && !strings.Contains(name, " ") {
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return comment
}
