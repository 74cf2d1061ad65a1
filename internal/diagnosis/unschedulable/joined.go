package unschedulable

import (
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// joined are the findings about classes of pods, in their order, those as one that say the same of different pods: the ways out
// are then asked for again, for all of them. What is mended at the workloads stays apart.
func joined(ctx context.Context, v query.View, found []finding.Finding, about []*waitingClass) []finding.Finding {
	var all []finding.Finding
	of := map[string][]int{}
	for i, f := range found {
		if key := f.Nameless(); !slices.ContainsFunc(f.Remedies, atWorkload) {
			of[key] = append(of[key], i)
		}
	}
	for i, f := range found {
		same := of[f.Nameless()]
		switch {
		case slices.ContainsFunc(f.Remedies, atWorkload), len(same) == 1:
			all = append(all, f)
		case same[0] == i:
			all = append(all, join(ctx, v, f, same, found, about))
		}
	}
	return all
}

// atWorkload says whether a remedy is of no use to the pods of other workloads.
func atWorkload(r finding.Remedy) bool {
	_, resizes := r.Change.(change.ResizeGroup)
	return !resizes
}

// join describes the first of classes again, with the pods of all of them waiting.
func join(ctx context.Context, v query.View, first finding.Finding, same []int, found []finding.Finding, about []*waitingClass) finding.Finding {
	c := *about[same[0]]
	c.pods = nil
	var subjects []change.Ref
	for _, i := range same {
		c.pods = append(c.pods, about[i].pods...)
		subjects = append(subjects, found[i].Subjects...)
	}
	f, ok := describeUnplaced(ctx, v, &c)
	if !ok {
		f = first
	}
	f.Subjects = subjects
	f.Message += " " + v.Say.Text(message.AuditAlike, message.Args{"n": len(same) - 1})
	return f
}
