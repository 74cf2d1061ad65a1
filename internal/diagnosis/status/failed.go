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
)

// failed is about a pod that has ended and not done what it was for.
func (s *Status) failed(pod *corev1.Pod) {
	severity := finding.Critical
	if s.World.Owner(pod) != nil {
		severity = finding.Info // What controls it has made or will make another, or has given up and says so itself.
	}
	args := message.Args{"pod": s.ref, "node": facts.NodeRef(pod.Spec.NodeName), "why": strings.TrimSpace(pod.Status.Message)}
	disrupted := kube.PodCondition(pod, corev1.DisruptionTarget)
	switch {
	case pod.Status.Reason == "Evicted":
		s.evicted(pod, severity, args)
	case disrupted != nil && disrupted.Status == corev1.ConditionTrue:
		s.set(PodState(pod), severity, cmp.Or(disruptions[disrupted.Reason], message.EndedDisrupted), args)
		s.explainDisruption(pod, disrupted)
	case rejections[pod.Status.Reason] != "":
		s.set(PodState(pod), severity, rejections[pod.Status.Reason], args)
		s.addCause(rejections[pod.Status.Reason], args, s.reasonEvidence(pod)...)
	case strings.HasPrefix(pod.Status.Reason, "OutOf"):
		args["resource"] = strings.TrimPrefix(pod.Status.Reason, "OutOf")
		s.set(PodState(pod), severity, message.EndedOutOf, args)
		s.addCause(message.EndedOutOf, args, s.reasonEvidence(pod)...)
	default:
		s.explainExits(pod, severity, args)
	}
	s.explainReplacement(pod)
}

// rejections are the reasons for which kubelet ends or refuses a pod as a whole (pkg/kubelet and pkg/kubelet/lifecycle).
var rejections = map[string]message.ID{
	"DeadlineExceeded":         message.EndedDeadline,
	"NodeAffinity":             message.EndedAffinity,
	"TaintToleration":          message.EndedRefused,
	"NodePorts":                message.EndedRefused,
	"NodeName":                 message.EndedRefused,
	"UnexpectedAdmissionError": message.EndedRefused,
	"NodeLost":                 message.EndedNodeLost,
	"Terminated":               message.EndedShutdown,
	"NodeShutdown":             message.EndedShutdown,
	"Shutdown":                 message.EndedShutdown,
	"Preempting":               message.EndedCritical,
}

// disruptions are sentences by the DisruptionTarget condition's reason.
var disruptions = map[string]message.ID{
	corev1.PodReasonPreemptionByScheduler: message.EndedPreempted,
	"DeletionByTaintManager":              message.EndedTainted,
	"EvictionByEvictionAPI":               message.EndedEvictionAPI,
	"DeletionByPodGC":                     message.EndedCollected,
	corev1.PodReasonTerminationByKubelet:  message.EndedByKubelet,
}

// explainDisruption says who ended the pod, as its condition tells.
func (s *Status) explainDisruption(pod *corev1.Pod, c *corev1.PodCondition) {
	args := message.Args{"pod": s.ref, "node": facts.NodeRef(pod.Spec.NodeName), "why": c.Message}
	evidence := []finding.Evidence{facts.EvidenceSince(s.ref, "status.conditions[DisruptionTarget]", c.Reason+": "+c.Message, c.LastTransitionTime)}
	s.addCause(cmp.Or(disruptions[c.Reason], message.EndedDisrupted), args, evidence...)
	if c.Reason == "DeletionByTaintManager" {
		s.taintsOf(pod)
	}
}

// taintsOf names the taints of the pod's node that do not let it stay.
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
		s.addCause(message.TaintEvicts, message.Args{"node": facts.NodeRef(node.Name), "taint": taint.ToString(), "seconds": tolerationSeconds(pod, taint)}, evidence)
	}
}

// toleratesForever says whether a pod may stay on a node with a NoExecute taint for good.
func toleratesForever(pod *corev1.Pod, taint corev1.Taint) bool {
	return kube.Tolerates(pod.Spec.Tolerations, &taint) && tolerationSeconds(pod, taint) < 0
}

// tolerationSeconds is for how long a pod may stay on a node with a NoExecute taint: the shortest of what its tolerations
// say; -1 is for good, 0 not at all.
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

