package diagnosis

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Explain says why the Query's subject, a thing of its world, is as it is.
func Explain(ctx context.Context, q query.Query) finding.Explanation {
	q = q.WithCache()
	q.ExplainFunc = Explain
	pod := q.Pod()
	if pod == nil {
		return query.Complete(explainStatus(ctx, q))
	}
	var e finding.Explanation
	_, withoutDevices := q.MissingResourceClaim(pod)
	if facts.WaitsForNode(pod) && !status.SchedulerMissing(q, pod) && !withoutDevices {
		e = explainWaiting(ctx, q, pod)
	} else {
		e = explainStatus(ctx, q)
	}
	return query.Complete(status.WithOldRevision(ctx, q, pod, e))
}

// explainWaiting says why a pod that is in the scheduler's hands has no node.
func explainWaiting(ctx context.Context, q query.Query, pod *corev1.Pod) finding.Explanation {
	e := finding.Explanation{
		Subject: facts.RefTo(cluster.Pod, pod), State: status.PodState(pod), Severity: finding.Critical, Summary: status.PodSummary(pod),
		NotModelled: q.Basis(pod),
	}
	e.Findings, e.Unknown = find(ctx, Rules(), q)
	d, err := q.VerdictOrError(ctx, pod)
	if err != nil {
		e.Unknown = append(e.Unknown, finding.Gap{About: "scheduling", Message: sentence.JudgeFailed(err.Error())})
	}
	switch {
	case len(e.Findings) > 0:
		e.Summary = e.Findings[0].Message
	case d != nil && d.Schedulable() && kube.PodCondition(pod, corev1.PodScheduled) != nil && q.SchedulingKnown(pod):
		e.Summary = sentence.UnplacedFits(e.Subject, q.Enumerate(query.NodeRefs(d.Feasible)))
	}
	return e
}

// explainStatus says why a thing that is not waiting for the scheduler is as it is, and what threatens it.
func explainStatus(ctx context.Context, q query.Query) finding.Explanation {
	s := status.Of(ctx, q)
	if s.Severity == finding.Critical {
		q.PresentOnly = true // What threatens a thing is told of one that is well.
	}
	findings, unknown := find(ctx, rulesFor(q), q)
	s.Findings, s.Unknown = status.AppendFindings(s.Findings, findings), append(s.Unknown, unknown...)
	if q.Subject.Namespace == "" { // It may serve any namespace.
		s.Unknown = append(q.PartialGaps(), s.Unknown...)
	}
	s.Unknown = query.UniqueGaps(s.Unknown)
	s.NotModelled = query.UniqueGaps(s.NotModelled)
	for _, f := range findings {
		// What a rule knows of problem there is reaches further than the subject's own state.
		if s.Severity == finding.Critical && f.Severity == finding.Critical {
			s.Summary = f.Message
			break
		}
	}
	return s.Explanation
}
