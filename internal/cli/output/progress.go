package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/naosu-dev/naosu/internal/terminal"
)

// Progress shows how far long work has come: on a terminal in one line that is written over, elsewhere not at all. It is
// not safe for concurrent use.
type Progress struct {
	w     io.Writer
	width int // zero is not a terminal
	shown string
}

// NewProgress is shown on w, which should be standard error: the answer is not to be mixed with it.
func NewProgress(w io.Writer) *Progress {
	width, _ := terminal.SizeOf(w)
	return &Progress{w: w, width: width}
}

const barWidth = 20

// Show says what is being done, and how much of it is done as a bar if the whole is known.
func (p *Progress) Show(doing string, done, total int) {
	if p.width == 0 {
		return
	}
	doing = terminal.Line(doing)
	line := doing
	if total > 0 {
		full := min(done*barWidth/total, barWidth)
		line = fmt.Sprintf("[%s%s] %s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), doing)
	}
	if line == p.shown || terminal.Width(line) >= p.width {
		return // Nothing new; or it would wrap, and could not be written over.
	}
	fmt.Fprint(p.w, "\r\x1b[K"+line)
	p.shown = line
}

// End takes the line away.
func (p *Progress) End() {
	if p.shown != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = ""
	}
}
