package status

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// pod explains the state of a pod that does not wait for a node, or that waits for a scheduler that does not run.
func (s *Status) pod(pod *corev1.Pod) {
	switch {
	case pod.DeletionTimestamp != nil:
		s.terminating(pod)
	case pod.Status.Phase == corev1.PodSucceeded:
		s.set(PodState(pod), "", sentence.PodFinished(s.ref))
	case pod.Status.Phase == corev1.PodFailed:
		s.failed(pod)
	case pod.Spec.NodeName == "" && len(pod.Spec.SchedulingGates) > 0:
		s.explainGates(pod)
	case pod.Spec.NodeName == "":
		s.notScheduledYet(pod)
	case s.onUnreachableNode(pod):
	case pod.Status.Phase == corev1.PodRunning && initialized(pod):
		s.running(pod)
	default:
		s.starting(pod)
	}
}

// initialized reports whether the pod's init containers have completed.
func initialized(pod *corev1.Pod) bool {
	c := kube.PodCondition(pod, corev1.PodInitialized)
	return c == nil || c.Status == corev1.ConditionTrue
}

func (s *Status) explainGates(pod *corev1.Pod) {
	var gates []string
	for _, gate := range pod.Spec.SchedulingGates {
		gates = append(gates, gate.Name)
	}
	s.set(PodState(pod), finding.Critical, sentence.PodGated(s.ref, message.ListOf(gates)))
	for i, gate := range gates {
		field := "spec.schedulingGates[" + strconv.Itoa(i) + "]"
		s.addCause(sentence.GateWaits(gate), facts.EvidenceSince(s.ref, field, gate, pod.CreationTimestamp))
	}
	s.explainQueue(pod, slices.Contains(gates, kueueGate))
}

// notScheduledYet explains a pod that no scheduler has processed yet.
func (s *Status) notScheduledYet(pod *corev1.Pod) {
	if s.resourceClaimMissing(pod) {
		return
	}
	name := facts.SchedulerOf(pod)
	s.NotModelled = append(s.NotModelled, s.Basis(pod)...)
	s.set(PodState(pod), finding.Critical, sentence.PodUnseen(s.ref, name))
	asking, placed := 0, 0
	for _, other := range s.World.Pods() {
		if facts.SchedulerOf(other) == name {
			asking++
			if other.Spec.NodeName != "" {
				placed++
			}
		}
	}
	s.addCause(sentence.SchedulerServes(placed, name, asking),
		facts.EvidenceSince(s.ref, "spec.schedulerName", name, pod.CreationTimestamp))
}

// SchedulerMissing reports whether no component with the pod's schedulerName is known and none has processed the pod: then it is not
// Pending because of constraints.
func SchedulerMissing(q query.Query, pod *corev1.Pod) bool {
	if kube.PodCondition(pod, corev1.PodScheduled) != nil {
		return false
	}
	if q.Judge != nil {
		return !q.Judge.Models(pod)
	}
	return facts.SchedulerOf(pod) != facts.DefaultScheduler
}

// nodeLost is the reason that the node lifecycle controller set on pods of an unreachable node.
//
// Source: pkg/util/node of Kubernetes (NodeUnreachablePodReason).
const nodeLost = "NodeLost"

// PodState is the pod's state in one word, as kubectl get shows it in STATUS.
//
// Source: pkg/printers/internalversion of Kubernetes (printPod).
func PodState(pod *corev1.Pod) string {
	switch {
	case pod.DeletionTimestamp != nil && pod.Status.Reason == nodeLost:
		return "Unknown"
	case pod.DeletionTimestamp != nil && !cluster.Ended(pod):
		return "Terminating"
	}
	state := cmp.Or(pod.Status.Reason, string(pod.Status.Phase))
	if isGated(pod) {
		state = corev1.PodReasonSchedulingGated
	}
	init := initState(pod)
	if c := kube.PodCondition(pod, corev1.PodInitialized); init == "" || c != nil && c.Status == corev1.ConditionTrue {
		return containersState(pod, cmp.Or(init, state))
	}
	return init
}

// isGated reports whether scheduling gates keep the pod from being scheduled, by its condition.
func isGated(pod *corev1.Pod) bool {
	c := kube.PodCondition(pod, corev1.PodScheduled)
	return c != nil && c.Reason == corev1.PodReasonSchedulingGated
}

