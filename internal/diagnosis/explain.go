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
	if pod := v.pod(); pod != nil && waitsForNode(pod) && !schedulerMissing(v, pod) {
		return complete(explainWaiting(ctx, v, pod))
	}
	return complete(explainStatus(ctx, v))
}

// explainWaiting says why a pod that is in the scheduler's hands has no node.
func explainWaiting(ctx context.Context, v View, pod *corev1.Pod) finding.Explanation {
	e := finding.Explanation{Subject: refTo(cluster.Pod, pod), State: podState(pod), Severity: finding.Critical, Summary: podSummary(v, pod)}
	e.NotModelled = notModelled(v, pod)
	e.Findings, e.Unknown = find(ctx, Rules(), v)
	if len(e.Findings) > 0 {
		e.Summary = e.Findings[0].Message
	}
	return e
}

// notModelled is what might hold the pod and is not judged.
func notModelled(v View, pod *corev1.Pod) []finding.Gap {
	about := func(what string, id message.ID, args message.Args) finding.Gap {
		return finding.Gap{About: what, Message: v.Say.Text(id, args)}
	}
	gaps := []finding.Gap{about("scheduling", message.FitNotModelled, nil)}
	if name := pod.Spec.SchedulerName; name != "" && name != defaultScheduler {
		gaps = append(gaps, about("scheduling", message.OtherScheduler, message.Args{"scheduler": name}))
	}
	for _, m := range mounts(v.World, pod) {
		claim := refTo(cluster.PersistentVolumeClaim, m.claim)
		switch {
		case m.tie == tiedToZone:
			if nodes := openNodes(v.World, pod, m); len(nodes) > 0 {
				gaps = append(gaps, about(claim.String(), message.NodesOpen, message.Args{
					"claim": claim, "zones": m.zones, "nodes": refStrings(nodes[:min(len(nodes), mostListed)]),
				}))
			}
		case m.tie == tiedOther:
			volume := refTo(cluster.PersistentVolume, m.volume)
			gaps = append(gaps, about(claim.String(), message.VolumeElsewhere, message.Args{"claim": claim, "volume": volume}))
		case m.tie == tiedUnsure && m.claim.Spec.VolumeName == "":
			gaps = append(gaps, about(claim.String(), message.ClaimUnbound, message.Args{"claim": claim}))
		}
	}
	return gaps
}

// openNodes are those that the mount allows and whose own state leaves them open to the pod.
func openNodes(world *cluster.Snapshot, pod *corev1.Pod, m mount) []change.Ref {
	var refs []change.Ref
	for _, node := range world.Nodes() {
		if open(pod, node, []mount{m}) {
			refs = append(refs, refTo(cluster.Node, node))
		}
	}
	return refs
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
