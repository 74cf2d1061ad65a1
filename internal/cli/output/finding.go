package output

import (
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/terminal"
)

// Finding writes a finding, with how many more are like it, and the remedy to begin with. A Wide page has its subjects,
// what its evidence was read from, and every remedy with what it costs and risks.
func (p *Page) Finding(say message.Printer, f finding.Finding, more int) {
	mark := "  " + string(f.Code) + "  "
	text := f.Message
	if more > 0 {
		text += " " + say.Text(message.AuditAlike, message.Args{"n": more})
	}
	p.Paragraph(mark, text, Plain)
	indent := strings.Repeat(" ", terminal.Width(mark))
	if p.Wide {
		p.Labelled(say, indent, message.LabelAbout, Names(f.Subjects))
		p.Labelled(say, indent, message.LabelRead, sources(f))
	}
	p.Remedies(say, indent, f.Remedies)
}

// Remedies writes the first, and how many others there are; a Wide page has them all.
func (p *Page) Remedies(say message.Printer, indent string, remedies []finding.Remedy) {
	for i, r := range remedies {
		if i > 0 && !p.Wide {
			more := message.AuditMoreRemedies
			if r.Together {
				more = message.AuditMoreTogether
			}
			p.Paragraph(indent+"  ", say.Text(more, message.Args{"n": len(remedies) - 1}), Faint)
			return
		}
		proof := message.LabelUnverified
		if r.Verified {
			proof = message.LabelVerified
		}
		p.Paragraph(indent+"→ ", r.Message+" ("+say.Text(proof, nil)+")", Plain)
		if p.Wide || len(p.Aimed(r.Command)) <= LongestCommand {
			p.Typed(say, indent+"  ", r.Command)
		} else {
			p.Paragraph(indent+"  ", say.Text(message.AuditLongCommand, nil), Faint)
		}
		if p.Wide {
			p.Labelled(say, indent+"  ", message.LabelCost, r.Cost)
			p.Labelled(say, indent+"  ", message.LabelRisk, r.Risk)
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
		p.Paragraph(indent+"  ", say.Text(message.LabelFill, message.Args{"parts": parts}), Faint)
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
func (p *Page) Labelled(say message.Printer, indent string, label message.ID, text string) {
	if text != "" {
		p.Paragraph(indent+say.Text(label, nil)+": ", text, Faint)
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
func sources(f finding.Finding) string {
	var all []string
	for _, link := range slices.Concat(f.Causes, f.RuledOut) {
		for _, e := range link.Evidence {
			if source := Name(e.Object) + " " + e.Field; !slices.Contains(all, source) {
				all = append(all, source)
			}
		}
	}
	return strings.Join(all, ", ")
}