// containersState is the word for the first of a pod's containers that does not run; otherwise the given state. A completed
// container is skipped if another runs or failed.
func containersState(pod *corev1.Pod, state string) string {
	running, failed := false, ""
	for _, c := range slices.Backward(pod.Status.ContainerStatuses) {
		if word := containerState(c.State); word != "" {
			state = word
		}
		if c.State.Terminated != nil && c.State.Terminated.ExitCode != 0 {
			failed = state
		}
		running = running || c.Ready && c.State.Running != nil
	}
	switch {
	case state != "Completed":
		return state
	case running && kube.IsPodReady(pod):
		return string(corev1.PodRunning)
	case failed != "":
		return failed
	case running:
		return "NotReady"
	default:
		return state
	}
}

// stateEvidence is the field of the pod that its state comes from: the word that kubectl shows is not a field.
func stateEvidence(pod *corev1.Pod) finding.Evidence {
	ref := facts.RefTo(cluster.Pod, pod)
	switch state := PodState(pod); {
	case state == "Terminating":
		return facts.EvidenceSince(ref, "metadata.deletionTimestamp", pod.DeletionTimestamp.UTC().Format(time.RFC3339), *pod.DeletionTimestamp)
	case pod.Status.Reason != "":
		return facts.Evidence(ref, "status.reason", pod.Status.Reason)
	case state == corev1.PodReasonSchedulingGated && len(pod.Spec.SchedulingGates) > 0:
		return facts.Evidence(ref, "spec.schedulingGates[0]", pod.Spec.SchedulingGates[0].Name)
	}
	statuses := pod.Status.ContainerStatuses
	if initState(pod) != "" {
		statuses = pod.Status.InitContainerStatuses
	}
	for _, c := range statuses {
		switch word := containerState(c.State); {
		case word == "" || word == "Completed" && pod.Status.Phase == corev1.PodRunning:
		case c.State.Waiting != nil:
			return facts.Evidence(ref, statusField(pod, c.Name, "state.waiting.reason"), word)
		case c.State.Terminated.ExitCode != 0:
			return facts.EvidenceSince(ref, statusField(pod, c.Name, "state.terminated"), terminatedValue(c.State.Terminated), c.State.Terminated.FinishedAt)
		}
	}
	return facts.Evidence(ref, "status.phase", string(pod.Status.Phase))
}

// initState is the word for a pod whose init containers have not completed; empty if they have.
func initState(pod *corev1.Pod) string {
	for i, c := range pod.Status.InitContainerStatuses {
		switch {
		case c.State.Terminated != nil && c.State.Terminated.ExitCode == 0:
		case isSidecar(pod, c.Name) && c.Started != nil && *c.Started:
		case c.State.Terminated != nil:
			return "Init:" + containerState(c.State)
		case c.State.Waiting != nil && c.State.Waiting.Reason != "" && c.State.Waiting.Reason != "PodInitializing":
			return "Init:" + c.State.Waiting.Reason
		default:
			return "Init:" + strconv.Itoa(i) + "/" + strconv.Itoa(len(pod.Spec.InitContainers))
		}
	}
	return ""
}

// isSidecar reports whether an init container is a sidecar (restartPolicy Always).
func isSidecar(pod *corev1.Pod, name string) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool {
		return c.Name == name && c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
	})
}

// sidecars are the statuses of the sidecars among the init containers.
func sidecars(pod *corev1.Pod) []corev1.ContainerStatus {
	return slices.DeleteFunc(slices.Clone(pod.Status.InitContainerStatuses), func(c corev1.ContainerStatus) bool { return !isSidecar(pod, c.Name) })
}

// containerState is the word for a container that does not run, empty for one that does.
func containerState(state corev1.ContainerState) string {
	switch {
	case state.Waiting != nil:
		return state.Waiting.Reason
	case state.Terminated == nil:
		return ""
	case state.Terminated.Reason != "":
		return state.Terminated.Reason
	case state.Terminated.Signal != 0:
		return "Signal:" + strconv.Itoa(int(state.Terminated.Signal))
	default:
		return "ExitCode:" + strconv.Itoa(int(state.Terminated.ExitCode))
	}
}

// PodSummary explains in one sentence why a pod waits for a node.
func PodSummary(pod *corev1.Pod) message.Sentence {
	ref, scheduled := facts.RefTo(cluster.Pod, pod), kube.PodCondition(pod, corev1.PodScheduled)
	switch {
	case len(pod.Spec.SchedulingGates) > 0:
		var gates message.List
		for _, gate := range pod.Spec.SchedulingGates {
			gates = append(gates, gate.Name)
		}
		return sentence.PodGated(ref, gates)
	case scheduled == nil:
		return sentence.PodUnseen(ref, pod.Spec.SchedulerName)
	case pod.Status.NominatedNodeName != "":
		return sentence.PodNominated(ref, facts.NodeRef(pod.Status.NominatedNodeName))
	default:
		return sentence.PodPending(ref, scheduled.Message)
	}
}