// lowResource reads the resource from kubelet's words (pkg/kubelet/eviction, nodeLowMessageFmt).
var lowResource = regexp.MustCompile(`low on resource: ([a-z-]+)`)

// pressureConditionOf are the node conditions that go with a resource kubelet evicts for.
var pressureConditionOf = map[string]corev1.NodeConditionType{
	"memory": corev1.NodeMemoryPressure, "ephemeral-storage": corev1.NodeDiskPressure, "inodes": corev1.NodeDiskPressure, "pids": corev1.NodePIDPressure,
}

// evicted is about a pod that its node's kubelet ended to save the node, or because the pod used more than its own limit.
func (s *Status) evicted(pod *corev1.Pod, severity finding.Severity, args message.Args) {
	why := facts.EvidenceSince(s.ref, "status.message", pod.Status.Message, s.endedAt(pod))
	match := lowResource.FindStringSubmatch(pod.Status.Message)
	if match == nil {
		id := message.EvictedOwnLimit
		if strings.Contains(pod.Status.Message, "condition") {
			id = message.EvictedCondition
		}
		s.set(PodState(pod), severity, id, args)
		s.addCause(id, args, why)
		return
	}
	args["resource"] = match[1]
	s.set(PodState(pod), severity, message.EvictedPressure, args)
	s.addCause(message.EvictedPressure, args, why)
	s.addCause(message.EvictedChoice, message.Args{"resource": match[1], "qos": string(pod.Status.QOSClass), "requested": requested(pod, match[1])},
		facts.Evidence(s.ref, "status.qosClass", string(pod.Status.QOSClass)))
	if node := s.World.Node(pod.Spec.NodeName); node != nil {
		if c := kube.NodeCondition(node, pressureConditionOf[match[1]]); c != nil {
			s.addCause(message.PressureNow, message.Args{"node": facts.NodeRef(node.Name), "on": c.Status == corev1.ConditionTrue, "age": s.age(c.LastTransitionTime), "condition": string(c.Type)}, nodeConditionEvidence(node, *c))
		}
	}
}

// requested says whether each container asks for the resource: those that do are evicted after those that do not.
func requested(pod *corev1.Pod, resource string) bool {
	return !slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool {
		_, ok := c.Resources.Requests[corev1.ResourceName(resource)]
		return !ok
	})
}

// explainExits is about a pod whose containers ended by themselves.
func (s *Status) explainExits(pod *corev1.Pod, severity finding.Severity, args message.Args) {
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if end := c.State.Terminated; end != nil && end.ExitCode != 0 {
			args["why"] = c.Name + ": " + terminatedText(end)
			s.set(PodState(pod), severity, message.PodFailed, args)
			s.explainExit(pod, c, end)
			return
		}
	}
	if args["why"] == "" {
		args["why"] = pod.Status.Reason
	}
	s.set(PodState(pod), severity, message.PodFailed, args)
	s.addCause(message.EndedUntold, args, facts.Evidence(s.ref, "status.reason", pod.Status.Reason))
}

// explainReplacement says what stands in for a pod that has ended or is about to.
func (s *Status) explainReplacement(pod *corev1.Pod) {
	owner := s.World.Owner(pod)
	if owner == nil {
		if metav1.GetControllerOfNoCopy(pod) == nil {
			s.addCause(message.NobodyReplaces, nil, facts.Evidence(s.ref, "metadata.ownerReferences", ""))
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
	s.addCause(message.OwnerHas, message.Args{"owner": facts.RefTo(kind, owner), "n": len(alive), "ready": len(ready), "pods": s.Enumerate(alive)},
		facts.OwnerEvidence(s.ref, pod))
}

// reasonEvidence are the kubelet's words for why it ended or refused a pod.
func (s *Status) reasonEvidence(pod *corev1.Pod) []finding.Evidence {
	all := []finding.Evidence{facts.EvidenceSince(s.ref, "status.reason", pod.Status.Reason, s.endedAt(pod))}
	if text := strings.TrimSpace(pod.Status.Message); text != "" {
		all = append(all, facts.Evidence(s.ref, "status.message", text))
	}
	return all
}

// endedAt is when the kubelet ended or refused a pod, as its condition, its Event or its last container tells; zero if none does.
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
