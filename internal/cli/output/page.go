package output

import (
	"bytes"
	"io"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"

	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/terminal"
)

// Lines longer than this are hard to read, and what is not a terminal has no width of its own.
const widest = 100

const narrowest = 40

// wide is for tables whose rows are to stay whole.
const wide = 160

// Page writes paragraphs for people: wrapped to the terminal, coloured only there, and with whatever the cluster's
// objects hold made harmless to a terminal.
type Page struct {
	// Wide asks for what a page leaves out.
	Wide bool
	// Aim adds to commands what chose the cluster; nil adds nothing.
	Aim func(string) string

	w      io.Writer
	width  int
	colour bool
	err    error
}

// NewPage is a page as wide as the terminal behind w, within what can be read.
func NewPage(w io.Writer) *Page { return newPage(w, widest, widest) }

// newPage is a page as wide as the terminal behind w, but at most so wide, and of a stated width if there is no terminal.
func newPage(w io.Writer, width, most int) *Page {
	if columns, ok := terminal.SizeOf(w); ok {
		width = max(min(columns, most), narrowest)
	}
	return NewPageOf(w, width, printers.AllowsColorOutput(w))
}

// NewPageOf is a page of a stated width.
func NewPageOf(w io.Writer, width int, colour bool) *Page {
	return &Page{w: w, width: width, colour: colour}
}

// Style is how a paragraph looks on a terminal with colours.
type Style string

// The styles, as SGR parameters of ECMA-48.
const (
	Plain   Style = ""
	Strong  Style = "1"
	Faint   Style = "2"
	Heading Style = "1;36"
	red     Style = "1;31"
	yellow  Style = "1;33"
)

// OfSeverity is the style of a heading over what is of a severity.
func OfSeverity(severity finding.Severity) Style {
	switch severity {
	case finding.Critical:
		return red
	case finding.Warning:
		return yellow
	}
	return Heading
}

// Err is the first error of writing.
func (p *Page) Err() error { return p.err }

// Blank leaves a line empty.
func (p *Page) Blank() { p.write("\n") }

// Paragraph writes text behind a mark, the following lines under the first's text.
func (p *Page) Paragraph(mark, text string, style Style) {
	mark = terminal.Line(mark)
	indent := strings.Repeat(" ", terminal.Width(mark))
	for i, line := range wrap(terminal.Escape(text), p.width-terminal.Width(mark)) {
		lead := indent
		if i == 0 {
			lead = mark
		}
		p.write(lead + p.paint(line, style) + "\n")
	}
}

// Line writes text behind a mark on one line, and leaves out what does not fit on it.
func (p *Page) Line(mark, text string, style Style) {
	mark = terminal.Line(mark)
	lines := wrap(terminal.Escape(text), p.width-terminal.Width(mark)-terminal.Width(cut))
	if len(lines) > 1 {
		lines[0] += cut
	}
	p.write(mark + p.paint(lines[0], style) + "\n")
}

// cut stands at the end of a line that goes on.
const cut = " …"

// Lines counts the lines that something written on the page would have.
func (p *Page) Lines(write func(*Page)) int {
	var counted lines
	page := *p
	page.w = &counted
	write(&page)
	return int(counted)
}

// lines counts those written to it.
type lines int

func (n *lines) Write(text []byte) (int, error) {
	*n += lines(bytes.Count(text, []byte("\n")))
	return len(text), nil
}

// LongestCommand is what still fits on a page beside others, in bytes; longer ones are for -o json.
const LongestCommand = 400

// Command writes a command line that stays pasteable: it breaks only before a flag, with a backslash.
func (p *Page) Command(mark, command string) {
	lines := []string{""}
	for _, part := range flags(terminal.Line(command)) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = part
		case terminal.Width(mark)+terminal.Width(*last)+1+terminal.Width(part)+len(continued) <= p.width:
			*last += " " + part
		default:
			*last += continued
			lines = append(lines, part)
		}
	}
	for i, line := range lines {
		lead := mark
		if i > 0 {
			lead = strings.Repeat(" ", terminal.Width(mark)+2)
		}
		p.write(lead + p.paint(line, Strong) + "\n")
	}
}

// flags are a command line's parts, each but the first with a flag at its beginning. What stands in single quotes, as a patch does,
// has no flags: a backslash there would be part of it.
func flags(command string) []string {
	var parts []string
	begin, quoted := 0, false
	for i := range len(command) {
		switch {
		case command[i] == '\'' && (quoted || i == 0 || command[i-1] != '\\'):
			quoted = !quoted
		case !quoted && strings.HasPrefix(command[i:], " --"):
			parts, begin = append(parts, command[begin:i]), i+1
		}
	}
	return append(parts, command[begin:])
}

// continued ends a line of a shell command that goes on.
const continued = " \\"

func (p *Page) paint(text string, style Style) string {
	if !p.colour || style == Plain {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

func (p *Page) write(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}
