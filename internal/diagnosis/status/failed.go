package status

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

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

// failed explains a pod that ended without success.
func (s *Status) failed(pod *corev1.Pod) {
	severity := finding.Critical
	if s.World.Owner(pod) != nil {
		severity = finding.Info // Its controller has replaced it or will, or has failed and reports that itself.
	}
	disrupted := kube.PodCondition(pod, corev1.DisruptionTarget)
	switch rejected := s.rejected(pod); {
	case pod.Status.Reason == "Evicted":
		s.evicted(pod, severity)
	case disrupted != nil && disrupted.Status == corev1.ConditionTrue:
		s.set(PodState(pod), severity, s.disrupted(pod, disrupted.Reason, strings.TrimSpace(pod.Status.Message)))
		s.explainDisruption(pod, disrupted)
	case !rejected.IsZero():
		s.set(PodState(pod), severity, rejected)
		s.addCause(rejected, s.reasonEvidence(pod)...)
	default:
		s.explainExits(pod, severity)
	}
	s.explainReplacement(pod)
}

// rejected explains why the kubelet ended or rejected a pod as a whole (pkg/kubelet and pkg/kubelet/lifecycle); empty if it did
// not.
func (s *Status) rejected(pod *corev1.Pod) message.Sentence {
	node, why := facts.NodeRef(pod.Spec.NodeName), strings.TrimSpace(pod.Status.Message)
	switch reason := pod.Status.Reason; reason {
	case "DeadlineExceeded":
		return sentence.EndedDeadline(s.ref)
	case "NodeAffinity":
		return sentence.EndedAffinity(s.ref, node, why)
	case "TaintToleration", "NodePorts", "NodeName", "UnexpectedAdmissionError":
		return sentence.EndedRefused(s.ref, node, why)
	case "NodeLost":
		return sentence.EndedNodeLost(s.ref, node)
	case "Terminated", "NodeShutdown", "Shutdown":
		return sentence.EndedShutdown(s.ref, node)
	case "Preempting":
		return sentence.EndedCritical(s.ref, node, why)
	default:
		if resource, lacks := strings.CutPrefix(reason, "OutOf"); lacks {
			return sentence.EndedOutOf(s.ref, node, resource, why)
		}
		return message.Sentence{}
	}
}

// disrupted names what ended a pod, by the reason of its DisruptionTarget condition.
func (s *Status) disrupted(pod *corev1.Pod, reason, why string) message.Sentence {
	node := facts.NodeRef(pod.Spec.NodeName)
	switch reason {
	case corev1.PodReasonPreemptionByScheduler:
		return sentence.EndedPreempted(s.ref, node)
	case "DeletionByTaintManager":
		return sentence.EndedTainted(s.ref, node)
	case "EvictionByEvictionAPI":
		return sentence.EndedEvictionAPI(s.ref, node)
	case "DeletionByPodGC":
		return sentence.EndedCollected(s.ref, node)
	case corev1.PodReasonTerminationByKubelet:
		return sentence.EndedByKubelet(s.ref, node, why)
	default:
		return sentence.EndedDisrupted(s.ref, why)
	}
}

// explainDisruption names what ended the pod, as its condition says.
func (s *Status) explainDisruption(pod *corev1.Pod, c *corev1.PodCondition) {
	evidence := []finding.Evidence{facts.EvidenceSince(s.ref, "status.conditions[DisruptionTarget]", c.Reason+": "+c.Message, c.LastTransitionTime)}
	s.addCause(s.disrupted(pod, c.Reason, c.Message), evidence...)
	if c.Reason == "DeletionByTaintManager" {
		s.taintsOf(pod)
	}
}

// taintsOf are the NoExecute taints of the pod's node that it does not tolerate.
func (s *Status) taintsOf(pod *corev1.Pod) {
	node := s.World.Node(pod.Spec.NodeName)
	if node == nil {
		return
	}
	for _, taint := range node.Spec.Taints {
		if taint.Effect != corev1.TaintEffectNoExecute || toleratesForever(pod, taint) {
			continue
		}
		evidence := facts.Evidence(facts.RefTo(cluster.Node, node), "spec.taints", taint.ToString())
		if taint.TimeAdded != nil {
			evidence = facts.EvidenceSince(facts.RefTo(cluster.Node, node), "spec.taints", taint.ToString(), *taint.TimeAdded)
		}
		s.addCause(sentence.TaintEvicts(facts.NodeRef(node.Name), taint.ToString(), tolerationSeconds(pod, taint)), evidence)
	}
}

// toleratesForever reports whether a pod tolerates a NoExecute taint without a limit.
func toleratesForever(pod *corev1.Pod, taint corev1.Taint) bool {
	return kube.Tolerates(pod.Spec.Tolerations, &taint) && tolerationSeconds(pod, taint) < 0
}

// tolerationSeconds is for how long a pod tolerates a NoExecute taint: the least of its tolerations; -1 is without a limit, 0 not
// at all.
func tolerationSeconds(pod *corev1.Pod, taint corev1.Taint) int {
	if !kube.Tolerates(pod.Spec.Tolerations, &taint) {
		return 0
	}
	shortest := -1
	for _, t := range pod.Spec.Tolerations {
		one := *pod
		one.Spec.Tolerations = []corev1.Toleration{t}
		if t.TolerationSeconds != nil && kube.Tolerates(one.Spec.Tolerations, &taint) && (shortest < 0 || int(*t.TolerationSeconds) < shortest) {
			shortest = max(0, int(*t.TolerationSeconds))
		}
	}
	return shortest
}

