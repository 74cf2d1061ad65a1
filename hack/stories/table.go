package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// The languages of the table.
const (
	english  = "en"
	japanese = "ja"
)

// measure is what an incident did harm to.
type measure int

const (
	pods measure = iota
	nodes
	jobs
)

// story is one of the five incidents.
type story struct {
	scenario string
	// alone is the pass with Kubernetes alone that is set beside naosu's: with the same flags of the control plane, which not all incidents had.
	alone   string
	measure measure
	// from and until are the points or steps between which it is measured; empty from the start, and to the end.
	from, until string
	title       map[string]string
}

var stories = []story{
	{"stranded-volume", "kubernetes", pods, "rotation", "", map[string]string{
		english: "A rotation leaves volumes in a zone without nodes", japanese: "ノードのローテーション後、ボリュームのあるゾーンにノードがない",
	}},
	{"lopsided-return", "power-off", pods, "", "kubelet-stops", map[string]string{
		english: "A node dies, its pods move late, and nothing moves back", japanese: "ノードが停止し、Pod の移動が遅れ、復帰後も戻らない",
	}},
	{"silent-repair", "kubernetes", nodes, "link-down", "", map[string]string{
		english: "A node repair that is switched on and never done", japanese: "有効なのに実行されないノードの修復",
	}},
	{"exhausted-subnet", "kubernetes", pods, "next-morning", "", map[string]string{
		english: "New nodes come up in a subnet without addresses", japanese: "アドレスのないサブネットに新しいノードが起動する",
	}},
	{"preempted-jobs", "kubernetes", jobs, "one-more-job", "morning", map[string]string{
		english: "A DaemonSet grows and preempts the night's Jobs", japanese: "DaemonSet が増大し、夜間の Job をプリエンプトする",
	}},
}

var (
	header = map[string]string{
		english:  "|   | Incident | Kubernetes alone | With naosu |\n|---|---|---|---|\n",
		japanese: "|   | 障害 | Kubernetes だけ | naosu あり |\n|---|---|---|---|\n",
	}
	podsFormat  = map[string]string{english: "pods not Ready for %s, up to %s in a row", japanese: "Ready でない Pod の合計 %s、連続で最長 %s"}
	nodesFormat = map[string]string{english: "node unhealthy for %s", japanese: "ノードの異常 %s"}
	jobsFormat  = map[string]string{english: "pods preempted: %d, Jobs failed: %d", japanese: "プリエンプトされた Pod %d、失敗した Job %d"}
)

// table is what came of the stories, in Markdown.
func table(records []record, lang string) string {
	var b strings.Builder
	b.WriteString(header[lang])
	for i, s := range stories {
		r := find(records, s.scenario)
		fmt.Fprintf(&b, "| %d | %s | %s | %s |\n", i+1, s.title[lang], s.measure.text(r.Alone, lang), s.measure.text(r.Naosu, lang))
	}
	return b.String()
}

// find is the record of a scenario; an empty one if there is none.
func find(records []record, scenario string) record {
	for _, r := range records {
		if r.Scenario == scenario {
			return r
		}
	}
	return record{}
}

// text says how much harm a pass did.
func (m measure) text(i play.Impact, lang string) string {
	switch m {
	case nodes:
		return fmt.Sprintf(nodesFormat[lang], short(i.NodeSeconds()))
	case jobs:
		return fmt.Sprintf(jobsFormat[lang], len(i.PreemptedAt), len(i.FailedJobsAt))
	default:
		longest := 0.0
		for _, w := range i.Workloads {
			longest = max(longest, w.LongestSeconds)
		}
		return fmt.Sprintf(podsFormat[lang], short(i.PodSeconds()), short(longest))
	}
}

// short is a time to the second, or to the minute from ten minutes on.
func short(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	if d >= 10*time.Minute {
		d = d.Round(time.Minute)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
