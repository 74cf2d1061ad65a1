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

// Explain explains the state of the Query's subject, an object of its world.
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

// explainWaiting explains why a pod that waits for the scheduler has no node.
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

// explainStatus explains the state of an object that does not wait for the scheduler, and its risks.
func explainStatus(ctx context.Context, q query.Query) finding.Explanation {
	s := status.Of(ctx, q)
	if s.Severity == finding.Critical || s.Severity == finding.Warning {
		q.PresentOnly = true // Risks are reported only for objects without a present problem.
	}
	findings, unknown := find(ctx, rulesFor(q), q)
	s.Findings, s.Unknown = status.AppendFindings(s.Findings, findings), append(s.Unknown, unknown...)
	if q.Subject.Namespace == "" { // It may be used by any namespace.
		s.Unknown = append(q.PartialGaps(), s.Unknown...)
	}
	s.Unknown = query.UniqueGaps(s.Unknown)
	s.NotModelled = query.UniqueGaps(s.NotModelled)
	for _, f := range findings {
		// A rule's finding about the problem is more complete than the subject's own state.
		if s.Severity == finding.Critical && f.Severity == finding.Critical {
			s.Summary = f.Message
			break
		}
	}
	return s.Explanation
}
