package diagnosis

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// defaultScheduler is the name of kube-scheduler's default profile (k8s.io/api/core/v1 DefaultSchedulerName).
const defaultScheduler = corev1.DefaultSchedulerName

// Explain says why the View's subject, a thing of its world, is as it is.
func Explain(ctx context.Context, v View) finding.Explanation {
	v = v.remembering()
	v.whole = Explain
	if pod := v.pod(); pod != nil && waitsForNode(pod) && !schedulerMissing(v, pod) {
		return complete(explainWaiting(ctx, v, pod))
	}
	return complete(explainStatus(ctx, v))
}

// explainWaiting says why a pod that is in the scheduler's hands has no node.
func explainWaiting(ctx context.Context, v View, pod *corev1.Pod) finding.Explanation {
	e := finding.Explanation{
		Subject: refTo(cluster.Pod, pod), State: podState(pod), Severity: finding.Critical, Summary: podSummary(v, pod),
		NotModelled: v.basis(pod),
	}
	e.Findings, e.Unknown = find(ctx, Rules(), v)
	d, err := v.ask(ctx, pod)
	if err != nil {
		e.Unknown = append(e.Unknown, finding.Gap{About: "scheduling", Message: v.Say.Text(message.JudgeFailed, message.Args{"why": err.Error()})})
	}
	switch {
	case len(e.Findings) > 0:
		e.Summary = e.Findings[0].Message
	case d != nil && d.runs() && podCondition(pod, corev1.PodScheduled) != nil && v.sure(pod):
		e.Summary = v.Say.Text(message.UnplacedFits, message.Args{"pod": e.Subject, "nodes": v.some(refsOf(d.open))})
	}
	return e
}

func pendingSummary(pod *corev1.Pod, say func(message.ID, ...any) string) string {
	scheduled := podCondition(pod, corev1.PodScheduled)
	switch {
	case len(pod.Spec.SchedulingGates) > 0:
		var gates []string
		for _, gate := range pod.Spec.SchedulingGates {
			gates = append(gates, gate.Name)
		}
		return say(message.PodGated, "gates", gates)
	case scheduled == nil:
		return say(message.PodUnseen, "scheduler", pod.Spec.SchedulerName)
	case pod.Status.NominatedNodeName != "":
		return say(message.PodNominated, "node", change.Ref{Kind: string(cluster.Node), Name: pod.Status.NominatedNodeName})
	default:
		return say(message.PodPending, "why", scheduled.Message)
	}
}
