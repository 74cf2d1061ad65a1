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

// mergeFindings are the findings about classes of pods, in their order, those as one that say the same of different pods: the remedies
// are then asked for again, for all of them. What is mended at the workloads stays apart.
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

// changesWorkload says whether a remedy is of no use to the pods of other workloads.
func changesWorkload(r finding.Remedy) bool {
	_, resizes := r.Change.(change.ResizeGroup)
	return !resizes
}

// mergeClasses describes the first of classes again, with the pods of all of them waiting.
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
