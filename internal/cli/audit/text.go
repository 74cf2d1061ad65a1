package audit

import (
	"fmt"
	"strings"

	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// writer puts an audit on a page: how bad it is, then each finding with the one remedy to begin with. Evidence and
// everything else is for `naosu why`, -o wide and -o json.
type writer struct {
	*output.Page
	say message.Printer
}

// mostShown bounds the findings of one severity on a page; nobody reads more at once.
const mostShown = 12

// mostChains bounds those of N302 among them: one repairer has a chain for each condition, and `repair check` a table.
const mostChains = 3

func writeText(page *output.Page, say message.Printer, a finding.Audit) error {
	w := writer{page, say}
	groups := w.groups(a.Findings)
	w.Paragraph("", w.summary(a), output.Strong)
	for _, severity := range []finding.Severity{finding.Critical, finding.Warning, finding.Info} {
		w.severity(severity, groups)
	}
	if len(a.Unknown) > 0 {
		w.Blank()
		w.Paragraph("", strings.ToUpper(say.Say(sentence.HeadUnknown())), output.Heading)
		w.Gaps(say, a.Unknown)
	}
	if len(a.Findings) > 0 {
		w.Blank()
		w.Paragraph("", say.Say(sentence.AuditMore()), output.Faint)
	}
	if err := w.Err(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// groups join findings of one cause; a wide page tells each.
func (w writer) groups(findings []finding.Finding) []finding.CauseGroup {
	if !w.Wide {
		return finding.GroupByCause(findings)
	}
	groups := make([]finding.CauseGroup, len(findings))
	for i, f := range findings {
		groups[i].First = f
	}
	return groups
}

func (w writer) summary(a finding.Audit) string {
	counts := map[finding.Severity]int{}
	for _, f := range a.Findings {
		counts[f.Severity]++
	}
	return w.say.Say(sentence.AuditSummary(len(a.Findings) > 0, counts[finding.Critical], counts[finding.Warning], counts[finding.Info], len(a.Unknown), len(a.Accepted)))
}

func (w writer) severity(severity finding.Severity, groups []finding.CauseGroup) {
	shown, chains, left := 0, 0, 0
	for _, g := range groups {
		if g.First.Severity != severity {
			continue
		}
		if g.First.Code == finding.N302 {
			chains++
		}
		if (shown == mostShown || chains > mostChains && g.First.Code == finding.N302) && !w.Wide {
			left += 1 + g.More
			continue
		}
		if shown == 0 {
			w.Blank()
			w.Paragraph("", strings.ToUpper(w.say.Say(message.Label("Severity"+string(severity)))), output.OfSeverity(severity))
		}
		shown++
		w.Finding(w.say, g.First, g.More)
	}
	if left > 0 {
		w.Paragraph("  ", w.say.Say(sentence.AuditLeft(left)), output.Faint)
	}
}
