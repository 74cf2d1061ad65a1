package output

import (
	"strings"

	"k8s.io/cli-runtime/pkg/printers"
)

// gutter stands between two columns.
const gutter = 3

// Table writes rows under a head, if there is one, the columns aligned. The last column wraps; the others keep what they
// hold whole.
func (p *Page) Table(indent string, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	var clean [][]string
	if len(head) > 0 {
		clean = append(clean, escaped(head))
	}
	for _, row := range rows {
		clean = append(clean, escaped(row))
	}
	widths := make([]int, len(rows[0]))
	for _, row := range clean {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for i, row := range clean {
		style := Plain
		if i == 0 && len(head) > 0 {
			style = Faint
		}
		p.row(indent, row, widths, style)
	}
}

func (p *Page) row(indent string, row []string, widths []int, style Style) {
	last := len(row) - 1
	lead := indent
	for i, cell := range row[:last] {
		lead += cell + strings.Repeat(" ", widths[i]-columns(cell)+gutter)
	}
	for i, line := range wrap(row[last], max(p.width-columns(lead), narrowest/2)) {
		if i > 0 {
			lead = strings.Repeat(" ", columns(lead))
		}
		text := strings.TrimRight(lead+line, " ")
		p.write(indent + p.paint(strings.TrimPrefix(text, indent), style) + "\n")
	}
}

func escaped(cells []string) []string {
	clean := make([]string, len(cells))
	for i, cell := range cells {
		clean[i] = strings.ReplaceAll(printers.EscapeTerminal(cell), "\n", " ")
	}
	return clean
}
