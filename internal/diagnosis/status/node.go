package status

import (
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podrequests "k8s.io/component-helpers/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// leaseDuration is how long a Lease that does not specify it is valid (kubelet's nodeLeaseDurationSeconds).
const leaseDuration = 40 * time.Second

// node explains the state of a node, its effect on pods, and what waits for the node.
func (s *Status) node(node *corev1.Node) {
	ready, _ := facts.Readiness(node)
	pressed := pressureConditions(node)
	switch {
	case ready.Status == corev1.ConditionUnknown && ready.LastTransitionTime.IsZero():
		s.set(nodeState(node), finding.Critical, sentence.NodeNeverReady(s.ref))
	case ready.Status == corev1.ConditionUnknown:
		s.set(nodeState(node), finding.Critical, sentence.NodeSilent(s.ref, s.age(ready.LastTransitionTime), len(s.World.PodsOn(node.Name))))
	case ready.Status == corev1.ConditionFalse:
		s.set(nodeState(node), finding.Critical, sentence.NodeNotReady(s.ref, s.age(ready.LastTransitionTime), ready.Message, ready.Reason))
	case len(pressed) > 0:
		s.set(nodeState(node), finding.Critical, sentence.NodePressed(s.ref, conditionNames(pressed)))
	case node.DeletionTimestamp != nil:
		s.set(nodeState(node), finding.Warning, sentence.NodeLeaving(s.ref, message.ListOf(node.Finalizers)))
	case node.Spec.Unschedulable:
		s.set(nodeState(node), finding.Info, sentence.NodeCordoned(s.ref))
	default:
		s.set(nodeState(node), "", sentence.NodeHealthy(s.ref))
	}
	s.nodeConditions(node, ready)
	if node.DeletionTimestamp != nil {
		s.explainFinalizers(node, sentence.NodeKept(), failoverpolicy.Finalizer)
	}
	s.nodeTaints(node)
	s.awaitedNode(node)
	s.explainNotRemoved(node)
	s.nodeResources(node)
}

// nodeState is the node's state as kubectl get shows it.
func nodeState(node *corev1.Node) string {
	state := "Ready"
	if ready, _ := facts.Readiness(node); ready.Status != corev1.ConditionTrue {
		state = "NotReady"
	}
	if node.Spec.Unschedulable {
		state += ",SchedulingDisabled"
	}
	return state
}

// nodeConditions adds the conditions that report a problem, and since when the node has not responded.
func (s *Status) nodeConditions(node *corev1.Node, ready corev1.NodeCondition) {
	if ready.Status != corev1.ConditionTrue {
		s.addCause(sentence.NodeNotReadySince(s.ref, s.age(ready.LastTransitionTime)), nodeConditionEvidence(node, ready))
		if lease := s.World.Lease(corev1.NamespaceNodeLease, node.Name); lease != nil && lease.Spec.RenewTime != nil {
			renewed := *lease.Spec.RenewTime
			at := facts.EvidenceSince(facts.RefTo(cluster.Lease, lease), "spec.renewTime", renewed.UTC().Format("2006-01-02T15:04:05Z"), metav1.Time(renewed))
			s.addCause(sentence.LeaseLast(s.since(metav1.Time(renewed)) < leaseDurationOf(lease), s.age(metav1.Time(renewed))), at)
		} else {
			s.AddUnknownKinds(cluster.Lease)
		}
	}
	for _, c := range pressureConditions(node) {
		if facts.IsAgentCondition(c) {
			continue // N301 explains it.
		}
		s.addCause(sentence.NodeConditionBad(s.ref, string(c.Type), s.age(c.LastTransitionTime), c.Message), nodeConditionEvidence(node, c))
	}
	if node.Spec.Unschedulable {
		since := facts.Evidence(s.ref, "spec.unschedulable", "true")
		for _, t := range node.Spec.Taints {
			if t.Key == corev1.TaintNodeUnschedulable && t.TimeAdded != nil {
				since = facts.EvidenceSince(s.ref, "spec.unschedulable", "true", *t.TimeAdded)
			}
		}
		s.addCause(sentence.NodeCordonedLink(s.ref), since)
	}
}

// leaseDurationOf is how long a Lease is valid after its renewal.
func leaseDurationOf(lease *coordinationv1.Lease) time.Duration {
	if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return leaseDuration
}

// pressureConditions are the conditions other than Ready that report a problem: those of the kubelet and of the network, for which
// True is bad, and those of node agents.
func pressureConditions(node *corev1.Node) []corev1.NodeCondition {
	badWhenTrue := []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeNetworkUnavailable}
	bad := slices.DeleteFunc(slices.Clone(node.Status.Conditions), func(c corev1.NodeCondition) bool {
		return c.Status != corev1.ConditionTrue || !slices.Contains(badWhenTrue, c.Type)
	})
	return append(bad, facts.UnhealthyConditions(node)...)
}

