package diagnosis

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/view"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// broken are N601: what Overview finds that should run and does not, and none of the findings is about. What has one cause is
// one finding.
func broken(ctx context.Context, v view.View, all []finding.Explanation, found []finding.Finding) []finding.Finding {
	told := map[change.Ref]bool{}
	for _, f := range found {
		for _, ref := range f.Subjects {
			told[ref] = told[ref] || f.Severity == finding.Critical
		}
	}
	var more []finding.Finding
	for _, group := range Causes(all) {
		f := finding.Finding{Code: finding.N601, Severity: cmp.Or(group[0].Severity, finding.Critical), Message: group[0].Summary, Causes: group[0].Causes, Remedies: Remedies(ctx, v, group)}
		for _, e := range group {
			f.Subjects = append(f.Subjects, e.Subject)
			f.Subjects = append(f.Subjects, e.Alike...)
			f.Unknown = append(f.Unknown, e.Unknown...)
		}
		f.Subjects = slices.DeleteFunc(f.Subjects, func(ref change.Ref) bool { return told[ref] || v.PassesOver(finding.N601, ref) })
		f.Unknown = view.UniqueGaps(f.Unknown)
		if n := len(f.Subjects); n > 1 {
			f.Message += " " + v.Say.Text(message.OverviewConcerns, message.Args{"n": n, "names": v.Some(f.Subjects)})
		}
		if len(f.Subjects) > 0 {
			more = append(more, f)
		}
	}
	return more
}

// retold are the findings, in the words of Overview where it says more of the one pod that a finding is about: that its
// StatefulSet will not replace it, and that it has to be deleted.
func retold(found []finding.Finding, all []finding.Explanation) []finding.Finding {
	for i := range found {
		f := &found[i]
		j := slices.IndexFunc(all, func(e finding.Explanation) bool {
			return len(e.Alike) == 0 && len(f.Subjects) == 1 && f.Subjects[0] == e.Subject && e.Summary != f.Message && strings.Contains(e.Summary, f.Message)
		})
		if j < 0 {
			continue
		}
		f.Message, f.Causes, f.Remedies = all[j].Summary, slices.Concat(all[j].Causes, f.Causes), slices.Concat(all[j].Remedies, f.Remedies)
	}
	return found
}
