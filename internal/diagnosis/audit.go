package diagnosis

import (
	"cmp"
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/rules"
	"github.com/naosu-dev/naosu/internal/finding"
)

// Audit runs every rule on the whole world. Progress, which may be nil, is called with the number of rules that have run
// and futures that were simulated, and with their totals.
func Audit(ctx context.Context, q query.Query, progress func(done, total int)) finding.Audit {
	q.Subject = nil
	every := Rules()
	done, total := 0, len(every)+len(rules.FailureDomains(q.World))
	q.OnProgress = func() {
		if done++; progress != nil {
			progress(min(done, total), total)
		}
	}
	var a finding.Audit
	for _, rule := range every {
		if ctx.Err() != nil {
			break
		}
		q.ReportProgress()
		found, unknown := find(ctx, []query.Rule{rule}, q)
		for _, f := range found {
			if q.WithinLimits(f) {
				a.Findings = append(a.Findings, f)
			}
		}
		a.Unknown = append(a.Unknown, unknown...)
	}
	now := Overview(ctx, q, Scope{}).Explanations
	a.Findings = joined(append(withOverviewText(a.Findings, now), notRunning(ctx, q, now, a.Findings)...))
	slices.SortStableFunc(a.Findings, compareFindings)
	a.Unknown = query.UniqueGaps(append(q.PartialGaps(), a.Unknown...))
	e := query.Complete(finding.Explanation{Findings: a.Findings, Unknown: a.Unknown})
	a.Findings, a.Unknown, a.Accepted = e.Findings, e.Unknown, []finding.Accepted{}
	return a
}

// compareFindings orders findings by severity, then by the number of subjects.
func compareFindings(a, b finding.Finding) int {
	return cmp.Or(
		cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
		cmp.Compare(len(b.Subjects), len(a.Subjects)),
		cmp.Compare(a.Code, b.Code),
		a.Message.Compare(b.Message),
	)
}

// Addresses are the findings about the addresses of subnets, nodes and interfaces, in a world that holds what a cloud tells of them.
func Addresses(ctx context.Context, q query.Query) ([]finding.Finding, []finding.Gap) {
	found, unknown := find(ctx, []query.Rule{rules.Addresses{}}, q)
	slices.SortStableFunc(found, compareFindings)
	e := query.Complete(finding.Explanation{Findings: found, Unknown: unknown})
	return e.Findings, e.Unknown
}