func conditionNames(conditions []corev1.NodeCondition) message.List {
	var names message.List
	for _, c := range conditions {
		names = append(names, string(c.Type))
	}
	return names
}

// nodeTaints explains the effect of each taint on pods, except taints that follow from conditions.
func (s *Status) nodeTaints(node *corev1.Node) {
	for _, taint := range node.Spec.Taints {
		if facts.LifecycleTaints[taint.Key] && taint.Effect != corev1.TaintEffectNoExecute || taint.Key == corev1.TaintNodeUnschedulable {
			continue
		}
		evidence := facts.Evidence(s.ref, "spec.taints", taint.ToString())
		if taint.TimeAdded != nil {
			evidence = facts.EvidenceSince(s.ref, "spec.taints", taint.ToString(), *taint.TimeAdded)
		}
		switch taint.Effect {
		case corev1.TaintEffectNoExecute:
			stay, leave := s.evictedByTaint(node, taint)
			s.addCause(sentence.TaintNoExecute(taint.ToString(), leave, stay), evidence)
		case corev1.TaintEffectNoSchedule:
			s.addCause(sentence.TaintNoSchedule(taint.ToString()), evidence)
		default:
			s.addCause(sentence.TaintPrefer(taint.ToString()), evidence)
		}
	}
}

// evictedByTaint counts the node's pods that tolerate a NoExecute taint without a limit, and the others.
func (s *Status) evictedByTaint(node *corev1.Node, taint corev1.Taint) (stay, leave int) {
	for _, pod := range s.World.PodsOn(node.Name) {
		switch {
		case cluster.Ended(pod) || cluster.IsMirror(pod):
		case toleratesForever(pod, taint):
			stay++
		default:
			leave++
		}
	}
	return stay, leave
}

// awaitedNode names the pods that depend on this node: those whose termination it must confirm, those that are bound to it and do
// not start, and those with it as nominated node.
func (s *Status) awaitedNode(node *corev1.Node) {
	var stopping, starting, nominated []change.Ref
	for _, pod := range s.World.PodsOn(node.Name) {
		switch {
		case pod.DeletionTimestamp != nil:
			stopping = append(stopping, facts.RefTo(cluster.Pod, pod))
		case pod.Status.Phase == corev1.PodPending:
			starting = append(starting, facts.RefTo(cluster.Pod, pod))
		}
	}
	for _, pod := range s.World.Pods() {
		if pod.Status.NominatedNodeName == node.Name && pod.Spec.NodeName == "" {
			nominated = append(nominated, facts.RefTo(cluster.Pod, pod))
		}
	}
	s.addWaiting(sentence.NodeStops, stopping)
	s.addWaiting(sentence.NodeStarts, starting)
	s.addWaiting(sentence.NodeNominated, nominated)
}

func (s *Status) addWaiting(said func(n int, node any, pods message.List) message.Sentence, pods []change.Ref) {
	if len(pods) > 0 {
		s.addCause(said(len(pods), s.ref, s.Enumerate(pods)))
	}
}

// nodeResources adds how much of the node's allocatable resources its pods request.
func (s *Status) nodeResources(node *corev1.Node) {
	if !s.Known(cluster.Pod) {
		return
	}
	var cpu, memory resource.Quantity
	n := 0
	for _, pod := range s.World.PodsOn(node.Name) {
		if cluster.Ended(pod) {
			continue
		}
		n++
		asked := podrequests.PodRequests(pod, podrequests.PodResourcesOptions{})
		cpu.Add(*asked.Cpu())
		memory.Add(*asked.Memory())
	}
	a := node.Status.Allocatable
	s.addCause(sentence.NodeRoom(n, a.Pods().Value(), cpu.String(), a.Cpu().String(), memory.String(), a.Memory().String()),
		facts.Evidence(s.ref, "status.allocatable", "cpu "+a.Cpu().String()+", memory "+a.Memory().String()+", pods "+a.Pods().String()))
}
