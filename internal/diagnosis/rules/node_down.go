package rules

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// NodeDown finds N201: a node that is down, what waits for it, and until when.
type NodeDown struct{}

var _ query.Rule = NodeDown{}

// Codes of NodeDown.
func (NodeDown) Codes() []finding.Code { return []finding.Code{finding.N201} }

// RequiredKinds of NodeDown.
func (NodeDown) RequiredKinds() []cluster.Kind { return []cluster.Kind{cluster.Node, cluster.Pod} }

// Applies to everything but pods that wait for a node.
func (NodeDown) Applies(q query.Query) bool { return query.BeyondScheduling(q) }

// bootTime is how long a new node may take until it is Ready for the first time.
const bootTime = 10 * time.Minute

// Find examines each node that is not Ready.
func (NodeDown) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(cluster.Node, cluster.Pod) {
		return nil
	}
	var down []downNode
	for _, node := range q.World.Nodes() {
		if kube.IsNodeReady(node) {
			continue
		}
		d := newDownNode(q.World, node)
		if len(d.groups) == 0 && q.World.Taken().Sub(node.CreationTimestamp.Time) < bootTime {
			continue
		}
		down = append(down, d)
	}
	if len(describeDown(q, down)) == 0 {
		return nil
	}
	forecastAddresses(ctx, q, down)
	return describeDown(q, down)
}

// describeDown are the findings of nodes that are down, as far as they are about the subject.
func describeDown(q query.Query, down []downNode) []finding.Finding {
	var found []finding.Finding
	for _, d := range down {
		found = append(found, d.describe(q))
	}
	return q.AboutSubject(found)
}

// downNode is a node that is down, with the pods that are affected.
type downNode struct {
	node   *corev1.Node
	groups []downPods
	// addresses are pods whose replacements will wait for an address; none if that is not known.
	addresses []addressWait
}

// downPods are pods with the same outcome.
type downPods struct {
	outcome message.ID
	// leavesAt is when the pods are deleted; zero if they are already, never will be, or the time is unknown.
	leavesAt time.Time
	pods     []*corev1.Pod
}

// outcomeOrder is the order in which the outcomes of pods are listed.
var outcomeOrder = []message.ID{
	message.DownOverdue, message.DownTerminating, message.DownStateful, message.DownAttached, message.DownMoves, message.DownForgotten, message.DownStays, message.DownUntold,
}

func newDownNode(world *cluster.Snapshot, node *corev1.Node) downNode {
	d := downNode{node: node}
	for _, pod := range world.PodsOn(node.Name) {
		if cluster.Ended(pod) || cluster.IsMirror(pod) || facts.ControlledBy(pod, cluster.DaemonSet) {
			continue
		}
		fate, at := podOutcome(world, node, pod)
		i := slices.IndexFunc(d.groups, func(w downPods) bool { return w.outcome == fate && w.leavesAt.Equal(at) })
		if i < 0 {
			i = len(d.groups)
			d.groups = append(d.groups, downPods{outcome: fate, leavesAt: at})
		}
		d.groups[i].pods = append(d.groups[i].pods, pod)
	}
	slices.SortStableFunc(d.groups, func(a, b downPods) int {
		if c := slices.Index(outcomeOrder, a.outcome) - slices.Index(outcomeOrder, b.outcome); c != 0 {
			return c
		}
		return a.leavesAt.Compare(b.leavesAt)
	})
	return d
}

// deletionTimeout is how much later than due a pod may be deleted before the deleting controller must be down: taint eviction acts
// at once, and pods on nodes that are out of service are collected every 20 seconds (pkg/controller/tainteviction, podgc). For
// thousands of pods, this takes minutes.
const deletionTimeout = 5 * time.Minute

