package output

import (
	"strings"

	"github.com/naosu-dev/naosu/internal/terminal"
)

// gutter stands between two columns.
const gutter = 3

// Table writes rows under a head, if there is one, the columns aligned. The last column wraps; the others keep what they
// hold whole. Where that leaves the last no room, each row becomes a few lines.
func (p *Page) Table(indent string, head []string, rows [][]string) {
	if len(rows) > 0 {
		p.Rows(indent, head).Write(rows...)
	}
}

// Rows are those of a table that grows.
type Rows struct {
	page   *Page
	indent string
	head   []string
	// widths are those of the columns; nil before the first row.
	widths []int
}

// Rows begins a table of which not all rows are known yet. Its head is written before the first.
func (p *Page) Rows(indent string, head []string) *Rows {
	return &Rows{page: p, indent: indent, head: escaped(head)}
}

// Write writes more rows, in columns that are as wide as those before, or wider.
func (r *Rows) Write(rows ...[]string) {
	var clean [][]string
	if r.widths == nil && len(r.head) > 0 {
		clean = append(clean, r.head)
	}
	heads := len(clean)
	for _, row := range rows {
		clean = append(clean, escaped(row))
	}
	widths := terminal.Widths(clean)
	for i := range r.widths {
		widths[i] = max(widths[i], r.widths[i])
	}
	r.widths = widths
	if len(r.head) > 0 && r.page.narrow(r.indent, r.widths) {
		for _, row := range clean[heads:] {
			r.page.stack(r.indent, r.head, row)
		}
		return
	}
	for i, row := range clean {
		style := Plain
		if i < heads {
			style = Faint
		}
		r.page.row(r.indent, row, r.widths, style)
	}
}

// narrow says whether the last column has less room than it needs to be read.
func (p *Page) narrow(indent string, widths []int) bool {
	last := len(widths) - 1
	room := p.width - terminal.Width(indent)
	for _, width := range widths[:last] {
		room -= width + gutter
	}
	return room < min(widths[last], p.width/4)
}

// stack writes a row's cells one below the other, those behind the first under their heads' names.
func (p *Page) stack(indent string, head, row []string) {
	p.Paragraph(indent, row[0], Plain)
	for i, cell := range row[1:] {
		if cell != "" {
			p.Paragraph(indent+indent+head[i+1]+": ", cell, Plain)
		}
	}
}

func (p *Page) row(indent string, row []string, widths []int, style Style) {
	last := len(row) - 1
	lead := indent + terminal.Pad(row[:last], widths, gutter)
	for i, line := range wrap(row[last], max(p.width-terminal.Width(lead), narrowest/2)) {
		if i > 0 {
			lead = strings.Repeat(" ", terminal.Width(lead))
		}
		text := strings.TrimRight(lead+line, " ")
		p.write(indent + p.paint(strings.TrimPrefix(text, indent), style) + "\n")
	}
}

func escaped(cells []string) []string {
	clean := make([]string, len(cells))
	for i, cell := range cells {
		clean[i] = terminal.Line(cell)
	}
	return clean
}
