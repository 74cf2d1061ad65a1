package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// mostWorkloads is how many workloads a pass lists.
const mostWorkloads = 5

// impact says which workloads did not have all of their pods, and for how long.
func (p *page) impact(i play.Impact) {
	p.WriteByte('\n')
	if len(i.Workloads) == 0 {
		p.line("  All pods of Deployments and StatefulSets were Ready all the time.")
	}
	if len(i.Workloads) > 0 {
		p.line("  Pods not Ready: %s, added up over all pods", span(i.PodSeconds()))
	}
	for n, w := range i.Workloads {
		if n == mostWorkloads {
			p.line("    and %d more workloads", len(i.Workloads)-n)
			break
		}
		p.block("    ", "", fmt.Sprintf("%s: %s; up to %d at a time, %s in a row", w.Workload, span(w.PodSeconds), w.Pods, span(w.LongestSeconds)))
	}
	if len(i.Nodes) > 0 {
		p.line("  Nodes unhealthy: %s, added up over %d", span(i.NodeSeconds()), len(i.Nodes))
	}
	if n := len(i.PreemptedAt); n > 0 {
		p.line("  Pods preempted: %d", n)
	}
	if n := len(i.FailedJobsAt); n > 0 {
		p.line("  Jobs failed: %d", n)
	}
}

// Summary writes a table of what each pass of several did to pods; nothing for a single pass.
func Summary(w io.Writer, scenarios []Scenario, style Style) error {
	rows := [][]string{{"SCENARIO", "WITH", "AS EXPECTED", "NOT READY", "LONGEST", "PREEMPTED", "FAILED JOBS", "UNHEALTHY"}}
	for _, s := range scenarios {
		for _, pass := range s.Passes {
			rows = append(rows, summaryRow(s.Name, pass))
		}
	}
	if len(rows) <= 2 {
		return nil
	}
	p := &page{Style: style}
	p.line("%s", p.paint(bold, "What became of pods"))
	p.block("", "", "NOT READY is the time for which pods of Deployments and StatefulSets were not Ready, added up over all pods; LONGEST is that of one workload in a row. UNHEALTHY is the time for which nodes were, added up over all nodes. All of it is time of the scenarios.")
	p.WriteByte('\n')
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "%-*s   ", widths[i], cell)
		}
		color := ""
		if n == 0 {
			color = bold
		}
		p.line("%s", p.paint(color, strings.TrimRight(line.String(), " ")))
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}

func summaryRow(scenario string, r play.Result) []string {
	longest := 0.0
	for _, w := range r.Impact.Workloads {
		longest = max(longest, w.LongestSeconds)
	}
	expected := map[bool]string{true: "yes", false: "no"}[r.Met]
	if r.NotJudged {
		expected = "not judged"
	}
	if r.NotPlayed != "" {
		return []string{scenario, r.With, "not played", "-", "-", "-", "-", "-"}
	}
	return []string{
		scenario, r.With, expected, span(r.Impact.PodSeconds()), span(longest), strconv.Itoa(len(r.Impact.PreemptedAt)), strconv.Itoa(len(r.Impact.FailedJobsAt)),
		span(r.Impact.NodeSeconds()),
	}
}
