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
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

// StuckTerminating finds N205: pods that were deleted and do not go, those of a StatefulSet that no other can replace
// above all, and what would make it safe to release them.
type StuckTerminating struct{}

var _ query.Rule = StuckTerminating{}

// Codes of StuckTerminating.
func (StuckTerminating) Codes() []finding.Code { return []finding.Code{finding.N205} }

// RequiredKinds of StuckTerminating.
func (StuckTerminating) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.Node}
}

// Applies to everything but pods that wait for a node.
func (StuckTerminating) Applies(q query.Query) bool { return query.BeyondScheduling(q) }

// Find takes together what is stuck on one node for one reason.
func (StuckTerminating) Find(_ context.Context, q query.Query) []finding.Finding {
	if !q.Known(cluster.Pod, cluster.Node) {
		return nil
	}
	var all []stuckPods
	for _, pod := range q.World.Pods() {
		if pod.DeletionTimestamp == nil || q.World.Taken().Sub(pod.DeletionTimestamp.Time) < status.Overdue {
			continue
		}
		if pod.Spec.NodeName == "" && len(pod.Finalizers) == 0 {
			continue // Nothing holds it: it goes with the request that deletes it.
		}
		if facts.ControlledBy(pod, cluster.DaemonSet) && query.NodeUnavailable(q.World, pod.Spec.NodeName) {
			continue // It belongs to its node and keeps nothing from running elsewhere.
		}
		held := stuckReason(q.World, pod)
		i := slices.IndexFunc(all, func(s stuckPods) bool { return s.node == pod.Spec.NodeName && s.reason == held })
		if i < 0 {
			i = len(all)
			all = append(all, stuckPods{node: pod.Spec.NodeName, reason: held})
		}
		all[i].pods = append(all[i].pods, pod)
	}
	var found []finding.Finding
	for _, s := range all {
		found = append(found, s.describe(q))
	}
	return q.AboutSubject(found)
}

// stuckPods are deleted pods of one node that one thing holds.
type stuckPods struct {
	node   string
	reason message.ID
	pods   []*corev1.Pod
}

// stuckReason is why a deleted pod is still there.
func stuckReason(world *cluster.Snapshot, pod *corev1.Pod) message.ID {
	switch {
	case len(pod.Finalizers) > 0 && !facts.HasRunning(pod):
		return message.StuckFinalizer // The kubelet has done its part.
	case world.Node(pod.Spec.NodeName) == nil:
		return message.StuckNodeGone
	case query.NodeUnavailable(world, pod.Spec.NodeName):
		return message.StuckNodeDown
	default:
		return message.StuckKubelet
	}
}

func (s stuckPods) describe(q query.Query) finding.Finding {
	node := change.Ref{Kind: string(cluster.Node), Name: s.node}
	f := finding.Finding{Code: finding.N205, Severity: finding.Info, Subjects: []change.Ref{node}}
	var refs, blocked []change.Ref
	var stateful, attached []*corev1.Pod
	for _, pod := range s.pods {
		refs = append(refs, facts.RefTo(cluster.Pod, pod))
		if facts.ControlledBy(pod, cluster.StatefulSet) {
			stateful = append(stateful, pod)
			blocked = append(blocked, facts.WorkloadRef(q.World, pod))
		}
		if len(waitingFor(q.World, pod)) > 0 {
			attached = append(attached, pod)
		}
	}
	f.Subjects = append(append(f.Subjects, refs...), facts.UniqueRefs(blocked)...)
	owners := ownersWaiting(q, s.pods)
	switch {
	case len(stateful)+len(attached) > 0:
		f.Severity = finding.Critical
	case len(owners) > 0:
		f.Severity = finding.Warning
	}
	args := message.Args{"pods": q.Enumerate(refs), "n": len(refs), "node": node, "blocked": q.Enumerate(facts.UniqueRefs(blocked))}
	f.Message = q.Say.Text(message.StuckTerminating, args)
	f.Causes = append(f.Causes, s.deletedLink(q, args), s.heldLink(q, args))
	f.Causes = append(append(f.Causes, owners...), s.blockedLinks(q, stateful, attached, len(owners) > 0, args)...)
	if s.reason == message.StuckNodeDown {
		down := q.World.Node(s.node)
		f.Remedies = append(proposeOutOfService(q, down), s.proposeForceDelete(q, down)...)
		f.Unknown = []finding.Gap{{About: node.String(), Message: q.Say.Text(message.UnknownMachine, args)}}
	}
	if s.reason == message.StuckKubelet && !slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool { return status.HeldByPreStop(q, p) }) {
		f.Unknown = []finding.Gap{{About: node.String(), Message: q.Say.Text(message.UnknownKubelet, args)}}
	}
	return f
}

