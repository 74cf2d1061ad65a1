package diagnosis

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// Explain says why the View's subject, a thing of its world, is as it is.
func Explain(ctx context.Context, v query.View) finding.Explanation {
	v = v.Remembering()
	v.Whole = Explain
	pod := v.Pod()
	if pod == nil {
		return query.Complete(explainStatus(ctx, v))
	}
	var e finding.Explanation
	_, withoutDevices := v.DevicesMissing(pod)
	if facts.WaitsForNode(pod) && !status.SchedulerMissing(v, pod) && !withoutDevices {
		e = explainWaiting(ctx, v, pod)
	} else {
		e = explainStatus(ctx, v)
	}
	return query.Complete(status.OldRevision(ctx, v, pod, e))
}

// explainWaiting says why a pod that is in the scheduler's hands has no node.
func explainWaiting(ctx context.Context, v query.View, pod *corev1.Pod) finding.Explanation {
	e := finding.Explanation{
		Subject: facts.RefTo(cluster.Pod, pod), State: status.PodState(pod), Severity: finding.Critical, Summary: status.PodSummary(v, pod),
		NotModelled: v.Basis(pod),
	}
	e.Findings, e.Unknown = find(ctx, Rules(), v)
	d, err := v.Ask(ctx, pod)
	if err != nil {
		e.Unknown = append(e.Unknown, finding.Gap{About: "scheduling", Message: v.Say.Text(message.JudgeFailed, message.Args{"why": err.Error()})})
	}
	switch {
	case len(e.Findings) > 0:
		e.Summary = e.Findings[0].Message
	case d != nil && d.Runs() && facts.PodCondition(pod, corev1.PodScheduled) != nil && v.Sure(pod):
		e.Summary = v.Say.Text(message.UnplacedFits, message.Args{"pod": e.Subject, "nodes": v.Some(query.RefsOf(d.Open))})
	}
	return e
}

// explainStatus says why a thing that is not waiting for the scheduler is as it is, and what threatens it.
func explainStatus(ctx context.Context, v query.View) finding.Explanation {
	s := status.Of(ctx, v)
	if s.Severity == finding.Critical {
		v.Now = true // What threatens a thing is told of one that is well.
	}
	findings, unknown := find(ctx, rulesFor(v), v)
	s.Findings, s.Unknown = status.AppendFindings(s.Findings, findings), append(s.Unknown, unknown...)
	if v.Subject.Namespace == "" { // It may serve any namespace.
		s.Unknown = append(v.InPart(), s.Unknown...)
	}
	s.Unknown = query.UniqueGaps(s.Unknown)
	s.NotModelled = query.UniqueGaps(s.NotModelled)
	for _, f := range findings {
		// What a rule knows of trouble there is reaches further than the subject's own state.
		if s.Severity == finding.Critical && f.Severity == finding.Critical {
			s.Summary = f.Message
			break
		}
	}
	return s.Explanation
}
