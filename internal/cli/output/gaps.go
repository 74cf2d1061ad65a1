package output

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// mostKindGaps is how many gaps that are about kinds of objects are written one by one.
const mostKindGaps = 3

// Gaps lists what is not known, and says a thing once, whatever it bears on. Kinds that were not read make one item if they
// are many, because each rule states its own.
func (p *Page) Gaps(say message.Printer, gaps []finding.Gap) {
	kinds, gaps := kindGaps(gaps)
	said := map[string]bool{}
	for _, gap := range gaps {
		text := say.Say(gap.Message)
		if !said[text] {
			p.Paragraph("  - ", text, Plain)
		}
		said[text] = true
	}
	if len(kinds) > 0 {
		p.Paragraph("  - ", say.Say(sentence.UnreadKinds(message.ListOf(kinds))), Plain)
	}
}

func kindGaps(gaps []finding.Gap) (kinds []string, rest []finding.Gap) {
	for _, gap := range gaps {
		if slices.Contains(cluster.Kinds(), cluster.Kind(gap.About)) {
			kinds = append(kinds, gap.About)
		} else {
			rest = append(rest, gap)
		}
	}
	if len(kinds) <= mostKindGaps {
		return nil, gaps
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), rest
}
