package repair

import (
	"fmt"
	"io"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// page prints the progress of a drill for people. A nil page prints nothing: structured output is printed at the end.
type page struct {
	*output.Page
	out io.Writer
	say message.Printer
}

func (o *DrillOptions) page() *page {
	if !o.Format.ForPeople() {
		return nil
	}
	return &page{o.Format.Page(o.Out), o.Out, o.Say}
}

// begin prints what the drill is about to do.
func (p *page) begin(o *DrillOptions, by string) {
	if p == nil {
		return
	}
	p.Paragraph("", p.say.Say(sentence.DrillBegins(o.Act, o.Condition, o.Reason, "node/"+o.Node, by)), output.Strong)
	p.Blank()
}

// hop prints a hop that was passed: its name, latency and message.
func (p *page) hop(h Hop) {
	if p == nil {
		return
	}
	const names, latencies = 10, 9 // The longest is Controller; a row is written before the next is known.
	p.Paragraph(fmt.Sprintf("  %-*s   %*s   ", names, h.Name, latencies, h.Latency), h.Says, output.Plain)
}

// end prints the result.
func (p *page) end(d Drilled) {
	if d.FailedAt != "" {
		p.Paragraph(fmt.Sprintf("  %-10s   %9s   ", d.FailedAt, "-"), d.Message, output.Plain)
	}
	p.Blank()
	result := sentence.DrillThrough(d.Depth == v1alpha1.DrillRaised, d.Remediation)
	if !d.Passed {
		result = sentence.DrillStopped(string(d.FailedAt), d.Remediation)
	}
	p.Paragraph("", p.say.Say(result), output.Strong)
}
