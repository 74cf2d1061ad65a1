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
	"github.com/naosu-dev/naosu/internal/message"
)

// terminating is about a pod that has been deleted and is still there: its grace period runs, kubelet has not confirmed
// its end, or a finalizer keeps the object. The deletion timestamp is when the grace period ends.
func (s *Status) terminating(pod *corev1.Pod) {
	deadline := *pod.DeletionTimestamp
	late := s.since(deadline)
	args := message.Args{"pod": s.ref, "node": facts.NodeRef(pod.Spec.NodeName), "age": "", "left": "", "finalizers": pod.Finalizers}
	deleted := facts.FactSince(s.ref, "metadata.deletionTimestamp", deadline.UTC().Format("2006-01-02T15:04:05Z"), deadline)
	if disrupted := facts.PodCondition(pod, corev1.DisruptionTarget); disrupted != nil {
		s.disruption(pod, disrupted)
	}
	if late < 0 {
		args["left"] = duration.HumanDuration(-late)
		s.is(PodState(pod), finding.Info, message.StopsInGrace, args)
		grace := ""
		if pod.DeletionGracePeriodSeconds != nil {
			grace = strconv.Itoa(int(*pod.DeletionGracePeriodSeconds)) + "s"
		}
		s.because(message.StopsInGrace, args, facts.Fact(s.ref, "metadata.deletionGracePeriodSeconds", grace))
		return
	}
	args["age"] = duration.HumanDuration(late)
	id := s.stopHeldBy(pod)
	evidence := []finding.Evidence{deleted}
	if id == message.StopKubelet {
		hooked, more := s.inHook(pod, args)
		id, evidence = hooked, append(evidence, more...)
	}
	s.is(PodState(pod), finding.Critical, id, args)
	switch id {
	case message.StopFinalizers:
		evidence = append(evidence, facts.Fact(s.ref, "metadata.finalizers", strings.Join(pod.Finalizers, ", ")))
	case message.StopNodeDown:
		node := s.World.Node(pod.Spec.NodeName)
		ready, _ := facts.Readiness(node)
		evidence = append(evidence, conditionFact(node, ready))
	}
	s.because(id, args, evidence...)
	if id == message.StopHook {
		s.endHook(pod, args)
	}
	for _, e := range s.Events(pod, "FailedKillPod", "FailedPreStopHook", "FailedUnmount", "FailedUnMount", "KillContainerError") {
		s.because(message.KubeletSays, nil, query.EventFact(e))
		break
	}
	s.replaced(pod)
}

// stopHeldBy is the sentence for what keeps a deleted pod whose grace period is over.
func (s *Status) stopHeldBy(pod *corev1.Pod) message.ID {
	running := pod.Spec.NodeName != ""
	switch {
	case running && s.Knows(cluster.Node) && s.World.Node(pod.Spec.NodeName) == nil:
		return message.StopNodeGone
	case running && s.Knows(cluster.Node) && query.PlaceDown(s.World, pod.Spec.NodeName):
		return message.StopNodeDown
	case len(pod.Finalizers) > 0 && !facts.HasRunning(pod):
		return message.StopFinalizers // The kubelet has done its part.
	case !running:
		return message.PodDeleting
	default:
		return message.StopKubelet
	}
}
