package rules

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// StuckTerminating finds N205: pods that were deleted and do not go, those of a StatefulSet that no other can replace
// above all, and what would make it safe to release them.
type StuckTerminating struct{}

var _ query.Rule = StuckTerminating{}

// Codes of StuckTerminating.
func (StuckTerminating) Codes() []finding.Code { return []finding.Code{finding.N205} }

// Needs of StuckTerminating.
func (StuckTerminating) Needs() []cluster.Kind { return []cluster.Kind{cluster.Pod, cluster.Node} }

// Concerns everything but pods that wait for a node.
func (StuckTerminating) Concerns(v query.View) bool { return query.AsksForMore(v) }

// Find takes together what is stuck on one node for one reason.
func (StuckTerminating) Find(_ context.Context, v query.View) []finding.Finding {
	if !v.Knows(cluster.Pod, cluster.Node) {
		return nil
	}
	var all []stuckPods
	for _, pod := range v.World.Pods() {
		if pod.DeletionTimestamp == nil || v.World.Taken().Sub(pod.DeletionTimestamp.Time) < status.Overdue {
			continue
		}
		if pod.Spec.NodeName == "" && len(pod.Finalizers) == 0 {
			continue // Nothing holds it: it goes with the request that deletes it.
		}
		if facts.IsOneOf(pod, cluster.DaemonSet) && query.PlaceDown(v.World, pod.Spec.NodeName) {
			continue // It belongs to its node and keeps nothing from running elsewhere.
		}
		held := heldBy(v.World, pod)
		i := slices.IndexFunc(all, func(s stuckPods) bool { return s.node == pod.Spec.NodeName && s.held == held })
		if i < 0 {
			i = len(all)
			all = append(all, stuckPods{node: pod.Spec.NodeName, held: held})
		}
		all[i].pods = append(all[i].pods, pod)
	}
	var found []finding.Finding
	for _, s := range all {
		found = append(found, s.describe(v))
	}
	return v.Concerning(found)
}

// stuckPods are deleted pods of one node that one thing holds.
type stuckPods struct {
	node string
	held message.ID
	pods []*corev1.Pod
}

// heldBy is why a deleted pod is still there.
func heldBy(world *cluster.Snapshot, pod *corev1.Pod) message.ID {
	switch {
	case len(pod.Finalizers) > 0 && !facts.HasRunning(pod):
		return message.StuckFinalizer // The kubelet has done its part.
	case world.Node(pod.Spec.NodeName) == nil:
		return message.StuckNodeGone
	case query.PlaceDown(world, pod.Spec.NodeName):
		return message.StuckNodeDown
	default:
		return message.StuckKubelet
	}
}

func (s stuckPods) describe(v query.View) finding.Finding {
	node := change.Ref{Kind: string(cluster.Node), Name: s.node}
	f := finding.Finding{Code: finding.N205, Severity: finding.Info, Subjects: []change.Ref{node}}
	var refs, blocked []change.Ref
	var stateful, attached []*corev1.Pod
	for _, pod := range s.pods {
		refs = append(refs, facts.RefTo(cluster.Pod, pod))
		if facts.IsOneOf(pod, cluster.StatefulSet) {
			stateful = append(stateful, pod)
			blocked = append(blocked, facts.RefOfWorkload(v.World, pod))
		}
		if len(waitingFor(v.World, pod)) > 0 {
			attached = append(attached, pod)
		}
	}
	f.Subjects = append(append(f.Subjects, refs...), facts.UniqueRefs(blocked)...)
	owners := ownersWaiting(v, s.pods)
	switch {
	case len(stateful)+len(attached) > 0:
		f.Severity = finding.Critical
	case len(owners) > 0:
		f.Severity = finding.Warning
	}
	args := message.Args{"pods": v.Some(refs), "n": len(refs), "node": node, "blocked": v.Some(facts.UniqueRefs(blocked))}
	f.Message = v.Say.Text(message.StuckTerminating, args)
	f.Causes = append(f.Causes, s.deletedLink(v, args), s.heldLink(v, args))
	f.Causes = append(append(f.Causes, owners...), s.blockedLinks(v, stateful, attached, len(owners) > 0, args)...)
	if s.held == message.StuckNodeDown {
		down := v.World.Node(s.node)
		f.Remedies = append(release(v, down), s.force(v, down)...)
		f.Unknown = []finding.Gap{{About: node.String(), Message: v.Say.Text(message.UnknownMachine, args)}}
	}
	if s.held == message.StuckKubelet && !slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool { return status.HookHolds(v, p) }) {
		f.Unknown = []finding.Gap{{About: node.String(), Message: v.Say.Text(message.UnknownKubelet, args)}}
	}
	return f
}