func (s stuckPods) deletedLink(q query.Query, args message.Args) finding.Link {
	link := finding.Link{Message: q.Say.Text(message.CauseDeleted, args)}
	for _, pod := range s.pods[:min(len(s.pods), query.MaxListed)] {
		ref := facts.RefTo(cluster.Pod, pod)
		link.Evidence = append(link.Evidence, facts.EvidenceSince(ref, "metadata.deletionTimestamp",
			pod.DeletionTimestamp.UTC().Format(time.RFC3339), *pod.DeletionTimestamp))
		if c := kube.PodCondition(pod, corev1.DisruptionTarget); c != nil && c.Status == corev1.ConditionTrue {
			link.Evidence = append(link.Evidence, facts.EvidenceSince(ref, "status.conditions[DisruptionTarget]", c.Reason, c.LastTransitionTime))
		}
	}
	return link
}

func (s stuckPods) heldLink(q query.Query, args message.Args) finding.Link {
	link := finding.Link{Message: q.Say.Text(s.reason, args)}
	switch s.reason {
	case message.StuckFinalizer:
		for _, pod := range s.pods[:min(len(s.pods), query.MaxListed)] {
			link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.Pod, pod), "metadata.finalizers", strings.Join(pod.Finalizers, ", ")))
		}
	case message.StuckNodeDown, message.StuckKubelet:
		node := q.World.Node(s.node)
		ready, _ := facts.Readiness(node)
		link.Evidence = append(link.Evidence, facts.EvidenceSince(facts.RefTo(cluster.Node, node), "status.conditions[Ready]",
			strings.TrimSpace(string(ready.Status)+" "+ready.Reason), ready.LastTransitionTime))
	case message.StuckNodeGone:
		link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.Pod, s.pods[0]), "spec.nodeName", s.node))
	}
	return link
}

// blockedLinks say whom the stuck pods hold up, beside their owners.
func (s stuckPods) blockedLinks(q query.Query, stateful, attached []*corev1.Pod, owned bool, args message.Args) []finding.Link {
	var links []finding.Link
	if len(stateful) > 0 {
		link := finding.Link{Message: q.Say.Text(message.CauseStatefulBlocked, args)}
		for _, pod := range stateful[:min(len(stateful), query.MaxListed)] {
			link.Evidence = append(link.Evidence, facts.OwnerEvidence(facts.RefTo(cluster.Pod, pod), pod))
		}
		links = append(links, link)
	}
	for _, pod := range attached[:min(len(attached), query.MaxListed)] {
		waits := waitingFor(q.World, pod)
		links = append(links, finding.Link{
			Message: q.Say.Text(message.CauseVolumeHeld, message.Args{"pod": facts.RefTo(cluster.Pod, pod), "waits": q.Enumerate(waits), "n": len(waits)}),
			Evidence: []finding.Evidence{
				facts.MountEvidence(pod, facts.SingleNodeMounts(q.World, pod)[0].Source),
			},
		})
	}
	if len(links) == 0 && !owned {
		links = append(links, finding.Link{Message: q.Say.Text(message.CauseNobodyBlocked, args)})
	}
	return links
}

// waitingFor are pods that cannot start before another gives up a volume that one node at a time may attach.
func waitingFor(world *cluster.Snapshot, pod *corev1.Pod) []change.Ref {
	var refs []change.Ref
	for _, m := range facts.SingleNodeMounts(world, pod) {
		for _, other := range world.PodsUsing(pod.Namespace, m.Claim.Name) {
			if facts.IsActive(other) && other.Spec.NodeName != pod.Spec.NodeName && other.Status.Phase == corev1.PodPending {
				refs = append(refs, facts.RefTo(cluster.Pod, other))
			}
		}
	}
	return facts.UniqueRefs(refs)
}

// proposeForceDelete deletes one pod's object. It is offered only where no volume is at stake: the API server would forget a pod that
// may still write.
func (s stuckPods) proposeForceDelete(q query.Query, node *corev1.Node) []finding.Remedy {
	if query.IsOutOfService(node) || slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool { return len(facts.SingleNodeMounts(q.World, p)) > 0 }) {
		return nil
	}
	i := max(slices.IndexFunc(s.pods, func(p *corev1.Pod) bool { return facts.ControlledBy(p, cluster.StatefulSet) }), 0)
	deleted := change.DeletePod{Namespace: s.pods[i].Namespace, Name: s.pods[i].Name, Force: true}
	args := message.Args{"pod": deleted.Subject(), "node": facts.RefTo(cluster.Node, node)}
	return []finding.Remedy{{
		Message: q.Say.Text(message.RemedyForceDelete, args), Change: deleted, Command: deleted.Command(),
		Cost: q.Say.Text(message.RemedyForceDeleteCost, args), Risk: q.Say.Text(message.RemedyForceDeleteRisk, args),
	}}
}
