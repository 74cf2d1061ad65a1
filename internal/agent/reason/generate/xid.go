package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// xids is the table of NVIDIA's Xids in xid.yaml, which describes the fields.
type xids struct {
	Actions     []xidAction `yaml:"actions"`
	Fatal       entry       `yaml:"fatal"`
	Warning     entry       `yaml:"warning"`
	Application entry       `yaml:"application"`
	Codes       []xid       `yaml:"codes"`
}

// xidAction is an immediate action that NVIDIA recommends, and the severity and action that follow from it.
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

// The kinds of codes.
const (
	fatal       = "fatal"
	warning     = "warning"
	application = "application"
)

// ofEKS are the codes that the EKS node monitoring agent calls fatal (WellKnownXidCodes in monitors/nvidia/dcgm/dcgm_policies.go of
// github.com/aws/eks-node-monitoring-agent 51af549).
var ofEKS = []int{46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158}

// readXIDs reads the table. The kind of a code follows from NVIDIA's action, unless the table specifies another one and the reason for it.
func readXIDs(path string) (xids, error) {
	var table xids
	if err := decode(path, &table); err != nil {
		return xids{}, err
	}
	for _, e := range []*entry{&table.Fatal, &table.Warning, &table.Application} {
		e.Condition = "AcceleratedHardwareReady"
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

// recordHeader is how a record of a code begins (krcReportXid in src/nvidia/src/kernel/gpu/rc/kernel_rc.c of
// github.com/NVIDIA/open-gpu-kernel-modules 595.45.04). It precedes the name of the process.
func recordHeader(code string) string {
	return `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): ` + code + `, `
}

// entries returns the reasons: one for each fatal code, named as in the EKS agent, one for application errors and one for the other codes.
func (t xids) entries() []entry {
	var all []entry
	var notWarning []string // patterns of records that are not warnings, from the number on
	var ofApplication []string
	for _, x := range t.Codes {
		code := strconv.Itoa(x.Code)
		switch x.Is {
		case fatal:
			all = append(all, t.fatal(x))
			notWarning = append(notWarning, code+", "+x.Text)
			if x.Text != "" {
				t.Warning.Aliases = append(t.Warning.Aliases, "NvidiaXID"+code+"Warning")
			}
		case application:
			ofApplication, notWarning = append(ofApplication, code), append(notWarning, code+", ")
			t.Application.Aliases = append(t.Application.Aliases, "NvidiaXID"+code+"Error", "NvidiaXID"+code+"Warning")
		default:
			t.Warning.Aliases = append(t.Warning.Aliases, "NvidiaXID"+code+"Error", "NvidiaXID"+code+"Warning")
		}
	}
	t.Application.Matches = []match{{Log: "kernel", Pattern: recordHeader("(?:" + strings.Join(ofApplication, "|") + ")")}}
	t.Warning.Matches = []match{{Log: "kernel", Pattern: recordHeader(`\d+`), Except: `^NVRM: Xid \([^)]*\): (?:` + strings.Join(notWarning, "|") + ")"}}
	return append(all, t.Warning, t.Application)
}

// fatal is the reason of one code.
func (t xids) fatal(x xid) entry {
	e := t.Fatal
	code := strconv.Itoa(x.Code)
	e.Name, e.Action = "NvidiaXID"+code+"Error", x.action.Action
	e.Means = words{
		EN: x.EN + " NVIDIA's recommendation: " + x.action.EN + ".",
		JA: x.JA + "NVIDIA の推奨対応: " + x.action.JA + "。",
	}
	e.Reads, e.ReadsJA = "the kernel log: `NVRM: Xid` "+code+" ("+x.Name+")", "カーネルログの `NVRM: Xid` "+code+" ("+x.Name+")"
	e.Matches = []match{{Log: "kernel", Pattern: recordHeader(code) + x.Text}}
	for _, line := range x.Lines {
		e.Matches = append(e.Matches, match{Log: "kernel", Pattern: line})
	}
	e.EKS = otherAgent{Fires: "yes, from DCGM", Clears: "only when the agent restarts"}
	if !slices.Contains(ofEKS, x.Code) {
		e.EKS = otherAgent{Fires: "as NvidiaXID" + code + "Warning, from DCGM", Clears: "Event only"}
	}
	return e
}

// xidHeads are the texts of the page around the table.
var xidHeads = map[string]struct {
	title, intro string
	table        []string
	later        string
	is           map[string]string
}{
	"en": {
		title: "NVIDIA's Xids",
		intro: "Generated from the agent's table. The first four columns are [NVIDIA's Xid catalogue](https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html) for Ampere and newer " +
			"GPUs, as of 2025-10-29; the last two show what naosu derives from NVIDIA's immediate action. naosu reads only the number in the driver's own kernel record, `NVRM: Xid (PCI:…): N, …`, and ignores the " +
			"process name in it. **Not tested on a GPU**: the patterns are tested on published records and on records taken from the driver's source.",
		table: []string{"Xid", "Name", "NVIDIA's description", "NVIDIA's immediate action", "Reason", "Severity, action"},
		later: "Other numbers: unused according to NVIDIA, or from later drivers",
		is:    map[string]string{fatal: "**fatal**", warning: "warning", application: "warning (application error)"},
	},
	"ja": {
		title: "NVIDIA の Xid",
		intro: "エージェントの表から生成されています。最初の 4 列は Ampere 以降の GPU 向けの [NVIDIA の Xid カタログ](https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html) (2025-10-29 時点)、" +
			"残りの 2 列は NVIDIA の推奨対応に基づく naosu の扱いです。naosu はドライバー自身のカーネルの記録 `NVRM: Xid (PCI:…): N, …` の番号だけを読み、記録中のプロセス名は使いません。" +
			"**実機の GPU では試していません**。パターンの試験には、公開されている記録と、ドライバーのソースにある書式を使っています。",
		table: []string{"Xid", "名前", "NVIDIA の説明", "NVIDIA の推奨対応", "理由", "重大度、操作"},
		later: "そのほかの番号 (NVIDIA が未使用とするもの、新しいドライバーのもの)",
		is:    map[string]string{fatal: "**fatal**", warning: "warning", application: "warning (アプリケーション側の不具合)"},
	},
}

// xidPage returns the page xid.md in a language.
func xidPage(t xids, language string) []byte {
	say := xidHeads[language]
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n\n", say.title, say.intro)
	header(&out, say.table)
	for _, x := range t.Codes {
		does := ""
		if x.Does != "" {
			does = "`" + x.Does + "`: " + x.action.in(language)
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

// reasonOf is the name of a code's reason; both names if only some records are fatal.
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
