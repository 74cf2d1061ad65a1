package unschedulable

import (
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// mergeFindings merges findings that say the same of different pods; the remedies are then computed for all of these pods. Findings
// whose remedies change a workload are not merged.
func mergeFindings(ctx context.Context, q query.Query, found []finding.Finding, about []*podClass) []finding.Finding {
	var all []finding.Finding
	of := map[string][]int{}
	for i, f := range found {
		if key := f.Nameless(); !slices.ContainsFunc(f.Remedies, changesWorkload) {
			of[key] = append(of[key], i)
		}
	}
	for i, f := range found {
		same := of[f.Nameless()]
		switch {
		case slices.ContainsFunc(f.Remedies, changesWorkload), len(same) == 1:
			all = append(all, f)
		case same[0] == i:
			all = append(all, mergeClasses(ctx, q, f, same, found, about))
		}
	}
	return all
}

// changesWorkload reports whether a remedy helps only the pods of one workload.
func changesWorkload(r finding.Remedy) bool {
	_, resizes := r.Change.(change.ResizeGroup)
	return !resizes
}

// mergeClasses describes the first of several classes as if the pods of all of them belonged to it.
func mergeClasses(ctx context.Context, q query.Query, first finding.Finding, same []int, found []finding.Finding, about []*podClass) finding.Finding {
	c := *about[same[0]]
	c.pods = nil
	var subjects []change.Ref
	for _, i := range same {
		c.pods = append(c.pods, about[i].pods...)
		subjects = append(subjects, found[i].Subjects...)
	}
	f, ok := describeUnschedulable(ctx, q, &c)
	if !ok {
		f = first
	}
	f.Subjects = subjects
	f.Message = message.Sequence(f.Message, sentence.AuditAlike(len(same)-1))
	return f
}
