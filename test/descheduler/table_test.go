package descheduler

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the tables into the documentation")

// columns are the figures of a result.
var columns = []struct {
	en, ja string
	text   func(result) string
	// total is of the results of all cases.
	total func([]result) string
	// compare is which of two is better: less than zero for the first.
	compare func(a, b result) int
}{
	{"evictions", "退避", number(granted), sum(granted), by(granted)},
	{"refused", "拒否", number(refused), sum(refused), by(refused)},
	{"left Pending", "Pending", number(pending), sum(pending), by(pending)},
	{"passes", "回数", result.describePasses, countEndless, by(result.lastPass)},
	{"skew", "偏り", change(balance.ofSkew), sumChange(balance.ofSkew), by(after(balance.ofSkew))},
	{"violations", "違反", change(balance.ofViolations), sumChange(balance.ofViolations), by(after(balance.ofViolations))},
	{"load", "負荷", change(balance.ofLoad), sumChange(balance.ofLoad), by(after(balance.ofLoad))},
	{"lowest", "最少", result.describeLowest, smallest, func(a, b result) int { return b.lowest.compare(a.lowest) }},
}

func granted(r result) int { return r.granted }
func refused(r result) int { return r.refused }
func pending(r result) int { return r.pending }

func (b balance) ofSkew() int       { return b.skew }
func (b balance) ofViolations() int { return b.violations }
func (b balance) ofLoad() int       { return b.load }

func before(of func(balance) int) func(result) int {
	return func(r result) int { return of(r.before) }
}

func after(of func(balance) int) func(result) int {
	return func(r result) int { return of(r.after) }
}

func number(of func(result) int) func(result) string {
	return func(r result) string { return fmt.Sprint(of(r)) }
}

func change(of func(balance) int) func(result) string {
	return func(r result) string { return fmt.Sprintf("%d → %d", of(r.before), of(r.after)) }
}

func sum(of func(result) int) func([]result) string {
	return func(all []result) string {
		n := 0
		for _, r := range all {
			n += of(r)
		}
		return fmt.Sprint(n)
	}
}

func sumChange(of func(balance) int) func([]result) string {
	return func(all []result) string { return sum(before(of))(all) + " → " + sum(after(of))(all) }
}

// by compares a figure of which less is better.
func by(figure func(result) int) func(a, b result) int {
	return func(a, b result) int { return cmp.Compare(figure(a), figure(b)) }
}

const endless = "∞"

func (r result) describePasses() string {
	if r.never {
		return endless
	}
	return fmt.Sprint(r.passes)
}

// lastPass is later than any for a tool that never stops.
func (r result) lastPass() int {
	if r.never {
		return mostPasses + 1
	}
	return r.passes
}

func countEndless(all []result) string {
	n := 0
	for _, r := range all {
		if r.never {
			n++
		}
	}
	return fmt.Sprintf("%d × %s", n, endless)
}

func (r result) describeLowest() string {
	if r.lowest.of == r.lowest.all {
		return "–"
	}
	return r.lowest.String()
}

func smallest(all []result) string {
	return slices.MinFunc(all, func(a, b result) int { return a.lowest.compare(b.lowest) }).describeLowest()
}

