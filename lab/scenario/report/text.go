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
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	amber = "\x1b[33m"
	cyan  = "\x1b[36m"
	reset = "\x1b[0m"
)

func (s Style) paint(color, text string) string {
	if !s.Color || color == "" {
		return text
	}
	return color + text + reset
}

// page gathers a report and keeps it within its width.
type page struct {
	Style
	strings.Builder
}

func (p *page) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	p.WriteByte('\n')
}

// block writes text within the width, its first line after a lead, the others below it.
func (p *page) block(lead, color, text string) {
	indent := len([]rune(lead))
	for i, l := range wrap(text, Width-indent) {
		if i > 0 {
			lead = strings.Repeat(" ", indent)
		}
		p.line("%s%s", lead, p.paint(color, l))
	}
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
	p.block("  ", "", r.Title)
	if r.NotPlayed != "" {
		p.block("  ", red, "Not played: "+r.NotPlayed)
		return
	}
	p.line("  built in %s, played in %s of real time%s", tenths(r.StartReal), tenths(r.PlayReal), atScale(r.Scale))
	p.WriteByte('\n')
	entries := fold(r.Events, newNaming(r))
	width := objectColumn(entries)
	for _, e := range entries {
		p.entry(e, width)
	}
	p.WriteByte('\n')
	p.expectations(r)
	p.impact(r.Impact)
	p.limits(r)
}

func atScale(scale float64) string {
	if scale == 1 {
		return ""
	}
	return fmt.Sprintf(", at time scale %g", scale)
}

// The columns of a timeline: its time, what it is about, and what happened.
const (
	timeWidth      = 9
	maxObjectWidth = 42
)

// objectColumn is as wide as the objects need, within bounds.
func objectColumn(entries []entry) int {
	width := 0
	for _, e := range entries {
		if n := len([]rune(subject(e))) + 2; n <= maxObjectWidth {
			width = max(width, n)
		}
	}
	return width
}

func subject(e entry) string {
	switch e.Sort {
	case play.Step, play.Point:
		return string(e.Sort) + " " + e.Object
	}
	return e.Object
}

func colorOf(e entry) string {
	switch e.Sort {
	case play.Step, play.Point:
		return cyan
	case play.Reported:
		return faint
	case play.Expected:
		switch {
		case strings.HasPrefix(e.Message, "not met"):
			return red
		case strings.HasPrefix(e.Message, "not judged"):
			return amber
		}
		return green
	}
	return ""
}

func (p *page) entry(e entry, width int) {
	message := brief(e.Message)
	if e.Count > 1 {
		message += fmt.Sprintf(" (%d times, last at %s)", e.Count, clock(e.LastAtSeconds))
	}
	time, object := fmt.Sprintf("%*s  ", timeWidth, clock(e.AtSeconds)), subject(e)
	color, blank := colorOf(e), strings.Repeat(" ", timeWidth+2+width)
	if len([]rune(object)) > width-2 {
		p.line("%s%s", time, p.paint(color, object))
		p.block(blank, color, message)
		return
	}
	for i, l := range wrap(message, Width-len(blank)) {
		if i == 0 {
			p.line("%s%s", time, p.paint(color, fmt.Sprintf("%-*s%s", width, object, l)))
		} else {
			p.line("%s%s", blank, p.paint(color, l))
		}
	}
}

// brief drops what the scheduler adds about preemption to each of its verdicts.
func brief(message string) string {
	for _, tail := range []string{" no new claims to deallocate", " preemption: 0/"} {
		message, _, _ = strings.Cut(message, tail)
	}
	return message
}

func (p *page) expectations(r play.Result) {
	met, open, width := 0, 0, 0
	for _, e := range r.Expectations {
		switch {
		case e.Met:
			met++
			width = max(width, len([]rune(e.Name)))
		case e.NotJudged:
			open++
		}
	}
	count := fmt.Sprintf("%d of %d expectations met", met, len(r.Expectations))
	if open > 0 {
		count += fmt.Sprintf(", %d not judged", open)
	}
	p.line("  %s", count)
	for _, e := range r.Expectations {
		p.expectation(e, width)
	}
	if r.Failure != "" {
		p.block("  ", colorOfMiss(r.NotJudged), "The pass ended early: "+r.Failure)
	}
	p.lag(r)
	if r.Log != "" {
		p.line("  The last that naosu's controller logged:")
		for l := range strings.SplitSeq(r.Log, "\n") {
			p.block("    ", faint, l)
		}
	}
}

func (p *page) expectation(e play.Expectation, width int) {
	if !e.Met {
		mark, color := "✗", colorOfMiss(e.NotJudged)
		if e.NotJudged {
			mark = "?"
		}
		p.line("  %s %s", p.paint(color, mark), p.paint(color, e.Name))
		p.block("      ", "", e.Problem)
		p.block("      that: ", "", oneLine(e.That))
		return
	}
	line := fmt.Sprintf("%-*s %*s", width, e.Name, timeWidth, clock(*e.AtSeconds))
	if rest := after(e); len([]rune(line+rest)) <= Width-len("  ✓ ") {
		line += rest
	} else {
		line += "\n     " + rest
	}
	p.line("  %s %s", p.paint(green, "✓"), line)
	if e.OverrunSeconds > 0 {
		p.line("       %s after its deadline, which lag extended", span(e.OverrunSeconds))
	}
}

// colorOfMiss is for what is not met.
func colorOfMiss(notJudged bool) string {
	if notJudged {
		return amber
	}
	return red
}

// lag says how late the machine let the lab run, where anything depended on it.
func (p *page) lag(r play.Result) {
	if !r.LagUsed {
		return
	}
	text := fmt.Sprintf("%s of real time, which the lab lost to the rest of the machine. Deadlines are extended by it, up to a bound.", span(r.LagSeconds))
	if r.NotJudged {
		text += " There was too much of it to judge this pass: play it again when less else is running."
	}
	p.block("  lag: ", "", text)
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
	"pod garbage collection: every 20s, and 40s after a node is gone (pkg/controller/podgc)",
	"a Job's back-off: 10s after the first failure, then twice as long each time (pkg/controller/job)",
	"CSI operations: given up after 2m (pkg/volume/csi)",
	"a CronJob's schedule: whole minutes",
}

func (p *page) limits(r play.Result) {
	if r.Scale == 1 {
		return
	}
	p.WriteByte('\n')
	p.line("  Not scaled, because Kubernetes hard-codes it:")
	for _, h := range hardCoded {
		p.block("    ", "", h)
	}
	if len(r.AtMinimum) == 0 {
		return
	}
	second := time.Duration(r.Scale * float64(time.Second))
	p.line("  At Kubernetes' minimum of one second, which is %s of the scenario:", tenths(second))
	for _, s := range r.AtMinimum {
		p.block("    ", "", fmt.Sprintf("%s (%s)", s.Name, tenths(s.Stated)))
	}
}
