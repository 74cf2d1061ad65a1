package diagnosis

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// terminating is about a pod that has been deleted and is still there: its grace period runs, kubelet has not confirmed
// its end, or a finalizer keeps the object. The deletion timestamp is when the grace period ends.
func (s *status) terminating(pod *corev1.Pod) {
	deadline := *pod.DeletionTimestamp
	late := s.since(deadline)
	args := message.Args{"pod": s.ref, "node": nodeRef(pod.Spec.NodeName), "age": "", "left": "", "finalizers": pod.Finalizers}
	deleted := factSince(s.ref, "metadata.deletionTimestamp", deadline.UTC().Format("2006-01-02T15:04:05Z"), deadline)
	if disrupted := podCondition(pod, corev1.DisruptionTarget); disrupted != nil {
		s.disruption(pod, disrupted)
	}
	if late < 0 {
		args["left"] = duration.HumanDuration(-late)
		s.is(podState(pod), finding.Info, message.StopsInGrace, args)
		grace := ""
		if pod.DeletionGracePeriodSeconds != nil {
			grace = strconv.Itoa(int(*pod.DeletionGracePeriodSeconds)) + "s"
		}
		s.because(message.StopsInGrace, args, fact(s.ref, "metadata.deletionGracePeriodSeconds", grace))
		return
	}
	args["age"] = duration.HumanDuration(late)
	id := s.stopHeldBy(pod)
	s.is(podState(pod), finding.Critical, id, args)
	evidence := []finding.Evidence{deleted}
	switch id {
	case message.StopFinalizers:
		evidence = append(evidence, fact(s.ref, "metadata.finalizers", strings.Join(pod.Finalizers, ", ")))
	case message.StopNodeDown:
		node := s.World.Node(pod.Spec.NodeName)
		ready, _ := readiness(node)
		evidence = append(evidence, conditionFact(node, ready))
	}
	s.because(id, args, evidence...)
	for _, e := range s.events(pod, "FailedKillPod", "FailedPreStopHook", "FailedUnmount", "FailedUnMount", "KillContainerError") {
		s.because(message.KubeletSays, nil, eventFact(e))
		break
	}
	s.replaced(pod)
}

// stopHeldBy is the sentence for what keeps a deleted pod whose grace period is over.
func (s *status) stopHeldBy(pod *corev1.Pod) message.ID {
	running := pod.Spec.NodeName != ""
	switch {
	case running && s.knows(cluster.Node) && s.World.Node(pod.Spec.NodeName) == nil:
		return message.StopNodeGone
	case running && s.knows(cluster.Node) && placeDown(s.World, pod.Spec.NodeName):
		return message.StopNodeDown
	case len(pod.Finalizers) > 0:
		return message.StopFinalizers
	case !running:
		return message.PodDeleting
	default:
		return message.StopKubelet
	}
}
