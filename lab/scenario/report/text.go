package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// Width is how many columns the text keeps to.
const Width = 100

// Style says how text looks.
type Style struct {
	// Color is for terminals.
	Color bool
}

const (
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	plain  = "\x1b[0m"
)

func (s Style) paint(color, text string) string {
	if !s.Color || color == "" {
		return text
	}
	return color + text + plain
}

// page gathers a report and keeps it within its width.
type page struct {
	Style
	strings.Builder
}

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// Text writes the passes of a scenario, one below the other.
func Text(w io.Writer, s Scenario, style Style) error {
	p := &page{Style: style}
	p.line("%s  %s", p.paint(bold, s.Name), s.Title)
	for _, pass := range s.Passes {
		p.WriteByte('\n')
		p.pass(pass)
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func (p *page) pass(r play.Result) {
	p.line("%s", p.paint(bold, "with "+r.With))
	p.wrapped("", "  ", r.Title)
	p.line("  built in %s, played in %s of real time%s", real(r.StartReal), real(r.PlayReal), atScale(r.Scale))
	p.WriteByte('\n')
	names := newNaming(r.Nodes)
	for _, e := range fold(r.Events, names) {
		p.event(e)
	}
	p.WriteByte('\n')
	p.expectations(r)
	p.limits(r)
}

func real(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

func atScale(scale float64) string {
	if scale == 1 {
		return ""
	}
	return fmt.Sprintf(", at time scale %g", scale)
}

// The columns of a timeline: its time, what it is about, and what happened.
const (
	timeWidth   = 9
	objectWidth = 38
)

var colors = map[play.Sort]string{play.Step: cyan, play.Point: cyan, play.Reported: faint}

func (p *page) event(e play.Event) {
	color := colors[e.Sort]
	object := e.Object
	switch e.Sort {
	case play.Step:
		object = strings.TrimSpace("step " + e.Object)
	case play.Point:
		object = "point " + e.Object
	case play.Expected:
		if color = green; strings.HasPrefix(e.Message, "not met") {
			color = red
		}
	}
	message := e.Message
	if e.Count > 1 {
		message += fmt.Sprintf(" (%d times, last at %s)", e.Count, clock(e.LastAtSeconds))
	}
	lines := wrap(message, Width-timeWidth-objectWidth-2)
	if len([]rune(object)) > objectWidth { // gives the object a line of its own
		p.line("%*s  %s", timeWidth, clock(e.AtSeconds), p.paint(color, object))
	} else {
		p.line("%*s  %s", timeWidth, clock(e.AtSeconds), p.paint(color, fmt.Sprintf("%-*s%s", objectWidth, object, lines[0])))
		lines = lines[1:]
	}
	for _, rest := range lines {
		p.line("%*s  %s", timeWidth, "", p.paint(color, strings.Repeat(" ", objectWidth)+rest))
	}
}

func (p *page) expectations(r play.Result) {
	met := 0
	for _, e := range r.Expectations {
		if e.Met {
			met++
		}
	}
	p.line("  %d of %d expectations met", met, len(r.Expectations))
	for _, e := range r.Expectations {
		if e.Met {
			p.line("  %s %-52s %*s%s", p.paint(green, "✓"), e.Name, timeWidth, clock(*e.AtSeconds), after(e))
			continue
		}
		p.line("  %s %s", p.paint(red, "✗"), e.Name)
		p.wrapped(p.paint(red, ""), "      ", e.Problem)
		p.wrapped("that: ", "      ", oneLine(e.That))
	}
	if r.Failure != "" {
		p.wrapped(p.paint(red, "✗")+" ", "  ", r.Failure)
	}
}

// after says how long after its point an expectation came true.
func after(e play.Expectation) string {
	if e.FromSeconds == nil || e.From == "start" {
		return ""
	}
	return fmt.Sprintf("  %s after %s", span(*e.AtSeconds-*e.FromSeconds), e.From)
}

// hardCoded is what Kubernetes keeps to itself, whatever the time scale.
var hardCoded = []string{
	"pod garbage collection every 20s, 40s after a node is gone",
	"a Job's first back-off of 10s",
	"CSI operations given up after 2m0s",
	"a CronJob's schedule, in whole minutes",
}

func (p *page) limits(r play.Result) {
	if r.Scale == 1 {
		return
	}
	p.WriteByte('\n')
	p.line("  Not scaled, because Kubernetes hard-codes it:")
	for _, h := range hardCoded {
		p.line("    %s", h)
	}
	if len(r.AtMinimum) == 0 {
		return
	}
	p.line("  Scaled only down to Kubernetes' minimum of one second:")
	for _, s := range r.AtMinimum {
		p.wrapped(s.Name+" ", "    ", fmt.Sprintf("(%s, lasts as if it were %s)", s.Stated, time.Duration(r.Scale*float64(time.Second))))
	}
}

// wrapped writes text within the width; its first line begins with lead.
func (p *page) wrapped(lead, indent, text string) {
	for i, l := range wrap(lead+text, Width-len(indent)) {
		if i > 0 && lead != "" {
			l = "  " + l
		}
		p.line("%s%s", indent, p.paint(yellow, l)[:])
	}
}
