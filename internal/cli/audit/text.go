package audit

import (
	"fmt"
	"strings"

	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// writer puts an audit on a page: how bad it is, then each finding with the one remedy to begin with. Evidence and
// everything else is for `naosu why` and -o json.
type writer struct {
	*output.Page
	say message.Printer
}

// mostShown bounds the findings of one severity on a page; nobody reads more at once.
const mostShown = 12

func writeText(page *output.Page, say message.Printer, a finding.Audit) error {
	w := writer{page, say}
	groups := finding.Together(a.Findings)
	w.Paragraph("", w.summary(a), output.Strong)
	for _, severity := range []finding.Severity{finding.Critical, finding.Warning, finding.Info} {
		w.severity(severity, groups)
	}
	if len(a.Unknown) > 0 {
		w.Blank()
		w.Paragraph("", strings.ToUpper(say.Text(message.HeadUnknown, nil)), output.Heading)
		w.Gaps(say, a.Unknown)
	}
	if len(a.Findings) > 0 {
		w.Blank()
		w.Paragraph("", say.Text(message.AuditMore, nil), output.Faint)
	}
	if err := w.Err(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

func (w writer) summary(a finding.Audit) string {
	counts := map[finding.Severity]int{}
	for _, f := range a.Findings {
		counts[f.Severity]++
	}
	return w.say.Text(message.AuditSummary, message.Args{
		"any": len(a.Findings) > 0, "critical": counts[finding.Critical], "warning": counts[finding.Warning], "info": counts[finding.Info],
		"accepted": len(a.Accepted), "unknown": len(a.Unknown),
	})
}

func (w writer) severity(severity finding.Severity, groups []finding.Alike) {
	shown, left := 0, 0
	for _, g := range groups {
		if g.First.Severity != severity {
			continue
		}
		if shown == mostShown {
			left += 1 + g.More
			continue
		}
		if shown == 0 {
			w.Blank()
			w.Paragraph("", strings.ToUpper(w.say.Text(message.ID("Severity"+string(severity)), nil)), output.Heading)
		}
		shown++
		w.group(g)
	}
	if left > 0 {
		w.Paragraph("  ", w.say.Text(message.AuditLeft, message.Args{"n": left}), output.Faint)
	}
}

func (w writer) group(g finding.Alike) {
	text := g.First.Message
	if g.More > 0 {
		text += " " + w.say.Text(message.AuditAlike, message.Args{"n": g.More})
	}
	w.Paragraph("  "+string(g.First.Code)+"  ", text, output.Plain)
	if len(g.First.Remedies) == 0 {
		return
	}
	const indent = "        "
	way := g.First.Remedies[0]
	proof := message.LabelUnverified
	if way.Verified {
		proof = message.LabelVerified
	}
	w.Paragraph(indent, "→ "+way.Message+" ("+w.say.Text(proof, nil)+")", output.Plain)
	if way.Command != "" && len(way.Command) <= output.LongestCommand {
		w.Command(indent+"  $ ", way.Command)
	}
	if more := len(g.First.Remedies) - 1; more > 0 {
		w.Paragraph(indent+"  ", w.say.Text(message.AuditMoreRemedies, message.Args{"n": more}), output.Faint)
	}
}
