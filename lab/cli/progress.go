package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// progress shows how a pass is going: on a terminal, in one line that is overwritten; elsewhere, not at all,
// because a log is better served by the report.
type progress struct {
	out   io.Writer
	width int // zero is not a terminal
	title string

	mu       sync.Mutex
	activity string
	at       float64
}

func newProgress(out io.Writer, title string) *progress {
	p := &progress{out: out, title: title}
	if file, ok := out.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			p.width = width
		}
	}
	return p
}

// observe is the play.Observer.
func (p *progress) observe(u play.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = max(p.at, u.AtSeconds)
	switch {
	case u.Activity != "":
		p.activity = u.Activity
	case u.Event != nil && u.Event.Sort == play.Step:
		p.activity = u.Event.Message
	case u.Expectation != nil && u.Expectation.Met:
		p.activity = "seen: " + u.Expectation.Name
	}
	p.draw()
}

func (p *progress) draw() {
	if p.width == 0 {
		return
	}
	line := []rune(fmt.Sprintf("%s  %s  %s", p.title, time.Duration(p.at*float64(time.Second)).Round(time.Second), p.activity))
	fmt.Fprintf(p.out, "\r\x1b[K%s", string(line[:min(len(line), p.width-1)]))
}

// end clears the line.
func (p *progress) end() {
	if p.width > 0 {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
