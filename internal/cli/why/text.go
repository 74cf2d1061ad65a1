package why

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// writer puts an explanation on a page: the sentence first, for whoever was just woken; then the way there and the way
// out.
type writer struct {
	*output.Page
	say message.Printer
	now time.Time
}

func writeText(page *output.Page, say message.Printer, now time.Time, e finding.Explanation) error {
	w := writer{page, say, now}
	w.Paragraph("", say.Say(e.Summary), output.Strong)
	w.explanation(e)
	return w.written()
}

func (w writer) explanation(e finding.Explanation) {
	if len(e.Causes) > 0 {
		w.head(message.HeadCauses, e.State)
		w.links(e.Causes, e.Summary)
	}
	for _, remedy := range e.Remedies {
		w.remedy(remedy)
	}
	for _, f := range e.Findings {
		if !e.Summary.Contains(f.Message) {
			w.Blank()
			w.Paragraph("", w.say.Say(f.Message), output.Strong)
		}
		w.finding(f)
	}
	w.gaps(message.HeadUnknown, e.Unknown)
	w.gaps(message.HeadNotModelled, e.NotModelled)
}

// written is the first error of writing.
func (w writer) written() error {
	if err := w.Err(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

func (w writer) finding(f finding.Finding) {
	if w.Wide {
		w.Blank()
		w.Labelled(w.say, "", message.LabelAbout, output.Names(f.Subjects))
	}
	w.Blank()
	w.Paragraph("", w.headed(message.HeadCauses, string(f.Code)+", "+w.say.Text(message.ID("Severity"+f.Severity), nil)), output.OfSeverity(f.Severity))
	w.links(f.Causes, f.Message)
	if len(f.RuledOut) > 0 {
		w.head(message.HeadRuledOut, "")
	}
	for _, link := range f.RuledOut {
		w.link("- ", link)
	}
	w.gaps(message.HeadUnknown, f.Unknown)
	for _, remedy := range f.Remedies {
		w.remedy(remedy)
	}
}

func (w writer) head(id message.ID, note string) {
	w.Blank()
	w.Paragraph("", w.headed(id, note), output.Heading)
}

func (w writer) headed(id message.ID, note string) string {
	head := strings.ToUpper(w.say.Text(id, nil))
	if note != "" {
		head += " (" + note + ")"
	}
	return head
}

// links writes a chain of causes. Of a link that was said already only the evidence is left to say, if it has any.
func (w writer) links(links []finding.Link, said message.Sentence) {
	links = slices.DeleteFunc(slices.Clone(links), func(l finding.Link) bool { return len(l.Evidence) == 0 && said.Contains(l.Message) })
	for i, link := range links {
		mark := strconv.Itoa(i+1) + ". "
		if said.Contains(link.Message) && len(link.Evidence) > 0 {
			w.item(mark, w.evidence(link.Evidence[0]), link.Evidence[1:])
			continue
		}
		w.link(mark, link)
	}
}

func (w writer) link(mark string, link finding.Link) {
	w.item(mark, w.say.Say(link.Message), link.Evidence)
}

func (w writer) item(mark, text string, evidence []finding.Evidence) {
	w.Paragraph("  "+mark, text, output.Plain)
	for _, e := range evidence {
		w.Paragraph(strings.Repeat(" ", len(mark)+4), w.evidence(e), output.Faint)
	}
}

func (w writer) evidence(e finding.Evidence) string {
	e = e.In(w.say)
	value, age := e.Value, ""
	if value == "" {
		value = w.say.Text(message.LabelNone, nil)
	}
	if e.Time != nil {
		since := duration.HumanDuration(w.now.Sub(e.Time.Time))
		age = " (" + w.say.Text(message.LabelAgo, message.Args{"age": since}) + ")"
	}
	return fmt.Sprintf("%s %s%s: %s", e.Object, e.Field, age, value)
}

func (w writer) remedy(r finding.Remedy) {
	proof := message.LabelUnverified
	if r.Verified {
		proof = message.LabelVerified
	}
	w.head(message.HeadRemedy, w.say.Text(proof, nil))
	w.Paragraph("  ", w.say.Say(r.Message), output.Plain)
	w.Typed(w.say, "    ", r.Command)
	w.labelled(message.LabelCost, r.Cost)
	w.labelled(message.LabelRisk, r.Risk)
}

func (w writer) labelled(id message.ID, said message.Sentence) {
	if !said.IsZero() {
		w.Paragraph("  "+w.say.Text(id, nil)+": ", w.say.Say(said), output.Plain)
	}
}

func (w writer) gaps(id message.ID, gaps []finding.Gap) {
	if len(gaps) == 0 {
		return
	}
	w.head(id, "")
	w.Gaps(w.say, gaps)
}
