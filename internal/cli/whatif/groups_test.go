package whatif

import (
	"fmt"
	"testing"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

func rowsOf(workloads, pods int) []finding.ForecastRow {
	var rows []finding.ForecastRow
	for w := range workloads {
		for p := range pods {
			rows = append(rows, finding.ForecastRow{Pod: change.Ref{Kind: "Pod", Namespace: "shop", Name: fmt.Sprintf("w%d-%d", w, p)}, Why: message.Verbatim("full")})
		}
	}
	return rows
}

// TestGroupRows checks that many pods with one reason take few lines.
func TestGroupRows(t *testing.T) {
	for name, tc := range map[string]struct {
		rows  []finding.ForecastRow
		want  int
		first string
	}{
		"one pod":                   {rowsOf(1, 1), 1, "shop/w0-0"},
		"siblings":                  {rowsOf(1, 3), 1, "shop/w0-* (3)"},
		"a few workloads":           {rowsOf(mostGroups, 2), mostGroups, "shop/w0-* (2)"},
		"many workloads, one cause": {rowsOf(mostGroups+1, 2), 1, "shop/w0-* (2) and 16 others"},
	} {
		t.Run(name, func(t *testing.T) {
			groups := groupRows(tc.rows)
			if len(groups) != tc.want || groups[0].name(message.English()) != tc.first {
				t.Errorf("%d groups, the first %q; want %d and %q", len(groups), groups[0].name(message.English()), tc.want, tc.first)
			}
		})
	}
}

// TestChances says how likely the rows of siblings are that differ between futures.
func TestChances(t *testing.T) {
	for want, chances := range map[string][]float64{
		"full In 25 to 95% of 20 simulations.":  {0.6, 0.25, 0.95},
		"full In 60% of 20 simulations.":        {0.6, 0.6},
		"full In 60 to 100% of 20 simulations.": {0.6, 1},
		"full":                                  {1, 1},
	} {
		rows := rowsOf(1, len(chances))
		for i, chance := range chances {
			rows[i].Chance = chance
		}
		if got := (writer{say: message.English(), seeds: 20}).why(rows); got != want {
			t.Errorf("why of chances %v is %q, want %q", chances, got, want)
		}
	}
}

// TestNodeChances says how likely the node is that rows show, where their fate is likelier.
func TestNodeChances(t *testing.T) {
	row := func(to string, chance, there float64) finding.ForecastRow {
		return finding.ForecastRow{To: to, Chance: chance, NodeChance: there}
	}
	for want, rows := range map[string][]finding.ForecastRow{
		"In 100% of 20 simulations, on this node in 35%.":            {row("n1", 1, 0.35)},
		"In 60% of 20 simulations, on this node in 35 to 60%.":       {row("n1", 0.6, 0.35), row("n1", 0.6, 0.6)},
		"In 60% of 20 simulations.":                                  {row("n1", 0.6, 0.6)},
		"In 60 to 100% of 20 simulations.":                           {row("n1", 0.6, 0.35), row("n2", 1, 0.6)},
		"In 1% of 20 simulations.":                                   {row("", 0.001, 0.001)},
		"In 50 to 100% of 20 simulations, on this node in 5 to 10%.": {row("n1", 1, 0.05), row("n1", 0.5, 0.1)},
	} {
		if got := (writer{say: message.English(), seeds: 20}).why(rows); got != want {
			t.Errorf("why of %v is %q, want %q", rows, got, want)
		}
	}
}
