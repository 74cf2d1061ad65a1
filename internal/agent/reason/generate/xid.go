package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// xids is the table of NVIDIA's Xids as xid.yaml has it, whose head says what the fields are.
type xids struct {
	Actions     []xidAction `yaml:"actions"`
	Fatal       entry       `yaml:"fatal"`
	Warning     entry       `yaml:"warning"`
	Application entry       `yaml:"application"`
	Codes       []xid       `yaml:"codes"`
}

// xidAction is an immediate action of NVIDIA's, and what it makes of a record.
type xidAction struct {
	Name   string `yaml:"name"`
	Is     string `yaml:"is"`
	Action string `yaml:"action"`
	words  `yaml:",inline"`
}

type xid struct {
	Code    int      `yaml:"code"`
	Name    string   `yaml:"name"`
	Says    string   `yaml:"says"`
	Does    string   `yaml:"does"`
	Is      string   `yaml:"is"`
	Because string   `yaml:"because"`
	Text    string   `yaml:"text"`
	Lines   []string `yaml:"lines"`
	words   `yaml:",inline"`
	action  xidAction
}

// What a code may be.
const (
	fatal       = "fatal"
	warning     = "warning"
	application = "application"
)

// ofEKS are the codes that the EKS node monitoring agent calls fatal (WellKnownXidCodes in monitors/nvidia/dcgm/dcgm_policies.go of
// github.com/aws/eks-node-monitoring-agent 51af549).
var ofEKS = []int{46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158}

// readXIDs reads the table. What a code is follows from NVIDIA's action, unless it says otherwise and why.
func readXIDs(path string) (xids, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return xids{}, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var table xids
	if err := decoder.Decode(&table); err != nil {
		return xids{}, err
	}
	for i := range table.Codes {
		x := &table.Codes[i]
		at := slices.IndexFunc(table.Actions, func(a xidAction) bool { return a.Name == x.Does })
		switch {
		case i > 0 && x.Code <= table.Codes[i-1].Code:
			return xids{}, fmt.Errorf("%d comes after %d", x.Code, table.Codes[i-1].Code)
		case at < 0 && x.Does != "":
			return xids{}, fmt.Errorf("%d: there is no action %s", x.Code, x.Does)
		case (x.Is == "") != (x.Because == ""):
			return xids{}, fmt.Errorf("%d: is and because go together", x.Code)
		case at >= 0:
			x.action = table.Actions[at]
		default:
			x.action.Is = warning
		}
		if x.Is == "" {
			x.Is = x.action.Is
		}
	}
	return table, nil
}

// header is how a record of a code begins (krcReportXid in src/nvidia/src/kernel/gpu/rc/kernel_rc.c of
// github.com/NVIDIA/open-gpu-kernel-modules 595.45.04). All of it stands before the process's name.
func header(code string) string {
	return `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): ` + code + `, `
}

// entries are the reasons: one for each fatal code, by the EKS agent's name, and one each for the others.
func (t xids) entries() []entry {
	var all []entry
	var none []string // the texts after the number that are no warning
	var ended []string
	for _, x := range t.Codes {
		code := strconv.Itoa(x.Code)
		switch x.Is {
		case fatal:
			all = append(all, t.fatal(x))
			none = append(none, code+", "+x.Text)
			if x.Text != "" {
				t.Warning.Aliases = append(t.Warning.Aliases, "NvidiaXID"+code+"Warning")
			}
		case application:
			ended, none = append(ended, code), append(none, code+", ")
			t.Application.Aliases = append(t.Application.Aliases, "NvidiaXID"+code+"Error", "NvidiaXID"+code+"Warning")
		default:
			t.Warning.Aliases = append(t.Warning.Aliases, "NvidiaXID"+code+"Error", "NvidiaXID"+code+"Warning")
		}
	}
	t.Application.Matches = []match{{Log: "kernel", Pattern: header("(?:" + strings.Join(ended, "|") + ")")}}
	t.Warning.Matches = []match{{Log: "kernel", Pattern: header(`\d+`), Except: `^NVRM: Xid \([^)]*\): (?:` + strings.Join(none, "|") + ")"}}
	return append(all, t.Warning, t.Application)
}

