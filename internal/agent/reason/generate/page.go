package main

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/reason/duration"
)

// heads are what a page says around the entries.
type heads struct {
	language                                       string
	title, intro, compared, comparedIntro          string
	table, comparison                              []string
	explains                                       bool
	severity                                       map[string]string
	occurrences, looks, quiet, well, fault, golden string
	look, wellOnce                                 string // where one look is enough
	rests, restsIntro                              string
	basis                                          []string
	bases                                          map[string]string
}

var languages = map[string]heads{
	"en": {
		title: "What the node agent reports",
		intro: "Generated from the agent's catalogue. A **fatal** reason turns its node condition False, which repairers act on; a **warning** is an Event on the node. " +
			"*Real fault* names the test that provokes the fault on a real kernel and sees the reason stand and go; *golden records* are real log lines, with their source, where a fault cannot be provoked.",
		table:    []string{"Reason", "Severity, action", "Means", "Read", "Stands after", "Clears", "Proven by"},
		severity: map[string]string{"fatal": "**fatal**", "warning": "warning", "off": "off"},
		rests:    "What the fatal reasons rest on",
		restsIntro: "A fatal reason may have the node rebooted or replaced, so none rests on text that a workload can write, nor on the name of a process in a line; a test holds every one to it. " +
			"*State*: the agent asks or tries itself. *Record*: lines that the kernel itself wrote, which no process can have it write. *Record and witness*: such lines, each counted only while something that is no log says the same. *Driver's record*: one in which a device's driver says by a number that the device is lost until it is reset; it is written once, so one is enough.",
		basis:    []string{"Reason", "Rests on", "Which is"},
		bases:    map[string]string{"state": "state", "record": "record", "witness": "record and witness", "driver": "driver's record"},
		compared: "Beside other agents",
		comparedIntro: "What the EKS node monitoring agent (1.7.0) and node-problem-detector (commit 6632ca6) do about the same fault, from their code. Fires: whether the agent can report it as it is " +
			"shipped. Clears: whether the report goes when the fault is gone.",
		comparison: []string{"Reason", "naosu: severity, proof", "EKS agent fires", "clears", "node-problem-detector fires", "clears", "Note"},
		language:   "en", occurrences: "%d within %s", looks: "%s in every look", look: "The first look that finds it", quiet: "%s of quiet", well: "%s of looks that find it well", wellOnce: "The first look that finds it well", explains: true, fault: "real fault: `%s`", golden: "golden records: `%s`",
	},
	"ja": {
		title: "ノードエージェントが報告する理由",
		intro: "エージェントのカタログから生成されています。**fatal** の理由はノードの condition を False にし、修復の対象になります。**warning** は Node の Event になります。" +
			"*実障害* は、実カーネルで障害を起こし、理由が立って消えるのを確かめるテストの名前です。*記録* は、起こせない障害について、出典を付けた実際のログです。",
		table:    []string{"理由", "重大度・対処", "意味", "読むもの", "成立条件", "解消条件", "証明"},
		severity: map[string]string{"fatal": "**fatal**", "warning": "warning", "off": "off"},
		rests:    "fatal の理由の根拠",
		restsIntro: "fatal の理由はノードの再起動や入れ替えにつながるため、ワークロードが書ける文字列や、行の中のプロセス名を根拠にするものはありません。すべての理由をテストで確かめています。" +
			"*状態*：エージェントが自ら問い合わせるか試した結果です。*記録*：カーネル自身が書いた行で、プロセスが書かせることはできません。*記録と裏付け*：同じ種類の行を、ログ以外のものが同じことを示している間だけ数えます。*ドライバーの記録*：デバイスのドライバーが、リセットするまでデバイスを使えないと番号で示した記録です。1 度しか書かれないため、1 件で足ります。",
		basis:    []string{"理由", "根拠", "内容"},
		bases:    map[string]string{"state": "状態", "record": "記録", "witness": "記録と裏付け", "driver": "ドライバーの記録"},
		compared: "ほかのエージェントとの比較",
		comparedIntro: "同じ障害に対して EKS node monitoring agent（1.7.0）と node-problem-detector（コミット 6632ca6）が何をするかを、それぞれのコードから示します。「検出」は出荷時の設定で報告できるか、" +
			"「解消」は障害がなくなったときに報告も消えるかです。",
		comparison: []string{"理由", "naosu：重大度・証明", "EKS エージェント：検出", "解消", "node-problem-detector：検出", "解消", "備考"},
		language:   "ja", occurrences: "%[2]s以内に %[1]d 回", looks: "%sの間、毎回検出", look: "最初の検出", quiet: "%sの間、発生なし", well: "%sの間、毎回正常", wellOnce: "最初の正常確認", fault: "実障害：`%s`", golden: "記録：`%s`",
	},
}

