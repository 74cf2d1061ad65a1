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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// StuckTerminating finds N205: deleted pods that do not terminate, in particular those of a StatefulSet, which are not replaced until
// then, and when it is safe to release them.
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

// Find combines pods that are stuck on one node for the same reason.
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
			continue // Nothing keeps it: the request to delete it removes it at once.
		}
		if facts.ControlledBy(pod, cluster.DaemonSet) && query.NodeUnavailable(q.World, pod.Spec.NodeName) {
			continue // It belongs to its node and blocks nothing elsewhere.
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

// stuckPods are deleted pods of one node that are stuck for the same reason.
type stuckPods struct {
	node   string
	reason message.ID
	pods   []*corev1.Pod
}

// stuckReason is why a deleted pod still exists.
func stuckReason(world *cluster.Snapshot, pod *corev1.Pod) message.ID {
	switch {
	case len(pod.Finalizers) > 0 && !facts.HasRunning(pod):
		return message.StuckFinalizer // The kubelet has confirmed the end.
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
	held := q.Enumerate(facts.UniqueRefs(blocked))
	f.Message = sentence.StuckTerminating(q.Enumerate(refs), len(refs), node, held)
	f.Causes = append(f.Causes, s.deletedLink(), s.heldLink(q, node))
	f.Causes = append(append(f.Causes, owners...), s.blockedLinks(q, stateful, attached, len(owners) > 0, held)...)
	if s.reason == message.StuckNodeDown {
		down := q.World.Node(s.node)
		f.Remedies = append(proposeOutOfService(down), s.proposeForceDelete(q, down)...)
		f.Unknown = []finding.Gap{{About: node.String(), Message: sentence.UnknownMachine(node)}}
	}
	if s.reason == message.StuckKubelet && !slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool { return status.HeldByPreStop(q, p) }) {
		f.Unknown = []finding.Gap{{About: node.String(), Message: sentence.UnknownKubelet(node)}}
	}
	return f
}

func (s stuckPods) deletedLink() finding.Link {
	link := finding.Link{Message: sentence.CauseDeleted(len(s.pods))}
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

func (s stuckPods) heldLink(q query.Query, on change.Ref) finding.Link {
	var link finding.Link
	switch s.reason {
	case message.StuckFinalizer:
		link.Message = sentence.StuckFinalizer()
		for _, pod := range s.pods[:min(len(s.pods), query.MaxListed)] {
			link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.Pod, pod), "metadata.finalizers", strings.Join(pod.Finalizers, ", ")))
		}
	case message.StuckNodeDown, message.StuckKubelet:
		link.Message = sentence.StuckNodeDown(on)
		if s.reason == message.StuckKubelet {
			link.Message = sentence.StuckKubelet(on)
		}
		node := q.World.Node(s.node)
		ready, _ := facts.Readiness(node)
		link.Evidence = append(link.Evidence, facts.EvidenceSince(facts.RefTo(cluster.Node, node), "status.conditions[Ready]",
			strings.TrimSpace(string(ready.Status)+" "+ready.Reason), ready.LastTransitionTime))
	case message.StuckNodeGone:
		link.Message = sentence.StuckNodeGone(on)
		link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.Pod, s.pods[0]), "spec.nodeName", s.node))
	}
	return link
}

// blockedLinks name what the stuck pods block, besides their owners.
func (s stuckPods) blockedLinks(q query.Query, stateful, attached []*corev1.Pod, owned bool, blocked message.List) []finding.Link {
	var links []finding.Link
	if len(stateful) > 0 {
		link := finding.Link{Message: sentence.CauseStatefulBlocked(blocked)}
		for _, pod := range stateful[:min(len(stateful), query.MaxListed)] {
			link.Evidence = append(link.Evidence, facts.OwnerEvidence(facts.RefTo(cluster.Pod, pod), pod))
		}
		links = append(links, link)
	}
	for _, pod := range attached[:min(len(attached), query.MaxListed)] {
		waits := waitingFor(q.World, pod)
		links = append(links, finding.Link{
			Message: sentence.CauseVolumeHeld(q.Enumerate(waits), len(waits), facts.RefTo(cluster.Pod, pod)),
			Evidence: []finding.Evidence{
				facts.MountEvidence(pod, facts.SingleNodeMounts(q.World, pod)[0].Source),
			},
		})
	}
	if len(links) == 0 && !owned {
		links = append(links, finding.Link{Message: sentence.CauseNobodyBlocked(len(s.pods))})
	}
	return links
}

// waitingFor are pods that cannot start before another pod releases a single-attach volume.
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

// proposeForceDelete proposes to delete one pod without a grace period. It is proposed only for pods without volumes: the pod may
// still run and write to them.
func (s stuckPods) proposeForceDelete(q query.Query, node *corev1.Node) []finding.Remedy {
	if kube.IsOutOfService(node) || slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool { return len(facts.SingleNodeMounts(q.World, p)) > 0 }) {
		return nil
	}
	i := max(slices.IndexFunc(s.pods, func(p *corev1.Pod) bool { return facts.ControlledBy(p, cluster.StatefulSet) }), 0)
	deleted := change.DeletePod{Namespace: s.pods[i].Namespace, Name: s.pods[i].Name, Force: true}

	return []finding.Remedy{{
		Message: sentence.RemedyForceDelete(facts.RefTo(cluster.Node, node), deleted.Subject()), Change: deleted, Command: deleted.Command(),
		Cost: sentence.RemedyForceDeleteCost(), Risk: sentence.RemedyForceDeleteRisk(),
	}}
}
