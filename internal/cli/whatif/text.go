package whatif

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// writer puts a forecast on a page: what is asked, the counts, then what is worst first. What moves is summed up.
type writer struct {
	*output.Page
	say   message.Printer
	seeds int
}

// mostRows bounds each table on the page; the rest is in the JSON.
const mostRows = 15

func writeText(page *output.Page, say message.Printer, f finding.Forecast) error {
	w := writer{page, say, f.Seeds}
	for i, c := range f.Changes {
		w.Paragraph(fmt.Sprintf("%d. ", i+1), title(c), output.Strong)
	}
	w.Blank()
	w.Paragraph("", w.counts(f), output.Strong)
	w.fates(message.HeadLost, f.Outcome.Lost)
	w.fates(message.HeadWaiting, f.Outcome.Waiting)
	w.fates(message.HeadDelayed, f.Outcome.Delayed)
	w.fates(message.HeadPreempted, f.Outcome.Preempted)
	w.budgets(f.PDBViolations)
	w.findings(f.Findings)
	w.moves(message.HeadMoved, f.Outcome.Moved)
	w.moves(message.HeadCreated, f.Outcome.Created)
	w.moves(message.HeadEnded, f.Outcome.Ended)
	if len(f.NotModelled) > 0 {
		w.head(message.HeadNotPlayed)
		for _, gap := range f.NotModelled {
			w.Paragraph("  - ", gap.Message, output.Plain)
		}
	}
	if err := w.Err(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// title is a change as it was asked.
func title(c change.Change) string {
	ref := c.Subject().String()
	switch c := c.(type) {
	case change.LoseNode, change.LoseZone, change.LoseGroup:
		return "lose " + ref
	case change.DrainNode:
		return "drain " + ref
	case change.Cordon:
		return "cordon " + ref
	case change.Uncordon:
		return "uncordon " + ref
	case change.GrowDaemonSet:
		words := "grow " + c.Namespace + "/" + ref
		for _, name := range slices.Sorted(maps.Keys(c.Requests)) {
			quantity := c.Requests[name]
			words += fmt.Sprintf(" --%s %s", name, quantity.String())
		}
		return words
	case change.ScaleWorkload:
		return fmt.Sprintf("scale %s/%s --replicas %d", c.Namespace, ref, c.Replicas)
	case change.AddNodes:
		words := fmt.Sprintf("add-nodes %d", c.Count)
		if c.Group != "" {
			words += " --group " + c.Group
		}
		if c.Zone != "" {
			words += " --zone " + c.Zone
		}
		return words
	case change.RotateGroup:
		if len(c.Zones) > 0 {
			ref += " --zones " + strings.Join(c.Zones, ",")
		}
		return "rotate " + ref
	case change.Evict:
		return "evict " + ref
	case change.ResizeGroup:
		return fmt.Sprintf("scale %s --to %d", ref, c.To)
	case change.Apply:
		return "apply -f " + c.From
	default:
		return c.Command()
	}
}

// counts sums the forecast up, the worst first.
func (w writer) counts(f finding.Forecast) string {
	var parts []string
	for _, fate := range []struct {
		name string
		id   message.ID
	}{
		{"lost", message.CountLost}, {"waiting", message.CountWaiting}, {"delayed", message.CountDelayed}, {"preempted", message.CountPreempted},
		{"moved", message.CountMoved}, {"created", message.CountCreated}, {"ended", message.CountEnded}, {"stays", message.CountStays},
	} {
		if n := f.Outcome.Counts[fate.name]; n > 0 {
			parts = append(parts, w.say.Text(fate.id, message.Args{"n": n}))
		}
	}
	return w.say.Text(message.ForecastCounts, message.Args{
		"counts": parts, "budgets": len(f.PDBViolations), "findings": len(f.Findings), "seeds": f.Seeds,
	})
}

func (w writer) head(id message.ID) {
	w.Blank()
	w.Paragraph("", strings.ToUpper(w.say.Text(id, nil)), output.Heading)
}

// fates is a table of what is bad, a row for each reason that siblings share.
func (w writer) fates(head message.ID, rows []finding.ForecastRow) {
	if len(rows) == 0 {
		return
	}
	w.head(head)
	groups := together(rows)
	var table [][]string
	for _, g := range groups[:min(len(groups), mostRows)] {
		table = append(table, []string{g.name(), w.from(g.first), w.until(g.first), w.why(g.first)})
	}
	w.Table("  ", w.heads(message.ColumnPod, message.ColumnNode, message.ColumnUntil, message.ColumnWhy), table)
	w.left(groups[min(len(groups), mostRows):])
}

// left says how many pods the page leaves out.
func (w writer) left(groups []group) {
	n := 0
	for _, g := range groups {
		n += g.count
	}
	if n > 0 {
		w.Paragraph("  ", w.say.Text(message.ForecastMore, message.Args{"n": n}), output.Faint)
	}
}

func (w writer) heads(ids ...message.ID) []string {
	heads := make([]string, len(ids))
	for i, id := range ids {
		heads[i] = w.say.Text(id, nil)
	}
	return heads
}

func (w writer) from(row finding.ForecastRow) string {
	switch {
	case row.To == "" || row.To == row.From:
		return cmp.Or(row.From, "-")
	case row.From == "":
		return "→ " + row.To
	default:
		return row.From + " → " + row.To
	}
}

func (w writer) until(row finding.ForecastRow) string {
	if row.Until == nil {
		return "-"
	}
	return duration.HumanDuration(time.Duration(*row.Until))
}

func (w writer) why(row finding.ForecastRow) string {
	words := []string{}
	if row.By != nil {
		words = append(words, w.say.Text(message.ForecastBy, message.Args{"by": row.By.String()}))
	}
	if row.Why != "" {
		words = append(words, row.Why)
	}
	if w.seeds > 1 && row.Chance < 1 {
		words = append(words, w.say.Text(message.ForecastChance, message.Args{"percent": int(row.Chance*100 + 0.5), "seeds": w.seeds}))
	}
	return strings.Join(words, " ")
}

func (w writer) budgets(violations []finding.BudgetViolation) {
	if len(violations) == 0 {
		return
	}
	w.head(message.HeadBudgets)
	var table [][]string
	for _, v := range violations[:min(len(violations), mostRows)] {
		said := w.say.Text(message.ForecastBudget, message.Args{"allowed": v.Allowed, "disrupted": v.Disrupted})
		table = append(table, []string{v.Budget.Namespace + "/" + v.Budget.Name, said})
	}
	w.Table("  ", w.heads(message.ColumnBudget, message.ColumnWhy), table)
	if left := len(violations) - mostRows; left > 0 {
		w.Paragraph("  ", w.say.Text(message.ForecastMoreBudgets, message.Args{"n": left}), output.Faint)
	}
}

// findings are what would be wrong then and is not now.
func (w writer) findings(findings []finding.Finding) {
	if len(findings) == 0 {
		return
	}
	w.head(message.HeadThen)
	for _, f := range findings[:min(len(findings), mostRows)] {
		w.Paragraph("  "+string(f.Code)+"  ", f.Message, output.Plain)
		if len(f.Remedies) == 0 {
			continue
		}
		w.Paragraph("        → ", f.Remedies[0].Message, output.Plain)
		if command := f.Remedies[0].Command; command != "" {
			w.Command("          $ ", command)
		}
	}
	if left := len(findings) - mostRows; left > 0 {
		w.Paragraph("  ", w.say.Text(message.ForecastMoreFindings, message.Args{"n": left}), output.Faint)
	}
}

// moves sums up what is no worse than before, by where it goes.
func (w writer) moves(head message.ID, rows []finding.ForecastRow) {
	if len(rows) == 0 {
		return
	}
	w.head(head)
	places := map[string][]finding.ForecastRow{}
	for _, row := range rows {
		places[w.from(row)] = append(places[w.from(row)], row)
	}
	order := slices.SortedFunc(maps.Keys(places), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(places[b]), len(places[a])), cmp.Compare(a, b))
	})
	var table [][]string
	left := 0
	for i, place := range order {
		if i >= mostRows {
			left += len(places[place])
			continue
		}
		table = append(table, []string{place, fmt.Sprint(len(places[place])), w.latest(places[place]), some(places[place])})
	}
	w.Table("  ", w.heads(message.ColumnNode, message.ColumnPods, message.ColumnUntil, message.ColumnPod), table)
	if left > 0 {
		w.Paragraph("  ", w.say.Text(message.ForecastMore, message.Args{"n": left}), output.Faint)
	}
}

