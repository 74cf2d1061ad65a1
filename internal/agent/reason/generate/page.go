package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/reason/duration"
)

// pageWords are the texts of a page around the entries, in one language.
type pageWords struct {
	language                    string
	title, intro                string
	columns                     []string
	occurrences                 string // count and time
	everyCheck, oneCheck        string
	quiet, noFault, oneWithout  string
	fault, golden               string
	basisTitle, basisIntro      string
	basisColumns                []string
	basisKinds                  map[string]string
	comparisonTitle, comparison string
	comparisonColumns           []string
	severities                  map[string]string
}

var languages = map[string]pageWords{
	"en": {
		language: "en",
		title:    "Reasons that the node agent reports",
		intro: "Generated from the agent's catalogue. A **fatal** reason turns its node condition False, and repairers act on that; a **warning** is an Event on the node. " +
			"*Real fault* names the test that provokes the fault on a real kernel and checks that the reason is reported and cleared. *Golden records* are real log lines with their source, for faults that cannot be provoked.",
		columns:     []string{"Reason", "Severity, action", "Meaning", "Source", "Reported after", "Cleared when", "Tested by"},
		occurrences: "%d within %s", everyCheck: "Every check for %s", oneCheck: "The first check", fault: "real fault: `%s`", golden: "golden records: `%s`",
		basisTitle: "Evidence of fatal reasons",
		basisIntro: "Because of a fatal reason, a node may be rebooted or replaced. Its evidence is therefore never text that a workload can write, nor the name of a process in a log line; a test checks that for every reason. " +
			"*State*: the agent reads or tries it itself. *Record*: kernel messages that no process can cause to be written. *Record and witness*: such messages, each counted only while a second source that is not a log confirms it. " +
			"*Driver's record*: a device driver reports by number that the device does not work until it is reset; it writes this once, so one record is enough.",
		basisColumns:    []string{"Reason", "Kind", "Evidence"},
		basisKinds:      map[string]string{"state": "state", "record": "record", "witness": "record and witness", "driver": "driver's record"},
		comparisonTitle: "Comparison with other agents",
		comparison: "What the EKS node monitoring agent (1.7.0) and node-problem-detector (commit 6632ca6) do about the same fault, according to their code. *Reports*: whether the agent can report the fault with its default " +
			"configuration. *Clears*: whether the report ends when the fault is over.",
		comparisonColumns: []string{"Reason", "naosu: severity, tests", "EKS agent reports", "clears", "node-problem-detector reports", "clears", "Note"},
		severities:        map[string]string{"fatal": "**fatal**", "warning": "warning", "off": "off"},
	},
	"ja": {
		language: "ja",
		title:    "ノードエージェントが報告する理由",
		intro: "エージェントのカタログから生成されています。**fatal** の理由はノードの condition を False にし、修復の対象になります。**warning** は Node の Event になります。" +
			"*実際の障害* は、実際のカーネルで障害を起こし、理由が報告されてから解消するまでを確かめるテストの名前です。*記録* は、起こせない障害について、出典を付けた実際のログです。",
		columns:     []string{"理由", "重大度、操作", "意味", "読み取るもの", "報告する条件", "解消する条件", "テスト"},
		occurrences: "%[2]s以内に %[1]d 回", everyCheck: "%sの間、毎回検出", oneCheck: "最初の検出", quiet: "%sの間、発生なし", noFault: "%sの間、毎回正常", oneWithout: "最初の正常確認", fault: "実際の障害: `%s`", golden: "記録: `%s`",
		basisTitle: "fatal の理由の根拠",
		basisIntro: "fatal の理由はノードの再起動や交換につながるため、ワークロードが書ける文字列や、行の中のプロセス名は根拠にしません。すべての理由をテストで確かめています。" +
			"*状態*: エージェントが自ら読み取るか、試した結果です。*記録*: カーネル自身が書いた行で、プロセスが書かせることはできません。*記録と裏付け*: 同じ種類の行を、ログ以外のものが同じことを示している間だけ数えます。" +
			"*ドライバーの記録*: デバイスのドライバーが、リセットするまでデバイスを使えないと番号で示した記録です。1 度しか書かれないため、1 件で報告します。",
		basisColumns:    []string{"理由", "種類", "根拠"},
		basisKinds:      map[string]string{"state": "状態", "record": "記録", "witness": "記録と裏付け", "driver": "ドライバーの記録"},
		comparisonTitle: "ほかのエージェントとの比較",
		comparison: "同じ障害に対する EKS node monitoring agent (1.7.0) と node-problem-detector (コミット 6632ca6) の動作を、それぞれのコードに基づいて示します。「検出」はデフォルトの設定で報告できるか、" +
			"「解消」は障害がなくなったときに報告も消えるかです。",
		comparisonColumns: []string{"理由", "naosu: 重大度、テスト", "EKS エージェント: 検出", "解消", "node-problem-detector: 検出", "解消", "備考"},
		severities:        map[string]string{"fatal": "**fatal**", "warning": "warning", "off": "off"},
	},
}

