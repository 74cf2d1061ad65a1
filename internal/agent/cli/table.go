package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/naosu-dev/naosu/internal/terminal"
)

// table prints rows in columns. On a terminal the last column is cut at its edge, or, in rows that are to be read whole,
// goes on in a line of its own.
type table struct {
	rows  [][]string
	whole map[int]bool
}

// row adds one, made harmless to a terminal: kernel logs hold what any process has written.
func (t *table) row(cells ...string) {
	clean := make([]string, len(cells))
	for i, cell := range cells {
		clean[i] = terminal.Line(cell)
	}
	t.rows = append(t.rows, clean)
}

// wholeRow is a row of which nothing is cut.
func (t *table) wholeRow(cells ...string) {
	if t.whole == nil {
		t.whole = map[int]bool{}
	}
	t.whole[len(t.rows)] = true
	t.row(cells...)
}

const (
	gap       = 2  // columns between cells
	narrowest = 10 // columns that the last cell has in any case
)

var trailing = regexp.MustCompile(` +(\n|$)`)

func (t *table) print(out io.Writer) {
	leading := make([][]string, len(t.rows))
	for i, row := range t.rows {
		leading[i] = row[:len(row)-1]
	}
	widths := terminal.Widths(leading)
	edge, ok := terminal.SizeOf(out)
	if !ok {
		edge = 1 << 20
	}
	for n, row := range t.rows {
		line := terminal.Pad(leading[n], widths, gap)
		last, left := row[len(widths)], edge-terminal.Width(line)
		if t.whole[n] && terminal.Width(last) > left {
			last = "\n" + strings.Repeat(" ", widths[0]+gap) + last
		} else {
			last = terminal.Truncate(last, max(left, narrowest))
		}
		fmt.Fprintln(out, trailing.ReplaceAllString(line+last, "$1"))
	}
}
