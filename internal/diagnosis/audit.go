package diagnosis

import (
	"cmp"
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/rules"
	"github.com/naosu-dev/naosu/internal/finding"
)

// Audit asks every rule about the whole world. Progress, which may be nil, is called with how many rules have been asked
// and futures played, and how many there are.
func Audit(ctx context.Context, v query.View, progress func(done, total int)) finding.Audit {
	v.Subject = nil
	every := Rules()
	done, total := 0, len(every)+len(rules.Places(v.World))
	v.Tick = func() {
		if done++; progress != nil {
			progress(min(done, total), total)
		}
	}
	var a finding.Audit
	for _, rule := range every {
		if ctx.Err() != nil {
			break
		}
		v.Progress()
		found, unknown := find(ctx, []query.Rule{rule}, v)
		for _, f := range found {
			if v.WithinLimits(f) {
				a.Findings = append(a.Findings, f)
			}
		}
		a.Unknown = append(a.Unknown, unknown...)
	}
	now := Overview(ctx, v, Scope{}).Explanations
	a.Findings = append(retold(a.Findings, now), broken(ctx, v, now, a.Findings)...)
	slices.SortStableFunc(a.Findings, moreDangerous)
	a.Unknown = query.UniqueGaps(append(v.InPart(), a.Unknown...))
	e := query.Complete(finding.Explanation{Findings: a.Findings, Unknown: a.Unknown})
	a.Findings, a.Unknown, a.Accepted = e.Findings, e.Unknown, []finding.Accepted{}
	return a
}

// moreDangerous puts first what is more severe, then what concerns more.
func moreDangerous(a, b finding.Finding) int {
	return cmp.Or(
		cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
		cmp.Compare(len(b.Subjects), len(a.Subjects)),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}