// lowResource extracts the resource from the kubelet's message (pkg/kubelet/eviction, nodeLowMessageFmt).
var lowResource = regexp.MustCompile(`low on resource: ([a-z-]+)`)

// pressureConditionOf are the node conditions of the resources for which the kubelet evicts pods.
var pressureConditionOf = map[string]corev1.NodeConditionType{
	"memory": corev1.NodeMemoryPressure, "ephemeral-storage": corev1.NodeDiskPressure, "inodes": corev1.NodeDiskPressure, "pids": corev1.NodePIDPressure,
}

// evicted explains a pod that the kubelet evicted because of node pressure, or because the pod exceeded its own limit.
func (s *Status) evicted(pod *corev1.Pod, severity finding.Severity) {
	node := facts.NodeRef(pod.Spec.NodeName)
	why := facts.EvidenceSince(s.ref, "status.message", pod.Status.Message, s.endedAt(pod))
	match := lowResource.FindStringSubmatch(pod.Status.Message)
	if match == nil {
		said := sentence.EvictedOwnLimit(s.ref, node, strings.TrimSpace(pod.Status.Message))
		if strings.Contains(pod.Status.Message, "condition") {
			said = sentence.EvictedCondition(s.ref, node, strings.TrimSpace(pod.Status.Message))
		}
		s.set(PodState(pod), severity, said)
		s.addCause(said, why)
		return
	}
	s.set(PodState(pod), severity, sentence.EvictedPressure(s.ref, node, match[1]))
	s.addCause(sentence.EvictedPressure(s.ref, node, match[1]), why)
	s.addCause(sentence.EvictedChoice(string(pod.Status.QOSClass), requested(pod, match[1]), match[1]),
		facts.Evidence(s.ref, "status.qosClass", string(pod.Status.QOSClass)))
	if node := s.World.Node(pod.Spec.NodeName); node != nil {
		if c := kube.NodeCondition(node, pressureConditionOf[match[1]]); c != nil {
			s.addCause(sentence.PressureNow(c.Status == corev1.ConditionTrue, facts.NodeRef(pod.Spec.NodeName), string(c.Type), s.age(c.LastTransitionTime)), nodeConditionEvidence(node, *c))
		}
	}
}

// requested reports whether each container requests the resource: pods that request it are evicted last.
func requested(pod *corev1.Pod, resource string) bool {
	return !slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool {
		_, ok := c.Resources.Requests[corev1.ResourceName(resource)]
		return !ok
	})
}

// explainExits explains a pod whose containers exited by themselves.
func (s *Status) explainExits(pod *corev1.Pod, severity finding.Severity) {
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if end := c.State.Terminated; end != nil && end.ExitCode != 0 {
			s.set(PodState(pod), severity, sentence.PodFailed(s.ref, c.Name+": "+terminatedText(end)))
			s.explainExit(pod, c, end)
			return
		}
	}
	why := cmp.Or(strings.TrimSpace(pod.Status.Message), pod.Status.Reason)
	s.set(PodState(pod), severity, sentence.PodFailed(s.ref, why))
	s.addCause(sentence.EndedUntold(), facts.Evidence(s.ref, "status.reason", pod.Status.Reason))
}

// explainReplacement names the replacement of a pod that has ended or will end soon.
func (s *Status) explainReplacement(pod *corev1.Pod) {
	owner := s.World.Owner(pod)
	if owner == nil {
		if metav1.GetControllerOfNoCopy(pod) == nil {
			s.addCause(sentence.NobodyReplaces(), facts.Evidence(s.ref, "metadata.ownerReferences", ""))
		}
		return
	}
	kind, _ := cluster.KindOf(owner)
	var alive, ready []change.Ref
	for _, other := range s.World.PodsOf(owner.GetUID()) {
		if other.UID == pod.UID || cluster.Ended(other) || other.DeletionTimestamp != nil {
			continue
		}
		alive = append(alive, facts.RefTo(cluster.Pod, other))
		if kube.IsPodReady(other) {
			ready = append(ready, facts.RefTo(cluster.Pod, other))
		}
	}
	s.addCause(sentence.OwnerHas(facts.RefTo(kind, owner), len(alive), len(ready), s.Enumerate(alive)),
		facts.OwnerEvidence(s.ref, pod))
}

// reasonEvidence is the kubelet's reason and message for ending or rejecting a pod.
func (s *Status) reasonEvidence(pod *corev1.Pod) []finding.Evidence {
	all := []finding.Evidence{facts.EvidenceSince(s.ref, "status.reason", pod.Status.Reason, s.endedAt(pod))}
	if text := strings.TrimSpace(pod.Status.Message); text != "" {
		all = append(all, facts.Evidence(s.ref, "status.message", text))
	}
	return all
}

// endedAt is when the kubelet ended or rejected a pod, from its condition, its Event or its last container; zero if none says.
func (s *Status) endedAt(pod *corev1.Pod) metav1.Time {
	if c := kube.PodCondition(pod, corev1.DisruptionTarget); c != nil {
		return c.LastTransitionTime
	}
	for _, e := range s.Events(pod, pod.Status.Reason) {
		_, _, last := query.Occurrences(e)
		return last
	}
	var at metav1.Time
	for _, c := range pod.Status.ContainerStatuses {
		if end := c.State.Terminated; end != nil && at.Before(&end.FinishedAt) {
			at = end.FinishedAt
		}
	}
	return at
}