// pageOf is the catalogue for people: what each reason means, and how other agents fare.
func pageOf(entries []entry, language string) []byte {
	words := languages[language]
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n", words.title, words.intro)
	for _, condition := range conditions {
		fmt.Fprintf(&out, "\n## %s\n\n", condition)
		row(&out, words.table...)
		rule(&out, len(words.table))
		for _, e := range entries {
			if e.Condition == condition {
				row(&out, "`"+e.Name+"`", words.severity[e.Severity]+", "+e.Action, words.means(language, e), words.reads(e), words.stands(e), words.goes(e), words.proven(e))
			}
		}
	}
	fmt.Fprintf(&out, "\n## %s\n\n%s\n\n", words.rests, words.restsIntro)
	row(&out, words.basis...)
	rule(&out, len(words.basis))
	for _, e := range entries {
		if e.Severity == "fatal" {
			says := e.Rests.EN
			if language == "ja" {
				says = e.Rests.JA
			}
			row(&out, "`"+e.Name+"`", words.bases[e.Rests.On], cell(says))
		}
	}
	fmt.Fprintf(&out, "\n## %s\n\n%s\n\n", words.compared, words.comparedIntro)
	row(&out, words.comparison...)
	rule(&out, len(words.comparison))
	for _, e := range entries {
		note := strings.Join(strings.Fields(e.EKS.Note+" "+e.NPD.Note), " ")
		row(&out, "`"+e.Name+"`", words.severity[e.Severity]+"; "+words.proven(e), e.EKS.Fires, e.EKS.Clears, e.NPD.Fires, e.NPD.Clears, cell(note))
	}
	return out.Bytes()
}

func (h heads) means(language string, e entry) string {
	if language == "ja" {
		return cell(e.Means.JA)
	}
	return cell(e.Means.EN)
}

// reads is what is read; English where the catalogue has no Japanese.
func (h heads) reads(e entry) string {
	if h.language == "ja" {
		return cell(cmp.Or(e.ReadsJA, e.Reads))
	}
	return cell(e.Reads)
}

func (h heads) stands(e entry) string {
	if e.Needs.Count > 0 {
		return fmt.Sprintf(h.occurrences, e.Needs.Count, duration.In(h.language, e.Needs.Within)) + h.why(e.Needs.Because)
	}
	if e.Needs.For == 0 {
		return h.look + h.why(e.Needs.Because)
	}
	return fmt.Sprintf(h.looks, duration.In(h.language, e.Needs.For)) + h.why(e.Needs.Because)
}

func (h heads) goes(e entry) string {
	if e.Clears.Quiet > 0 {
		return fmt.Sprintf(h.quiet, duration.In(h.language, e.Clears.Quiet)) + h.why(e.Clears.How)
	}
	if e.Clears.For == 0 {
		return h.wellOnce + h.why(e.Clears.How)
	}
	return fmt.Sprintf(h.well, duration.In(h.language, e.Clears.For)) + h.why(e.Clears.How)
}

// why adds an explanation, which the catalogue has in English only.
func (h heads) why(text string) string {
	if !h.explains {
		return ""
	}
	return ". " + cell(text)
}

func (h heads) proven(e entry) string {
	var ways []string
	if e.Proof.Fault != "" {
		ways = append(ways, fmt.Sprintf(h.fault, e.Proof.Fault))
	}
	for _, file := range e.Proof.Golden {
		ways = append(ways, fmt.Sprintf(h.golden, file))
	}
	if e.Proof.Note != "" {
		ways = append(ways, cell(e.Proof.Note))
	}
	return strings.Join(ways, "<br>")
}

func row(out *bytes.Buffer, cells ...string) {
	fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
}

func rule(out *bytes.Buffer, columns int) {
	fmt.Fprintf(out, "%s|\n", strings.Repeat("|---", columns))
}

func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}
