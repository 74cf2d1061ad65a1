package diagnosis

import (
	"cmp"
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// notRunning are the N601 findings: pods and workloads from Overview that should run and do not, if no other finding is about
// them. Those with the same cause are one finding.
func notRunning(ctx context.Context, q query.Query, all []finding.Explanation, found []finding.Finding) []finding.Finding {
	told := map[change.Ref]bool{}
	for _, f := range found {
		for _, ref := range f.Subjects {
			told[ref] = told[ref] || f.Severity == finding.Critical
		}
	}
	left := func(all []finding.Explanation) []change.Ref {
		return slices.DeleteFunc(SubjectsOf(all), func(ref change.Ref) bool { return told[ref] || q.Excludes(finding.N601, ref) })
	}
	var more []finding.Finding
	for _, cause := range RootCauses(q.World, all) {
		subjects, waiting := left(cause.Explanations), left(cause.Dependents)
		if len(subjects) == 0 && len(waiting) > 0 {
			for _, group := range Causes(cause.Dependents) {
				if subjects := left(group); len(subjects) > 0 {
					more = append(more, describeNotRunning(ctx, q, RootCause{Explanations: group}, subjects, nil))
				}
			}
		}
		if len(subjects) > 0 {
			more = append(more, describeNotRunning(ctx, q, cause, subjects, waiting))
		}
	}
	return more
}

// SubjectsOf are the subjects of explanations, and others with the same explanation.
func SubjectsOf(all []finding.Explanation) []change.Ref {
	var refs []change.Ref
	for _, e := range all {
		refs = append(append(refs, e.Subject), e.Alike...)
	}
	return refs
}

// describeNotRunning is the finding about a cause with these subjects, which also keeps those that wait for them from running.
func describeNotRunning(ctx context.Context, q query.Query, cause RootCause, subjects, waiting []change.Ref) finding.Finding {
	first := cause.Explanations[0]
	f := finding.Finding{
		Code: finding.N601, Severity: cmp.Or(first.Severity, finding.Critical), Message: first.Summary,
		Subjects: slices.Concat(subjects, waiting), Causes: first.Causes, Remedies: RootRemedies(ctx, q, cause),
	}
	for _, e := range slices.Concat(cause.Explanations, cause.Dependents) {
		f.Unknown = append(f.Unknown, e.Unknown...)
	}
	f.Unknown = query.UniqueGaps(f.Unknown)
	others := slices.DeleteFunc(slices.Clone(subjects), func(ref change.Ref) bool { return ref == first.Subject }) // The summary names it.
	if len(others) > 0 {
		f.Message = message.Sequence(f.Message, sentence.OverviewAlso(len(others), q.Enumerate(others)))
	}
	if n := len(waiting); n > 0 {
		f.Message = message.Sequence(f.Message, sentence.OverviewDependents(n, q.Enumerate(waiting)))
	}
	return f
}

// withOverviewText are the findings with the text of Overview, if that says more about the single pod of a finding: that its
// StatefulSet does not replace it, and that it must be deleted.
func withOverviewText(found []finding.Finding, all []finding.Explanation) []finding.Finding {
	for i := range found {
		f := &found[i]
		j := slices.IndexFunc(all, func(e finding.Explanation) bool {
			return len(e.Alike) == 0 && len(f.Subjects) == 1 && f.Subjects[0] == e.Subject && !e.Summary.Equal(f.Message) && e.Summary.Contains(f.Message)
		})
		if j < 0 {
			continue
		}
		f.Message, f.Causes, f.Remedies = all[j].Summary, slices.Concat(all[j].Causes, f.Causes), slices.Concat(all[j].Remedies, f.Remedies)
	}
	return found
}