// podOutcome is the outcome of a pod on a node that is down. A pod stays Terminating until the node's kubelet confirms its end or
// the Node object is deleted; a ReplicaSet or Job does not wait for that, but a StatefulSet does, and so does a single-attach
// volume.
//
// Sources: pkg/controller/replicaset and job (deleted pods do not count), statefulset (a pod's name is taken as long as
// it exists), volume/attachdetach (a deleted pod whose containers are not known to have ended still uses its volume).
func podOutcome(world *cluster.Snapshot, node *corev1.Node, pod *corev1.Pod) (message.ID, time.Time) {
	late := world.Taken().Add(-deletionTimeout)
	if gone := pod.DeletionTimestamp; gone != nil {
		if kube.IsOutOfService(node) && len(pod.Finalizers) == 0 && gone.Time.Before(late) {
			return message.DownOverdue, gone.Time
		}
		return message.DownTerminating, time.Time{}
	}
	at, when := evictionTimeOf(node, pod)
	switch {
	case when == evictionKnown && at.Before(late):
		return message.DownOverdue, at
	case when == evictionNever:
		return message.DownStays, time.Time{}
	case when == evictionUnknown:
		return message.DownUntold, time.Time{}
	case facts.ControlledBy(pod, cluster.StatefulSet):
		return message.DownStateful, at
	case len(pod.OwnerReferences) == 0:
		return message.DownForgotten, at
	case len(facts.SingleNodeMounts(world, pod)) > 0:
		return message.DownAttached, at
	default:
		return message.DownMoves, at
	}
}

// evictionTime says whether the time of an eviction is known.
type evictionTime int

const (
	evictionKnown   evictionTime = iota
	evictionUnknown              // the node has no taint yet that would evict the pod
	evictionNever                // the pod tolerates the taints without a limit
)

// evictionTimeOf is when the taints of a node evict the pod.
//
// Source: pkg/controller/tainteviction, getMinTolerationTime; the wait begins when the controller sees the taint.
func evictionTimeOf(node *corev1.Node, pod *corev1.Pod) (time.Time, evictionTime) {
	verdict, earliest := evictionUnknown, time.Time{}
	for _, taint := range node.Spec.Taints {
		if taint.Effect != corev1.TaintEffectNoExecute || taint.TimeAdded == nil {
			continue
		}
		wait, forever := toleratedFor(pod, taint)
		if forever {
			if verdict == evictionUnknown {
				verdict = evictionNever
			}
			continue
		}
		if at := taint.TimeAdded.Add(wait); verdict != evictionKnown || at.Before(earliest) {
			verdict, earliest = evictionKnown, at
		}
	}
	return earliest, verdict
}

// toleratedFor is how long a pod tolerates a NoExecute taint: not at all, some seconds, or without a limit.
func toleratedFor(pod *corev1.Pod, taint corev1.Taint) (wait time.Duration, forever bool) {
	tolerated, bounded := false, false
	for i := range pod.Spec.Tolerations {
		t := &pod.Spec.Tolerations[i]
		one := corev1.Pod{Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{*t}}}
		if !kube.Tolerates(one.Spec.Tolerations, &taint) {
			continue
		}
		tolerated = true
		if t.TolerationSeconds != nil {
			seconds := time.Duration(max(*t.TolerationSeconds, 0)) * time.Second
			if !bounded || seconds < wait {
				wait, bounded = seconds, true
			}
		}
	}
	return wait, tolerated && !bounded
}

func (d downNode) describe(q query.Query) finding.Finding {
	ref := facts.RefTo(cluster.Node, d.node)
	ready, _ := facts.Readiness(d.node)
	f := finding.Finding{Code: finding.N201, Severity: finding.Warning, Subjects: []change.Ref{ref}}
	var parts message.List
	for _, w := range d.groups {
		f.Severity = finding.Critical
		parts = append(parts, w.part(q))
		for _, pod := range w.pods {
			f.Subjects = append(f.Subjects, facts.RefTo(cluster.Pod, pod))
		}
	}
	if n := d.withoutAddress(); n > 0 {
		parts = append(parts, sentence.DownAddressPart(n))
	}
	f.Message = sentence.NodeDown(ref, parts)
	f.Causes = slices.Concat([]finding.Link{d.readyLink(q, ready)}, d.outcomeLinks(q), d.addressLinks(q))
	f.Unknown = []finding.Gap{{About: ref.String(), Message: sentence.UnknownMachine(ref)}}
	if len(d.groups) > 0 && d.groups[0].outcome != message.DownOverdue {
		f.Remedies = proposeOutOfService(d.node)
	}
	return f
}

// part counts the pods, for the message about their node.
func (w downPods) part(q query.Query) message.Sentence {
	n, at := len(w.pods), formatOrNone(q, w.leavesAt)
	switch w.outcome {
	case message.DownOverdue:
		return sentence.DownOverduePart(n)
	case message.DownTerminating:
		return sentence.DownTerminatingPart(n)
	case message.DownStateful:
		return sentence.DownStatefulPart(n)
	case message.DownAttached:
		return sentence.DownAttachedPart(n, at)
	case message.DownMoves:
		return sentence.DownMovesPart(n, at)
	case message.DownForgotten:
		return sentence.DownForgottenPart(n, at)
	case message.DownStays:
		return sentence.DownStaysPart(n)
	default:
		return sentence.DownUntoldPart(n)
	}
}

