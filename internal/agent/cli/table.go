package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

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

const gap = 2 // between columns

var trailing = regexp.MustCompile(` +(\n|$)`)

func (t *table) print(out io.Writer) {
	widths := make([]int, len(t.rows[0])-1)
	for _, row := range t.rows {
		for i := range widths {
			widths[i] = max(widths[i], uniseg.StringWidth(row[i]))
		}
	}
	edge := widthOf(out)
	for n, row := range t.rows {
		var line strings.Builder
		at := 0
		for i, width := range widths {
			line.WriteString(row[i] + strings.Repeat(" ", width+gap-uniseg.StringWidth(row[i])))
			at += width + gap
		}
		last := row[len(widths)]
		if t.whole[n] && at+uniseg.StringWidth(last) > edge {
			last = "\n" + strings.Repeat(" ", widths[0]+gap) + last
		} else {
			last = cut(last, edge-at)
		}
		line.WriteString(last)
		fmt.Fprintln(out, trailing.ReplaceAllString(line.String(), "$1"))
	}
}

// widthOf is how many cells a terminal has in a line; what is no terminal has no edge.
func widthOf(out io.Writer) int {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 1 << 20
}

// cut is text of at most so many cells, but of some in any case.
func cut(text string, cells int) string {
	const least = 10
	if cells = max(cells, least); uniseg.StringWidth(text) <= cells {
		return text
	}
	var kept strings.Builder
	width := 0
	for clusters := uniseg.NewGraphemes(text); clusters.Next(); {
		if width += clusters.Width(); width >= cells {
			break
		}
		kept.WriteString(clusters.Str())
	}
	return kept.String() + "…"
}