func (s stuckPods) deletedLink(v query.View, args message.Args) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CauseDeleted, args)}
	for _, pod := range s.pods[:min(len(s.pods), query.MostListed)] {
		ref := facts.RefTo(cluster.Pod, pod)
		link.Evidence = append(link.Evidence, facts.FactSince(ref, "metadata.deletionTimestamp",
			pod.DeletionTimestamp.UTC().Format(time.RFC3339), *pod.DeletionTimestamp))
		if c := facts.PodCondition(pod, corev1.DisruptionTarget); c != nil && c.Status == corev1.ConditionTrue {
			link.Evidence = append(link.Evidence, facts.FactSince(ref, "status.conditions[DisruptionTarget]", c.Reason, c.LastTransitionTime))
		}
	}
	return link
}

func (s stuckPods) heldLink(v query.View, args message.Args) finding.Link {
	link := finding.Link{Message: v.Say.Text(s.held, args)}
	switch s.held {
	case message.StuckFinalizer:
		for _, pod := range s.pods[:min(len(s.pods), query.MostListed)] {
			link.Evidence = append(link.Evidence, facts.Fact(facts.RefTo(cluster.Pod, pod), "metadata.finalizers", strings.Join(pod.Finalizers, ", ")))
		}
	case message.StuckNodeDown, message.StuckKubelet:
		node := v.World.Node(s.node)
		ready, _ := facts.Readiness(node)
		link.Evidence = append(link.Evidence, facts.FactSince(facts.RefTo(cluster.Node, node), "status.conditions[Ready]",
			strings.TrimSpace(string(ready.Status)+" "+ready.Reason), ready.LastTransitionTime))
	case message.StuckNodeGone:
		link.Evidence = append(link.Evidence, facts.Fact(facts.RefTo(cluster.Pod, s.pods[0]), "spec.nodeName", s.node))
	}
	return link
}

// blockedLinks say whom the stuck pods hold up, beside their owners.
func (s stuckPods) blockedLinks(v query.View, stateful, attached []*corev1.Pod, owned bool, args message.Args) []finding.Link {
	var links []finding.Link
	if len(stateful) > 0 {
		link := finding.Link{Message: v.Say.Text(message.CauseStatefulBlocked, args)}
		for _, pod := range stateful[:min(len(stateful), query.MostListed)] {
			link.Evidence = append(link.Evidence, facts.OwnerFact(facts.RefTo(cluster.Pod, pod), pod))
		}
		links = append(links, link)
	}
	for _, pod := range attached[:min(len(attached), query.MostListed)] {
		waits := waitingFor(v.World, pod)
		links = append(links, finding.Link{
			Message: v.Say.Text(message.CauseVolumeHeld, message.Args{"pod": facts.RefTo(cluster.Pod, pod), "waits": v.Some(waits), "n": len(waits)}),
			Evidence: []finding.Evidence{
				facts.MountFact(pod, facts.OnceMounts(v.World, pod)[0].Source),
			},
		})
	}
	if len(links) == 0 && !owned {
		links = append(links, finding.Link{Message: v.Say.Text(message.CauseNobodyBlocked, args)})
	}
	return links
}

// waitingFor are pods that cannot start before another gives up a volume that one node at a time may attach.
func waitingFor(world *cluster.Snapshot, pod *corev1.Pod) []change.Ref {
	var refs []change.Ref
	for _, m := range facts.OnceMounts(world, pod) {
		for _, other := range world.PodsUsing(pod.Namespace, m.Claim.Name) {
			if facts.Alive(other) && other.Spec.NodeName != pod.Spec.NodeName && other.Status.Phase == corev1.PodPending {
				refs = append(refs, facts.RefTo(cluster.Pod, other))
			}
		}
	}
	return facts.UniqueRefs(refs)
}

// force deletes one pod's object. It is offered only where no volume is at stake: the API server would forget a pod that
// may still write.
func (s stuckPods) force(v query.View, node *corev1.Node) []finding.Remedy {
	if query.IsOutOfService(node) || slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool { return len(facts.OnceMounts(v.World, p)) > 0 }) {
		return nil
	}
	i := max(slices.IndexFunc(s.pods, func(p *corev1.Pod) bool { return facts.IsOneOf(p, cluster.StatefulSet) }), 0)
	deleted := change.DeletePod{Namespace: s.pods[i].Namespace, Name: s.pods[i].Name, Force: true}
	args := message.Args{"pod": deleted.Subject(), "node": facts.RefTo(cluster.Node, node)}
	return []finding.Remedy{{
		Message: v.Say.Text(message.RemedyForceDelete, args), Change: deleted, Command: deleted.Command(),
		Cost: v.Say.Text(message.RemedyForceDeleteCost, args), Risk: v.Say.Text(message.RemedyForceDeleteRisk, args),
	}}
}