// link is the link about the outcome of the pods.
func (w downPods) link(q query.Query, pods message.List) message.Sentence {
	at := formatOrNone(q, w.leavesAt)
	switch w.outcome {
	case message.DownOverdue:
		return sentence.DownOverdue(at, pods)
	case message.DownTerminating:
		return sentence.DownTerminating(pods)
	case message.DownStateful:
		return sentence.DownStateful(at, pods)
	case message.DownAttached:
		return sentence.DownAttached(at, pods)
	case message.DownMoves:
		return sentence.DownMoves(at, pods)
	case message.DownForgotten:
		return sentence.DownForgotten(at, pods)
	case message.DownStays:
		return sentence.DownStays(pods)
	default:
		return sentence.DownUntold(pods)
	}
}

func formatOrNone(q query.Query, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return q.FormatTime(t)
}

// readyLink is what is known about the node's failure: its condition, and when it last renewed its Lease.
func (d downNode) readyLink(q query.Query, ready corev1.NodeCondition) finding.Link {
	ref := facts.RefTo(cluster.Node, d.node)
	why := sentence.CauseNodeSilent(ref)
	if ready.Status == corev1.ConditionFalse {
		why = sentence.CauseNodeNotReady(ref, ready.Message)
	}
	link := finding.Link{
		Message: why,
		Evidence: []finding.Evidence{
			facts.EvidenceSince(ref, "status.conditions[Ready]", string(ready.Status)+" "+ready.Reason, ready.LastTransitionTime),
		},
	}
	if lease := q.World.Lease(corev1.NamespaceNodeLease, d.node.Name); lease != nil && lease.Spec.RenewTime != nil {
		link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.Lease, lease), "spec.renewTime", lease.Spec.RenewTime.UTC().Format(metav1.RFC3339Micro)))
	}
	for _, taint := range d.node.Spec.Taints {
		if taint.Effect == corev1.TaintEffectNoExecute && taint.TimeAdded != nil {
			link.Evidence = append(link.Evidence, facts.EvidenceSince(ref, "spec.taints", taint.ToString(), *taint.TimeAdded))
		}
	}
	return link
}

func (d downNode) outcomeLinks(q query.Query) []finding.Link {
	var links []finding.Link
	for _, w := range d.groups {
		refs := make([]change.Ref, 0, len(w.pods))
		for _, pod := range w.pods {
			refs = append(refs, facts.RefTo(cluster.Pod, pod))
		}
		link := finding.Link{Message: w.link(q, q.Enumerate(refs))}
		for _, pod := range w.pods[:min(len(w.pods), query.MaxListed)] {
			link.Evidence = append(link.Evidence, waitEvidence(q.World, d.node, pod)...)
		}
		links = append(links, link)
	}
	return links
}

// waitEvidence are the fields that determine how long a pod waits on a node that is down.
func waitEvidence(world *cluster.Snapshot, node *corev1.Node, pod *corev1.Pod) []finding.Evidence {
	ref := facts.RefTo(cluster.Pod, pod)
	if pod.DeletionTimestamp != nil {
		return []finding.Evidence{facts.EvidenceSince(ref, "metadata.deletionTimestamp", pod.DeletionTimestamp.UTC().Format(time.RFC3339), *pod.DeletionTimestamp)}
	}
	_, taint := facts.Readiness(node)
	evidence := []finding.Evidence{facts.TolerationEvidence(pod, taint)}
	if attached := facts.SingleNodeMounts(world, pod); len(attached) > 0 {
		evidence = append(evidence, facts.MountEvidence(pod, attached[0].Source))
	}
	return evidence
}

// proposeOutOfService proposes the out-of-service taint, which releases the pods and volumes of a node that is off.
func proposeOutOfService(node *corev1.Node) []finding.Remedy {
	if kube.IsOutOfService(node) {
		return nil
	}
	tainted := change.Taint{Node: node.Name, Taint: kube.OutOfServiceTaint}

	return []finding.Remedy{{
		Message: sentence.RemedyOutOfService(tainted.Subject()),
		Change:  tainted,
		Command: tainted.Command(),
		Cost:    sentence.RemedyOutOfServiceCost(change.Untaint(tainted).Command(), tainted.Subject()),
		Risk:    sentence.RemedyOutOfServiceRisk(),
	}}
}