// fatal is the reason of one code.
func (t xids) fatal(x xid) entry {
	e := t.Fatal
	code := strconv.Itoa(x.Code)
	e.Name, e.Action = "NvidiaXID"+code+"Error", x.action.Action
	e.Means = words{
		EN: x.EN + " NVIDIA says: " + x.action.EN + ".",
		JA: x.JA + "NVIDIA の推奨対応：" + x.action.JA + "。",
	}
	e.Reads, e.ReadsJA = "the kernel log: `NVRM: Xid` "+code+" ("+x.Name+")", "カーネルログの `NVRM: Xid` "+code+" ("+x.Name+")"
	e.Matches = []match{{Log: "kernel", Pattern: header(code) + x.Text}}
	for _, line := range x.Lines {
		e.Matches = append(e.Matches, match{Log: "kernel", Pattern: line})
	}
	e.EKS = other{Fires: "yes, of DCGM", Clears: "only when the agent restarts"}
	if !slices.Contains(ofEKS, x.Code) {
		e.EKS = other{Fires: "as NvidiaXID" + code + "Warning, of DCGM", Clears: "Event only"}
	}
	return e
}

// xidHeads are what the page says around the table.
var xidHeads = map[string]struct {
	title, intro string
	table        []string
	later        string
	is           map[string]string
}{
	"en": {
		title: "NVIDIA's Xids",
		intro: "Generated from the agent's table. The first four columns are [NVIDIA's Xid catalogue](https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html) for Ampere and newer " +
			"GPUs, as of 2025-10-29, and the last two what naosu makes of NVIDIA's immediate action. naosu reads the number of the driver's own kernel record, `NVRM: Xid (PCI:…): N, …`, and nothing of the " +
			"process's name in it. **No GPU was at hand**: the records that the patterns are tested on are published ones, or of the driver's source.",
		table: []string{"Xid", "Name", "NVIDIA says", "NVIDIA's immediate action", "Reason", "Severity, action"},
		later: "Other numbers, which NVIDIA calls unused or which later drivers may have",
		is:    map[string]string{fatal: "**fatal**", warning: "warning", application: "warning: the application's own fault"},
	},
	"ja": {
		title: "NVIDIA の Xid",
		intro: "エージェントの表から生成されています。最初の 4 列は Ampere 以降の GPU 向けの [NVIDIA の Xid カタログ](https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html)（2025-10-29 時点）、" +
			"残りの 2 列は NVIDIA の推奨対応に基づく naosu の扱いです。naosu はドライバー自身のカーネルの記録 `NVRM: Xid (PCI:…): N, …` の番号だけを読み、記録中のプロセス名は使いません。" +
			"**実機の GPU では試していません**。パターンの試験には、公開されている記録と、ドライバーのソースにある書式を使っています。",
		table: []string{"Xid", "名前", "NVIDIA の説明", "NVIDIA の推奨対応", "理由", "重大度・対処"},
		later: "その他の番号（NVIDIA が未使用とするもの、新しいドライバーのもの）",
		is:    map[string]string{fatal: "**fatal**", warning: "warning", application: "warning：アプリケーション側の不具合"},
	},
}

// xidPage is the table for people.
func xidPage(t xids, language string) []byte {
	say := xidHeads[language]
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n\n", say.title, say.intro)
	row(&out, say.table...)
	rule(&out, len(say.table))
	for _, x := range t.Codes {
		does := ""
		if x.Does != "" {
			does = "`" + x.Does + "`: " + x.action.EN
			if language == "ja" {
				does = "`" + x.Does + "`：" + x.action.JA
			}
		}
		says, is := x.Says, say.is[x.Is]
		if x.Because != "" {
			says += ". " + x.Because
		}
		if x.Is == fatal {
			is += ", " + x.action.Action
		}
		row(&out, strconv.Itoa(x.Code), "`"+x.Name+"`", cell(says), does, "`"+t.reasonOf(x)+"`", is)
	}
	row(&out, "", "", say.later, "", "`"+t.Warning.Name+"`", say.is[warning])
	return out.Bytes()
}

// reasonOf is the name of a code's reason; of one that only some records make fatal, both.
func (t xids) reasonOf(x xid) string {
	name := "NvidiaXID" + strconv.Itoa(x.Code) + "Error"
	switch {
	case x.Is == application:
		return t.Application.Name
	case x.Is == warning:
		return t.Warning.Name
	case x.Text != "":
		return name + "`, `" + t.Warning.Name
	}
	return name
}
