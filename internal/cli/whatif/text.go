package whatif

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// writer puts a forecast on a page: what is asked, the counts, then what is worst first.
type writer struct {
	*output.Page
	say   message.Printer
	seeds int
}

// mostRows bounds each table on the page; the rest is in the JSON.
const mostRows = 10

// notes are said under what is asked.
func writeText(page *output.Page, say message.Printer, f finding.Forecast, notes []string) error {
	w := writer{page, say, f.Seeds}
	for i, c := range f.Changes {
		w.Paragraph(fmt.Sprintf("%d. ", i+1), title(c), output.Strong)
	}
	for _, note := range notes {
		w.Paragraph("   ", note, output.Plain)
	}
	w.Blank()
	w.Paragraph("", w.counts(f), output.Strong)
	w.unlaunched(f.Unlaunched)
	w.refused(f.Refused)
	w.fates(sentence.HeadLost(), f.Outcome.Lost)
	w.fates(sentence.HeadWaiting(), f.Outcome.Waiting)
	w.fates(sentence.HeadDelayed(), f.Outcome.Delayed)
	w.fates(sentence.HeadPreempted(), f.Outcome.Preempted)
	w.budgets(f.PDBViolations)
	w.findings(f.Findings)
	w.fates(sentence.HeadMoved(), f.Outcome.Moved)
	w.fates(sentence.HeadCreated(), f.Outcome.Created)
	w.fates(sentence.HeadEnded(), f.Outcome.Ended)
	w.addresses(f.Addresses)
	if len(f.NotModelled) > 0 {
		w.head(sentence.HeadNotPlayed())
		for _, gap := range f.NotModelled {
			w.Paragraph("  - ", w.say.Say(gap.Message), output.Plain)
		}
	}
	if err := w.Err(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// unlaunched are the instances that cannot be launched.
func (w writer) unlaunched(groups []finding.Unlaunched) {
	for _, g := range groups {
		w.Paragraph("", w.say.Say(sentence.ForecastUnlaunched("group/"+g.Group, g.Instances)), output.Strong)
	}
}

// addresses is a table of the subnets of which the free addresses change.
func (w writer) addresses(subnets []finding.ForecastAddresses) {
	if len(subnets) == 0 {
		return
	}
	w.head(sentence.HeadFreeAddresses())
	var table [][]string
	for _, s := range subnets[:w.most(len(subnets))] {
		table = append(table, []string{s.Subnet, s.Zone, strconv.FormatInt(s.Before, 10), strconv.FormatInt(s.After, 10)})
	}
	w.filled(w.heads(sentence.AddressesHeadSubnet(), sentence.AddressesHeadZone(), sentence.ColumnNow(), sentence.ColumnThen()), table)
	if left := len(subnets) - w.most(len(subnets)); left > 0 {
		w.Paragraph("  ", w.say.Say(sentence.ForecastMoreSubnets(left)), output.Faint)
	}
}

// refused is what the API server does not take.
func (w writer) refused(refusals []finding.Refusal) {
	if len(refusals) == 0 {
		return
	}
	w.head(sentence.HeadRefused())
	for _, r := range refusals {
		w.Paragraph("  - ", output.Name(r.Object)+": "+r.Why, output.Plain)
	}
}

// counts sums the forecast up, the worst first.
func (w writer) counts(f finding.Forecast) string {
	var parts []string
	for _, fate := range []struct {
		name string
		said func(n any) message.Sentence
	}{
		{"lost", sentence.CountLost},
		{"waiting", sentence.CountWaiting},
		{"delayed", sentence.CountDelayed},
		{"preempted", sentence.CountPreempted},
		{"moved", sentence.CountMoved},
		{"created", sentence.CountCreated},
		{"ended", sentence.CountEnded},
		{"stays", sentence.CountStays},
	} {
		if n := f.Outcome.Counts[fate.name]; n > 0 {
			parts = append(parts, w.say.Say(fate.said(n)))
		}
	}
	return w.say.Say(sentence.ForecastCounts(message.ListOf(parts), len(f.PDBViolations), len(f.Findings), f.Seeds, differ(f)))
}

// differ says whether something comes in only some of the futures.
func differ(f finding.Forecast) bool {
	some := func(row finding.ForecastRow) bool { return row.Chance < 1 }
	o := f.Outcome
	return slices.ContainsFunc(slices.Concat(o.Lost, o.Waiting, o.Delayed, o.Preempted, o.Moved, o.Created, o.Ended), some) ||
		slices.ContainsFunc(f.PDBViolations, func(v finding.BudgetViolation) bool { return v.Chance < 1 })
}

func (w writer) head(title message.Sentence) {
	w.Blank()
	w.Paragraph("", strings.ToUpper(w.say.Say(title)), output.Heading)
}

// fates is a table, a row for each reason that siblings share, or for each pod on a wide page.
func (w writer) fates(head message.Sentence, rows []finding.ForecastRow) {
	if len(rows) == 0 {
		return
	}
	w.head(head)
	if w.Wide {
		w.wide(rows)
		return
	}
	groups := groupRows(rows)
	var table [][]string
	for _, g := range groups[:min(len(groups), mostRows)] {
		table = append(table, []string{g.name(w.say), w.place(g), w.until(g.rows), w.why(g.rows)})
	}
	w.filled(w.heads(sentence.ColumnPod(), sentence.ColumnNode(), sentence.ColumnUntil(), sentence.ColumnWhy()), table)
	w.left(groups[min(len(groups), mostRows):])
}

// wide is a row for each pod.
func (w writer) wide(rows []finding.ForecastRow) {
	var table [][]string
	for _, row := range rows {
		by, chance, nodeChance := "", "", ""
		if row.By != nil {
			by = output.Name(*row.By)
		}
		if w.seeds > 1 {
			chance = strconv.FormatFloat(row.Chance, 'g', 2, 64)
			if row.NodeChance < row.Chance {
				nodeChance = strconv.FormatFloat(row.NodeChance, 'g', 2, 64)
			}
		}
		until := w.until([]finding.ForecastRow{row})
		table = append(table, []string{row.Pod.Namespace, row.Pod.Name, row.From, row.To, until, by, chance, nodeChance, w.say.Say(row.Why)})
	}
	w.filled(w.heads(sentence.ColumnNamespace(), sentence.ColumnPod(), sentence.ColumnFrom(), sentence.ColumnTo(), sentence.ColumnUntil(),
		sentence.ColumnBy(), sentence.ColumnChance(), sentence.ColumnNodeChance(), sentence.ColumnWhy()), table)
}

// filled is a table without the columns that say nothing.
func (w writer) filled(heads []string, table [][]string) {
	for column := len(heads) - 1; column > 0; column-- {
		if !slices.ContainsFunc(table, func(row []string) bool { return row[column] != "" }) {
			heads = slices.Delete(heads, column, column+1)
			for i := range table {
				table[i] = slices.Delete(table[i], column, column+1)
			}
		}
	}
	w.Table("  ", heads, table)
}

// most is how many of so many a page shows.
func (w writer) most(n int) int {
	if w.Wide {
		return n
	}
	return min(n, mostRows)
}

// left says how many pods the page leaves out.
func (w writer) left(groups []group) {
	n := 0
	for _, g := range groups {
		n += len(g.rows)
	}
	if n > 0 {
		w.Paragraph("  ", w.say.Say(sentence.ForecastMore(n)), output.Faint)
	}
}

func (w writer) heads(columns ...message.Sentence) []string {
	heads := make([]string, len(columns))
	for i, column := range columns {
		heads[i] = w.say.Say(column)
	}
	return heads
}

// place is where siblings were and where they go: the nodes' names, or how many there are.
func (w writer) place(g group) string {
	from := w.nodes(g.rows, func(row finding.ForecastRow) string { return row.From })
	to := w.nodes(g.rows, func(row finding.ForecastRow) string { return row.To })
	switch {
	case to == "" || !slices.ContainsFunc(g.rows, func(row finding.ForecastRow) bool { return row.From != row.To }):
		return from
	case from == "":
		return "→ " + to
	default:
		return from + " → " + to
	}
}

func (w writer) nodes(rows []finding.ForecastRow, of func(finding.ForecastRow) string) string {
	nodes := map[string]bool{}
	for _, row := range rows {
		if node := of(row); node != "" {
			nodes[node] = true
		}
	}
	if len(nodes) > 1 {
		return w.say.Say(sentence.ForecastNodes(len(nodes)))
	}
	return strings.Join(slices.Collect(maps.Keys(nodes)), "")
}

// until is when the last of the pods has its fate, empty if that is not known.
func (w writer) until(rows []finding.ForecastRow) string {
	last := time.Duration(0)
	for _, row := range rows {
		if row.Until != nil {
			last = max(last, time.Duration(*row.Until))
		}
	}
	if last == 0 {
		return ""
	}
	return duration.HumanDuration(last)
}

// why is the reason that rows share, and how likely they are if they differ between futures.
func (w writer) why(rows []finding.ForecastRow) string {
	words := []string{}
	if by := rows[0].By; by != nil {
		words = append(words, w.say.Say(sentence.ForecastBy(by.String())))
	}
	if why := rows[0].Why; !why.IsZero() {
		words = append(words, w.say.Say(why))
	}
	if chance := w.chance(rows); chance != "" {
		words = append(words, chance)
	}
	return strings.Join(words, " ")
}

// chance is how likely rows are, and, if they show one node, how likely that is; empty if all futures have them so.
func (w writer) chance(rows []finding.ForecastRow) string {
	least, most, nodeLeast, nodeMost := 1.0, 0.0, 1.0, 0.0
	elsewhere := false
	for _, row := range rows {
		least, most = min(least, row.Chance), max(most, row.Chance)
		nodeLeast, nodeMost = min(nodeLeast, row.NodeChance), max(nodeMost, row.NodeChance)
		elsewhere = elsewhere || row.NodeChance < row.Chance
	}
	oneNode := rows[0].To != "" && !slices.ContainsFunc(rows, func(row finding.ForecastRow) bool { return row.To != rows[0].To })
	if !oneNode || !elsewhere {
		nodeLeast, nodeMost = 0, 0
	}
	if w.seeds == 1 || least == 1 && nodeMost == 0 {
		return ""
	}
	return w.say.Say(sentence.ForecastChance(percent(least), percent(most), w.seeds, percent(nodeMost), percent(nodeLeast)))
}

// percent is a share in whole percents; what comes at all is at least one of them.
func percent(share float64) int {
	if share > 0 {
		return max(int(share*100+0.5), 1)
	}
	return 0
}

func (w writer) budgets(violations []finding.BudgetViolation) {
	if len(violations) == 0 {
		return
	}
	w.head(sentence.HeadBudgets())
	var table [][]string
	for _, v := range violations[:min(len(violations), mostRows)] {
		said := w.say.Say(sentence.ForecastBudget(v.Disrupted, v.Allowed))
		if w.seeds > 1 && v.Chance < 1 {
			said += ". " + w.say.Say(sentence.ForecastChance(percent(v.Chance), percent(v.Chance), w.seeds, 0, 0))
		}
		table = append(table, []string{v.Budget.Namespace + "/" + v.Budget.Name, said})
	}
	w.Table("  ", w.heads(sentence.ColumnBudget(), sentence.ColumnWhy()), table)
	if left := len(violations) - mostRows; left > 0 {
		w.Paragraph("  ", w.say.Say(sentence.ForecastMoreBudgets(left)), output.Faint)
	}
}

// findings are what would be wrong then and is not now, once for each cause.
func (w writer) findings(findings []finding.Finding) {
	if len(findings) == 0 {
		return
	}
	w.head(sentence.HeadThen())
	groups := finding.GroupByCause(findings)
	shown := groups[:w.most(len(groups))]
	for _, g := range shown {
		w.Finding(w.say, g.First, g.More)
	}
	left := 0
	for _, g := range groups[len(shown):] {
		left += 1 + g.More
	}
	if left > 0 {
		w.Paragraph("  ", w.say.Say(sentence.ForecastMoreFindings(left)), output.Faint)
	}
}
