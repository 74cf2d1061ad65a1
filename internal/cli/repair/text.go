package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// writeCheck puts an answer on a page: how many would act, a table of what becomes of what, and why. A wide page has a line for
// every row, and every finding.
func writeCheck(page *output.Page, say message.Printer, answer Checked) error {
	count := map[repaircheck.Verdict]int{}
	for _, row := range answer.Rows {
		count[row.Verdict]++
	}
	page.Paragraph("", say.Say(sentence.CheckSummary(
		len(answer.Rows),
		count[repaircheck.WouldAct],
		count[repaircheck.NeedsApproval],
		count[repaircheck.Unproven],
		count[repaircheck.Broken],
	)), output.Strong)
	if len(answer.Rows) > 0 {
		page.Blank()
		page.Table("", columnHeads(say, page.Wide), tableRows(say, answer.Rows, page.Wide))
	}
	writeFindings(page, say, answer.Findings)
	if len(answer.Unknown) > 0 {
		page.Blank()
		page.Paragraph("", strings.ToUpper(say.Say(sentence.HeadUnknown())), output.Heading)
		page.Gaps(say, answer.Unknown)
	}
	if err := page.Err(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

func writeFindings(page *output.Page, say message.Printer, found []finding.Finding) {
	left := 0
	for i, f := range found {
		if f.Severity == finding.Info && !page.Wide {
			left++
			continue
		}
		if i == 0 || found[i-1].Severity != f.Severity {
			page.Blank()
			page.Paragraph("", strings.ToUpper(say.Say(message.Label("Severity"+string(f.Severity)))), output.OfSeverity(f.Severity))
		}
		page.Finding(say, f, 0)
	}
	if left > 0 {
		page.Blank()
		page.Paragraph("", say.Say(sentence.CheckLeft(left)), output.Faint)
	}
}

func columnHeads(say message.Printer, wide bool) []string {
	columns := []message.Sentence{sentence.CheckColumnVerdict(), sentence.CheckColumnLink(), sentence.CheckColumnNodes(), sentence.CheckColumnBy(), sentence.CheckColumnAgent(), sentence.CheckColumnReasons()}
	var heads []string
	for _, column := range columns {
		if wide || column.ID != message.CheckColumnAgent {
			heads = append(heads, say.Say(column))
		}
	}
	return heads
}

// line is rows that differ in their reasons only.
type line struct {
	first   repaircheck.Row
	reasons []string
}

var verdictRanks = map[repaircheck.Verdict]int{repaircheck.Broken: 0, repaircheck.Unproven: 1, repaircheck.NeedsApproval: 2, repaircheck.WouldAct: 3}

// tableRows are the table's. Without wide, what nobody counts on is left to the findings, and reasons share a line.
func tableRows(say message.Printer, rows []repaircheck.Row, wide bool) [][]string {
	var all []*line
	known := map[string]*line{}
	for _, row := range rows {
		if !wide && !row.Holds() && !row.Expected() {
			continue
		}
		key := fmt.Sprint(row.Verdict, row.BrokenLink, row.Condition, row.Agent, row.Nodes, row.On, row.By, row.Action, row.For)
		if wide {
			key += row.Reason
		}
		if known[key] == nil {
			known[key] = &line{first: row}
			all = append(all, known[key])
		}
		known[key].reasons = append(known[key].reasons, row.Reason)
	}
	slices.SortStableFunc(all, func(a, b *line) int { return cmp.Compare(sortRank(a.first), sortRank(b.first)) })
	var table [][]string
	for _, l := range all {
		row := l.first
		cells := []string{say.Say(message.Label("Verdict" + string(row.Verdict))), string(row.BrokenLink), nodes(row), by(row)}
		if wide {
			cells = append(cells, string(row.Agent))
		}
		table = append(table, append(cells, row.Condition+": "+strings.Join(l.reasons, ", ")))
	}
	return table
}

// sortRank has what is broken and expected first, what is broken by nature last.
func sortRank(row repaircheck.Row) int {
	if !row.Expected() && row.Verdict == repaircheck.Broken {
		return len(verdictRanks)
	}
	return verdictRanks[row.Verdict]
}

func nodes(row repaircheck.Row) string {
	if row.Fresh == row.Nodes {
		return fmt.Sprint(row.Nodes)
	}
	return fmt.Sprintf("%d/%d", row.Fresh, row.Nodes)
}

// by is who would do what, after how long.
func by(row repaircheck.Row) string {
	if row.By == "" {
		return ""
	}
	name := strings.Replace(row.By, "noderepairpolicy/", "nrp/", 1) // the CRD's short name
	wait, _ := time.ParseDuration(row.For)                          // It was made of one.
	return fmt.Sprintf("%s: %s %s", name, row.Action, duration.HumanDuration(wait))
}