// latest is when the last of the pods is there.
func (w writer) latest(rows []finding.ForecastRow) string {
	last := rows[0]
	for _, row := range rows {
		if row.Until != nil && (last.Until == nil || *row.Until > *last.Until) {
			last = row
		}
	}
	return w.until(last)
}

// some names a few of the pods.
func some(rows []finding.ForecastRow) string {
	var names []string
	for _, g := range together(rows) {
		names = append(names, g.name())
	}
	const few = 4
	if len(names) > few {
		names = append(names[:few], "…")
	}
	return strings.Join(names, ", ")
}

// group is pods whose names, places and reasons are alike.
type group struct {
	first finding.ForecastRow
	count int
}

// together joins siblings with the same reason, the most first.
func together(rows []finding.ForecastRow) []group {
	var groups []group
	at := map[string]int{}
	for _, row := range rows {
		by := ""
		if row.By != nil {
			by = row.By.Namespace + stem(row.By.Name)
		}
		key := strings.Join([]string{row.Pod.Namespace, stem(row.Pod.Name), row.Why, by}, "\x00")
		i, ok := at[key]
		if !ok {
			at[key] = len(groups)
			groups = append(groups, group{first: row, count: 1})
			continue
		}
		groups[i].count++
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.count, a.count) })
	return groups
}

// name is the pod's, or its siblings'.
func (g group) name() string {
	if g.count == 1 {
		return g.first.Pod.Namespace + "/" + g.first.Pod.Name
	}
	return fmt.Sprintf("%s/%s-* (%d)", g.first.Pod.Namespace, stem(g.first.Pod.Name), g.count)
}

// stem is a pod's name without its last part, which tells siblings apart.
func stem(name string) string {
	if i := strings.LastIndex(name, "-"); i > 0 {
		return name[:i]
	}
	return name
}
