package diagnosis

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// RootRemedies are the remedies of a root cause, followed by those of what does not run because of it.
func RootRemedies(ctx context.Context, q query.Query, cause RootCause) []finding.Remedy {
	remedies := Remedies(ctx, q, cause.Explanations)
	for _, group := range Causes(cause.Dependents) {
		for _, r := range Remedies(ctx, q, group) {
			if !slices.ContainsFunc(remedies, func(has finding.Remedy) bool { return has.Command == r.Command && has.Message.Equal(r.Message) }) {
				remedies = append(remedies, r)
			}
		}
	}
	return remedies
}

// Remedies are the remedies of explanations with one cause: those of the first, each with whether it is enough for all.
func Remedies(ctx context.Context, q query.Query, cause []finding.Explanation) []finding.Remedy {
	first := cause[0]
	remedies := slices.Clone(first.Remedies)
	for _, f := range first.Findings {
		if f.Message.Equal(first.Summary) {
			remedies = append(remedies, f.Remedies...)
		}
	}
	var concerned []change.Ref
	for _, e := range cause {
		concerned = append(append(concerned, e.Subject), e.Alike...)
	}
	return verifyForAll(ctx, q, remedies, first.Subject, concerned)
}

// verifyForAll marks remedies that were found for one Pending pod as verified only if they are enough for all of them.
func verifyForAll(ctx context.Context, q query.Query, remedies []finding.Remedy, one change.Ref, concerned []change.Ref) []finding.Remedy {
	var waiting []*corev1.Pod
	for _, ref := range concerned {
		if pod, ok := q.World.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name).(*corev1.Pod); ok && facts.WaitsForNode(pod) {
			waiting = append(waiting, pod)
		}
	}
	if len(concerned) < 2 || len(waiting) < 2 {
		return remedies
	}
	var all []finding.Remedy
	for _, r := range remedies {
		if r.Verified && len(q.Verify(ctx, []query.ProposedRemedy{{Remedy: r}}, waiting...)) == 0 {
			r.Verified = false
			r.Message = message.Sequence(r.Message, sentence.RemedyForOne(one))
		}
		all = append(all, r)
	}
	return all
}
