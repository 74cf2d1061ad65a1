package diagnosis

import (
	"cmp"
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/view"
	"github.com/naosu-dev/naosu/internal/finding"
)

// broken are N601: what Overview finds that should run and does not, and none of the findings is about. What has one cause is
// one finding.
func broken(ctx context.Context, v view.View, found []finding.Finding) []finding.Finding {
	if !v.Knows(cluster.Pod) {
		return nil
	}
	told := map[change.Ref]bool{}
	for _, f := range found {
		for _, ref := range f.Subjects {
			told[ref] = told[ref] || f.Severity == finding.Critical
		}
	}
	var all []finding.Finding
	for _, group := range Causes(Overview(ctx, v, Scope{}).Explanations) {
		f := finding.Finding{Code: finding.N601, Severity: cmp.Or(group[0].Severity, finding.Critical), Message: group[0].Summary, Causes: group[0].Causes, Remedies: group[0].Remedies}
		for _, e := range group {
			f.Subjects = append(f.Subjects, e.Subject)
			f.Subjects = append(f.Subjects, e.Alike...)
			f.Unknown = append(f.Unknown, e.Unknown...)
		}
		f.Subjects = slices.DeleteFunc(f.Subjects, func(ref change.Ref) bool { return told[ref] || v.PassesOver(finding.N601, ref) })
		f.Unknown = view.UniqueGaps(f.Unknown)
		if len(f.Subjects) > 0 {
			all = append(all, f)
		}
	}
	return all
}
