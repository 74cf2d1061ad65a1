package output

import (
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/terminal"
)

// Finding writes a finding, with how many more are like it, and the remedy to begin with. A Wide page has its subjects,
// what its evidence was read from, and every remedy with what it costs and risks.
func (p *Page) Finding(say message.Printer, f finding.Finding, more int) {
	mark := "  " + string(f.Code) + "  "
	text := say.Say(f.Message)
	if more > 0 {
		text += " " + say.Say(sentence.AuditAlike(more))
	}
	p.Paragraph(mark, text, Plain)
	indent := strings.Repeat(" ", terminal.Width(mark))
	if p.Wide {
		p.Labelled(say, indent, sentence.LabelAbout(), Names(f.Subjects))
		p.Labelled(say, indent, sentence.LabelRead(), sources(say, f))
	}
	p.Remedies(say, indent, f.Remedies)
}

// Remedies writes the first, and how many others there are; a Wide page has them all.
func (p *Page) Remedies(say message.Printer, indent string, remedies []finding.Remedy) {
	for i, r := range remedies {
		if i > 0 && !p.Wide {
			more := sentence.AuditMoreRemedies(len(remedies) - 1)
			if r.Together {
				more = sentence.AuditMoreTogether(len(remedies) - 1)
			}
			p.Paragraph(indent+"  ", say.Say(more), Faint)
			return
		}
		proof := sentence.LabelUnverified()
		if r.Verified {
			proof = sentence.LabelVerified()
		}
		p.Paragraph(indent+"→ ", say.Say(r.Message)+" ("+say.Say(proof)+")", Plain)
		if p.Wide || len(p.Aimed(r.Command)) <= LongestCommand {
			p.Typed(say, indent+"  ", r.Command)
		} else {
			p.Paragraph(indent+"  ", say.Say(sentence.AuditLongCommand()), Faint)
		}
		if p.Wide {
			p.Labelled(say, indent+"  ", sentence.LabelCost(), say.Say(r.Cost))
			p.Labelled(say, indent+"  ", sentence.LabelRisk(), say.Say(r.Risk))
		}
	}
}

// Typed writes a command that a person may type, and what they have to fill in.
func (p *Page) Typed(say message.Printer, indent, command string) {
	if command == "" {
		return
	}
	command = p.Aimed(command)
	p.Command(indent+"$ ", command)
	if parts := change.Placeholders(command); len(parts) > 0 {
		p.Paragraph(indent+"  ", say.Say(sentence.LabelFill(message.ListOf(parts))), Faint)
	}
}

// Aimed is a command with what chose the cluster.
func (p *Page) Aimed(command string) string {
	if p.Aim == nil {
		return command
	}
	return p.Aim(command)
}

// Labelled writes a text behind what it is, and nothing if it is empty.
func (p *Page) Labelled(say message.Printer, indent string, label message.Sentence, text string) {
	if text != "" {
		p.Paragraph(indent+say.Say(label)+": ", text, Faint)
	}
}

// Name is a thing's with its namespace, as kubectl takes both apart: namespace/kind/name.
func Name(ref change.Ref) string {
	if ref.Namespace == "" {
		return ref.String()
	}
	return ref.Namespace + "/" + ref.String()
}

// Names are things by their Names, on one line.
func Names(refs []change.Ref) string {
	all := make([]string, len(refs))
	for i, ref := range refs {
		all[i] = Name(ref)
	}
	return strings.Join(all, ", ")
}

// sources are what a finding's evidence was read from, each once.
func sources(say message.Printer, f finding.Finding) string {
	var all []string
	for _, link := range slices.Concat(f.Causes, f.RuledOut) {
		for _, e := range link.Evidence {
			if source := Name(e.Object) + " " + e.In(say).Field; !slices.Contains(all, source) {
				all = append(all, source)
			}
		}
	}
	return strings.Join(all, ", ")
}
