package status

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// onUnreachableNode explains a pod whose node does not exist or does not respond: its status may be outdated. It reports whether
// that is the case.
func (s *Status) onUnreachableNode(pod *corev1.Pod) bool {
	if !s.Known(cluster.Node) || !query.NodeUnavailable(s.World, pod.Spec.NodeName) {
		return false
	}
	node := s.World.Node(pod.Spec.NodeName)
	if node == nil {
		s.set(PodState(pod), finding.Critical, sentence.OnNodeGone(s.ref, facts.NodeRef(pod.Spec.NodeName)))
		s.addCause(sentence.OnNodeGone(s.ref, facts.NodeRef(pod.Spec.NodeName)), facts.Evidence(s.ref, "spec.nodeName", pod.Spec.NodeName))
		return true
	}
	ready, _ := facts.Readiness(node)
	age := s.age(ready.LastTransitionTime)
	s.set(PodState(pod), finding.Critical, sentence.OnNodeDown(s.ref, facts.NodeRef(pod.Spec.NodeName), age))
	s.addCause(sentence.NodeNotReadySince(facts.NodeRef(pod.Spec.NodeName), age), nodeConditionEvidence(node, ready))
	return true
}

func nodeConditionEvidence(node *corev1.Node, c corev1.NodeCondition) finding.Evidence {
	value := strings.TrimSpace(string(c.Status) + " " + c.Reason)
	if c.Message != "" {
		value += ": " + c.Message
	}
	return facts.EvidenceSince(facts.RefTo(cluster.Node, node), "status.conditions["+string(c.Type)+"]", value, c.LastTransitionTime)
}

// starting explains a pod with a node of which not all containers have been started.
func (s *Status) starting(pod *corev1.Pod) {
	node := facts.NodeRef(pod.Spec.NodeName)
	s.set(PodState(pod), finding.Critical, sentence.PodPlaced(s.ref, node))
	if s.initializing(pod) || s.containersNotStarted(pod, pod.Status.ContainerStatuses) {
		return
	}
	s.AddUnknownKinds(cluster.Event)
	if s.volumesNotReady(pod) || s.sandboxFailed(pod) {
		return
	}
	for _, e := range s.Events(pod) {
		if e.Type == corev1.EventTypeWarning && e.Reason != "FailedScheduling" {
			s.set(PodState(pod), finding.Critical, sentence.PodNotStarted(s.ref, node, e.Message))
			s.addCause(sentence.KubeletSays(), query.EventEvidence(e))
			return
		}
	}
	if pod.Status.StartTime == nil {
		s.addCause(sentence.KubeletSilent(node), facts.Evidence(s.ref, "status.startTime", ""))
	}
}

// initializing explains init containers, which run one after the other before the other containers. It reports whether one keeps
// the pod from starting.
func (s *Status) initializing(pod *corev1.Pod) bool {
	if initialized(pod) {
		return false
	}
	if s.containersNotStarted(pod, pod.Status.InitContainerStatuses) {
		return true
	}
	for i, c := range pod.Status.InitContainerStatuses {
		if c.State.Running == nil || c.Started != nil && *c.Started && isSidecar(pod, c.Name) {
			continue
		}
		if isSidecar(pod, c.Name) {
			s.explainNotReady(pod, c, kube.PodCondition(pod, corev1.PodInitialized))
			return true
		}
		s.set(PodState(pod), finding.Critical, sentence.InitRuns(s.ref, c.Name, i+1, len(pod.Spec.InitContainers), s.age(c.State.Running.StartedAt)))
		s.addCause(sentence.InitFirst(c.Name),
			facts.EvidenceSince(s.ref, statusField(pod, c.Name, "state"), "running", c.State.Running.StartedAt))
		s.addLogHint(c.Name, false)
		return true
	}
	return false
}

// containersNotStarted explains containers that the kubelet cannot start or restarts repeatedly. It reports whether there is one.
func (s *Status) containersNotStarted(pod *corev1.Pod, statuses []corev1.ContainerStatus) bool {
	found := false
	for _, c := range statuses {
		switch w := c.State.Waiting; {
		case w == nil || w.Reason == "" || w.Reason == "ContainerCreating" || w.Reason == "PodInitializing":
			continue
		case strings.Contains(w.Reason, "Image") || w.Reason == "RegistryUnavailable":
			s.imageNotPulled(pod, c, !found)
		case w.Reason == "CrashLoopBackOff":
			s.explainCrash(pod, c, !found)
		default:
			s.explainCreateError(pod, c, !found)
		}
		found = true
	}
	return found
}

// explainCreateError explains a container that the kubelet or the runtime cannot create or start.
func (s *Status) explainCreateError(pod *corev1.Pod, c corev1.ContainerStatus, first bool) {
	w := c.State.Waiting
	if known, ok := s.startFailure(pod, c.Name, w.Reason, w.Message); ok {
		if first {
			s.set(PodState(pod), finding.Critical, known.summary)
		}
		s.explainStartFailure(known, s.waitingEvidence(pod, c))
		return
	}
	if first {
		s.set(PodState(pod), finding.Critical, sentence.ContainerRefused(s.ref, c.Name, w.Reason, w.Message))
	}
	said := sentence.ContainerRefusedLink(facts.NodeRef(pod.Spec.NodeName), c.Name)
	lacks, lacking := missingSource(pod, w.Message)
	if lacking {
		said = lacks.missingFrom(c.Name)
	}
	s.addCause(said, s.waitingEvidence(pod, c))
	if lacking {
		s.proposeCreate(pod, lacks)
	}
}

// waitingEvidence is the reason and message for which a container waits.
func (s *Status) waitingEvidence(pod *corev1.Pod, c corev1.ContainerStatus) finding.Evidence {
	value := c.State.Waiting.Reason
	if c.State.Waiting.Message != "" {
		value += ": " + c.State.Waiting.Message
	}
	return facts.Evidence(s.ref, statusField(pod, c.Name, "state.waiting"), value)
}

// statusField is the path of a field in a container's status.
func statusField(pod *corev1.Pod, container, field string) string {
	list := "containerStatuses"
	if isInit(pod, container) {
		list = "initContainerStatuses"
	}
	return "status." + list + "[" + container + "]." + field
}

// specField is the path of a field in a container's spec.
func specField(pod *corev1.Pod, container, field string) string {
	list := "containers"
	if isInit(pod, container) {
		list = "initContainers"
	}
	return "spec." + list + "[" + container + "]." + field
}

func isInit(pod *corev1.Pod, container string) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool { return c.Name == container })
}

// addLogHint shows the command for the container's log, for reasons that only the program knows.
func (s *Status) addLogHint(container string, previous bool) {
	s.addUnknown(s.ref, sentence.LogTells(container, logCommand(s.ref, container, previous)))
}

// logCommand is the command that shows a container's log. Names of API objects and containers need no quoting in a shell.
func logCommand(pod change.Ref, container string, previous bool) string {
	command := "kubectl logs " + pod.Name + " --namespace " + pod.Namespace + " --container " + container
	if previous {
		command += " --previous"
	}
	return command
}
