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
	widths := terminal.Widths(clean)
	if len(head) > 0 && p.narrow(indent, widths) {
		for _, row := range clean[1:] {
			p.stack(indent, clean[0], row)
		}
		return
	}
	for i, row := range clean {
		style := Plain
		if i == 0 && len(head) > 0 {
			style = Faint
		}
		p.row(indent, row, widths, style)
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