// pageOf returns the page reasons.md in a language.
func pageOf(entries []entry, language string) []byte {
	w := languages[language]
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n", w.title, w.intro)
	for _, condition := range conditions {
		fmt.Fprintf(&out, "\n## %s\n\n", condition)
		header(&out, w.columns)
		for _, e := range entries {
			if e.Condition == condition {
				row(&out, "`"+e.Name+"`", w.severities[e.Severity]+", "+e.Action, cell(e.Means.in(language)), cell(w.reads(e)), w.reported(e), w.cleared(e), w.tests(e))
			}
		}
	}
	fmt.Fprintf(&out, "\n## %s\n\n%s\n\n", w.basisTitle, w.basisIntro)
	header(&out, w.basisColumns)
	for _, e := range entries {
		if e.Severity == "fatal" {
			row(&out, "`"+e.Name+"`", w.basisKinds[e.Basis.Kind], cell(e.Basis.in(language)))
		}
	}
	fmt.Fprintf(&out, "\n## %s\n\n%s\n\n", w.comparisonTitle, w.comparison)
	header(&out, w.comparisonColumns)
	for _, e := range entries {
		row(&out, "`"+e.Name+"`", w.severities[e.Severity]+"; "+w.tests(e), e.EKS.Fires, e.EKS.Clears, e.NPD.Fires, e.NPD.Clears, cell(e.EKS.Note+" "+e.NPD.Note))
	}
	return out.Bytes()
}

func (w words) in(language string) string {
	if language == "ja" {
		return w.JA
	}
	return w.EN
}

func (w pageWords) reads(e entry) string {
	if w.language == "ja" {
		return e.ReadsJA
	}
	return e.Reads
}

// reported is after how much evidence a reason is reported. The explanation exists only in English.
func (w pageWords) reported(e entry) string {
	after := w.oneCheck
	switch {
	case e.Needs.Count > 0:
		after = fmt.Sprintf(w.occurrences, e.Needs.Count, duration.In(w.language, e.Needs.Within))
	case e.Needs.For > 0:
		after = fmt.Sprintf(w.everyCheck, duration.In(w.language, e.Needs.For))
	}
	if w.language == "en" {
		after += ". " + cell(e.Needs.Because)
	}
	return after
}

// cleared is when a reason is no longer reported.
func (w pageWords) cleared(e entry) string {
	switch {
	case w.language == "en":
		return cell(e.Clears.How)
	case e.Clears.Quiet > 0:
		return fmt.Sprintf(w.quiet, duration.In(w.language, e.Clears.Quiet))
	case e.Clears.For > 0:
		return fmt.Sprintf(w.noFault, duration.In(w.language, e.Clears.For))
	}
	return w.oneWithout
}

func (w pageWords) tests(e entry) string {
	var all []string
	if e.Proof.Fault != "" {
		all = append(all, fmt.Sprintf(w.fault, e.Proof.Fault))
	}
	for _, file := range e.Proof.Golden {
		all = append(all, fmt.Sprintf(w.golden, file))
	}
	if e.Proof.Note != "" {
		all = append(all, cell(e.Proof.Note))
	}
	return strings.Join(all, "<br>")
}

func header(out *bytes.Buffer, columns []string) {
	row(out, columns...)
	fmt.Fprintf(out, "%s|\n", strings.Repeat("|---", len(columns)))
}

func row(out *bytes.Buffer, cells ...string) {
	fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
}

// cell is text as a cell of a Markdown table takes it.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}
