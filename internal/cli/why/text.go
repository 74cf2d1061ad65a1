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
	"github.com/naosu-dev/naosu/internal/message/sentence"
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
		w.head(sentence.HeadCauses(), e.State)
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
	w.gaps(sentence.HeadUnknown(), e.Unknown)
	w.gaps(sentence.HeadNotModelled(), e.NotModelled)
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
		w.Labelled(w.say, "", sentence.LabelAbout(), output.Names(f.Subjects))
	}
	w.Blank()
	w.Paragraph("", w.headed(sentence.HeadCauses(), string(f.Code)+", "+w.say.Say(message.Label("Severity"+string(f.Severity)))), output.OfSeverity(f.Severity))
	w.links(f.Causes, f.Message)
	if len(f.RuledOut) > 0 {
		w.head(sentence.HeadRuledOut(), "")
	}
	for _, link := range f.RuledOut {
		w.link("- ", link)
	}
	w.gaps(sentence.HeadUnknown(), f.Unknown)
	for _, remedy := range f.Remedies {
		w.remedy(remedy)
	}
}

func (w writer) head(title message.Sentence, note string) {
	w.Blank()
	w.Paragraph("", w.headed(title, note), output.Heading)
}

func (w writer) headed(title message.Sentence, note string) string {
	head := strings.ToUpper(w.say.Say(title))
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
		value = w.say.Say(sentence.LabelNone())
	}
	if e.Time != nil {
		age = " (" + w.when(e.Time.Time) + ")"
	}
	return fmt.Sprintf("%s %s%s: %s", e.Object, e.Field, age, value)
}

// when is the age of a time; a time after the Snapshot has none.
func (w writer) when(t time.Time) string {
	since := w.now.Sub(t)
	if since <= -time.Second {
		return t.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return w.say.Say(sentence.LabelAgo(duration.HumanDuration(max(0, since))))
}

func (w writer) remedy(r finding.Remedy) {
	proof := sentence.LabelUnverified()
	if r.Verified {
		proof = sentence.LabelVerified()
	}
	w.head(sentence.HeadRemedy(), w.say.Say(proof))
	w.Paragraph("  ", w.say.Say(r.Message), output.Plain)
	w.Typed(w.say, "    ", r.Command)
	w.labelled(sentence.LabelCost(), r.Cost)
	w.labelled(sentence.LabelRisk(), r.Risk)
}

func (w writer) labelled(label, said message.Sentence) {
	if !said.IsZero() {
		w.Paragraph("  "+w.say.Say(label)+": ", w.say.Say(said), output.Plain)
	}
}

func (w writer) gaps(title message.Sentence, gaps []finding.Gap) {
	if len(gaps) == 0 {
		return
	}
	w.head(title, "")
	w.Gaps(w.say, gaps)
}