// writeTables logs the tables. With -update they go into the documentation, which needs all cases.
func writeTables(t *testing.T, tools []tool, results map[string]map[string]result) {
	t.Helper()
	t.Logf("\n%s", tables(tools, results, "en"))
	if !*update {
		return
	}
	if len(results) != len(cases) || t.Failed() {
		t.Fatal("the documentation holds all cases")
	}
	for _, language := range []string{"en", "ja"} {
		file := "../../docs/" + language + "/rebalance.md"
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		replaced, err := replaceTables(string(page), tables(tools, results, language))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if err := os.WriteFile(file, []byte(replaced), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var between = regexp.MustCompile(`(?s)(<!-- make descheduler -->\n).*(<!-- end -->)`)

// replaceTables puts tables between the two marks of a page.
func replaceTables(page, tables string) (string, error) {
	if len(between.FindAllString(page, -1)) != 1 {
		return "", fmt.Errorf("there are no marks %s", between)
	}
	return between.ReplaceAllStringFunc(page, func(all string) string {
		marks := between.FindStringSubmatch(all)
		return marks[1] + tables + marks[2]
	}), nil
}

// tables are one of all results, and one of their totals and of in how many cases a tool is better than the descheduler.
func tables(tools []tool, results map[string]map[string]result, language string) string {
	var text strings.Builder
	say := func(en, ja string) string { return map[string]string{"en": en, "ja": ja}[language] }
	header := func(first ...string) {
		for _, c := range columns {
			first = append(first, say(c.en, c.ja))
		}
		row(&text, first)
		row(&text, append([]string{"---", "---"}, slices.Repeat([]string{"---:"}, len(columns))...))
	}
	header("", "")
	of := map[string][]result{}
	for _, c := range cases {
		name := "`" + c.name + "`"
		for _, tool := range tools {
			r, is := results[c.name][tool.name()]
			if !is {
				continue
			}
			cells := []string{name, tool.name()}
			for _, column := range columns {
				cells = append(cells, column.text(r))
			}
			row(&text, cells)
			of[tool.name()], name = append(of[tool.name()], r), ""
		}
	}
	text.WriteString("\n")
	header("", "")
	first := say("total", "合計")
	for _, tool := range tools {
		cells := []string{first, tool.name()}
		for _, column := range columns {
			cells = append(cells, column.total(of[tool.name()]))
		}
		row(&text, cells)
		first = ""
	}
	first = say("better, equal, worse than descheduler", "descheduler より良い、同じ、悪い")
	for _, tool := range tools[1:] {
		cells := []string{first, tool.name()}
		for _, column := range columns {
			cells = append(cells, tally(of[tools[0].name()], of[tool.name()], column.compare))
		}
		row(&text, cells)
		first = ""
	}
	return text.String()
}

// tally is in how many cases a tool is better, equal and worse than another.
func tally(than, tool []result, compare func(a, b result) int) string {
	better, equal, worse := 0, 0, 0
	for i := range tool {
		switch c := compare(tool[i], than[i]); {
		case c < 0:
			better++
		case c > 0:
			worse++
		default:
			equal++
		}
	}
	return fmt.Sprintf("%d, %d, %d", better, equal, worse)
}

func row(text *strings.Builder, cells []string) {
	fmt.Fprintf(text, "| %s |\n", strings.Join(cells, " | "))
}

func TestTables(t *testing.T) {
	one := result{evictions: evictions{granted: 3, refused: 1}, passes: 2, before: balance{skew: 4, load: 20}, after: balance{load: 5}, lowest: fraction{1, 2}}
	never := result{evictions: evictions{granted: 12}, never: true, pending: 1, before: balance{violations: 1}, after: balance{violations: 1}, lowest: fraction{2, 2}}
	results := map[string]map[string]result{cases[0].name: {"descheduler": one, "naosu": never}, cases[1].name: {"descheduler": never, "naosu": one}}
	want := `|  |  | evictions | refused | left Pending | passes | skew | violations | load | lowest |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| ` + "`issue-335`" + ` | descheduler | 3 | 1 | 0 | 2 | 4 → 0 | 0 → 0 | 20 → 5 | 1/2 |
|  | naosu | 12 | 0 | 1 | ∞ | 0 → 0 | 1 → 1 | 0 → 0 | – |
| ` + "`issue-424`" + ` | descheduler | 12 | 0 | 1 | ∞ | 0 → 0 | 1 → 1 | 0 → 0 | – |
|  | naosu | 3 | 1 | 0 | 2 | 4 → 0 | 0 → 0 | 20 → 5 | 1/2 |

|  |  | evictions | refused | left Pending | passes | skew | violations | load | lowest |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| total | descheduler | 15 | 1 | 1 | 1 × ∞ | 4 → 0 | 1 → 1 | 20 → 5 | 1/2 |
|  | naosu | 15 | 1 | 1 | 1 × ∞ | 4 → 0 | 1 → 1 | 20 → 5 | 1/2 |
| better, equal, worse than descheduler | naosu | 1, 0, 1 | 1, 0, 1 | 1, 0, 1 | 1, 0, 1 | 0, 2, 0 | 1, 0, 1 | 1, 0, 1 | 1, 0, 1 |
`
	got := tables([]tool{theDescheduler{}, naosus[0]}, results, "en")
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	const page = "before\n<!-- make descheduler -->\nold\n<!-- end -->\nafter\n"
	if replaced, err := replaceTables(page, "new $1\n"); err != nil || replaced != "before\n<!-- make descheduler -->\nnew $1\n<!-- end -->\nafter\n" {
		t.Errorf("replaced by %q (%v)", replaced, err)
	}
	if _, err := replaceTables("no marks", "new\n"); err == nil {
		t.Error("tables are put into a page without marks")
	}
}
