package status

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

// terminating is about a pod that has been deleted and is still there: its grace period runs, kubelet has not confirmed
// its end, or a finalizer keeps the object. The deletion timestamp is when the grace period ends.
func (s *Status) terminating(pod *corev1.Pod) {
	deadline := *pod.DeletionTimestamp
	late := s.since(deadline)
	args := message.Args{"pod": s.ref, "node": facts.NodeRef(pod.Spec.NodeName), "age": "", "left": "", "finalizers": pod.Finalizers}
	deleted := facts.EvidenceSince(s.ref, "metadata.deletionTimestamp", deadline.UTC().Format("2006-01-02T15:04:05Z"), deadline)
	if disrupted := kube.PodCondition(pod, corev1.DisruptionTarget); disrupted != nil {
		s.explainDisruption(pod, disrupted)
	}
	if late < 0 {
		args["left"] = duration.HumanDuration(-late)
		s.set(PodState(pod), finding.Info, message.StopsInGrace, args)
		grace := ""
		if pod.DeletionGracePeriodSeconds != nil {
			grace = strconv.Itoa(int(*pod.DeletionGracePeriodSeconds)) + "s"
		}
		s.addCause(message.StopsInGrace, args, facts.Evidence(s.ref, "metadata.deletionGracePeriodSeconds", grace))
		return
	}
	args["age"] = duration.HumanDuration(late)
	id := s.terminationHeldBy(pod)
	evidence := []finding.Evidence{deleted}
	if id == message.StopKubelet {
		hooked, more := s.explainPreStop(pod, args)
		id, evidence = hooked, append(evidence, more...)
	}
	s.set(PodState(pod), finding.Critical, id, args)
	switch id {
	case message.StopFinalizers:
		evidence = append(evidence, facts.Evidence(s.ref, "metadata.finalizers", strings.Join(pod.Finalizers, ", ")))
	case message.StopNodeDown:
		node := s.World.Node(pod.Spec.NodeName)
		ready, _ := facts.Readiness(node)
		evidence = append(evidence, nodeConditionEvidence(node, ready))
	}
	s.addCause(id, args, evidence...)
	if id == message.StopHook {
		s.proposeEndPreStop(pod, args)
	}
	for _, e := range s.Events(pod, "FailedKillPod", "FailedPreStopHook", "FailedUnmount", "FailedUnMount", "KillContainerError") {
		s.addCause(message.KubeletSays, nil, query.EventEvidence(e))
		break
	}
	s.explainReplacement(pod)
}

// terminationHeldBy is the sentence for what keeps a deleted pod whose grace period is over.
func (s *Status) terminationHeldBy(pod *corev1.Pod) message.ID {
	running := pod.Spec.NodeName != ""
	switch {
	case running && s.Known(cluster.Node) && s.World.Node(pod.Spec.NodeName) == nil:
		return message.StopNodeGone
	case running && s.Known(cluster.Node) && query.NodeUnavailable(s.World, pod.Spec.NodeName):
		return message.StopNodeDown
	case len(pod.Finalizers) > 0 && !facts.HasRunning(pod):
		return message.StopFinalizers // The kubelet has done its part.
	case !running:
		return message.PodDeleting
	default:
		return message.StopKubelet
	}
}
