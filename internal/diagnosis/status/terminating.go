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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// terminating explains a pod that has been deleted and still exists: it is within its grace period, the kubelet has not
// confirmed its end, or it has a finalizer. The deletion timestamp is the end of the grace period.
func (s *Status) terminating(pod *corev1.Pod) {
	deadline := *pod.DeletionTimestamp
	late := s.since(deadline)
	deleted := facts.EvidenceSince(s.ref, "metadata.deletionTimestamp", deadline.UTC().Format("2006-01-02T15:04:05Z"), deadline)
	if disrupted := kube.PodCondition(pod, corev1.DisruptionTarget); disrupted != nil {
		s.explainDisruption(pod, disrupted)
	}
	if late < 0 {
		left := sentence.StopsInGrace(s.ref, duration.HumanDuration(-late))
		s.set(PodState(pod), finding.Info, left)
		grace := ""
		if pod.DeletionGracePeriodSeconds != nil {
			grace = strconv.Itoa(int(*pod.DeletionGracePeriodSeconds)) + "s"
		}
		s.addCause(left, facts.Evidence(s.ref, "metadata.deletionGracePeriodSeconds", grace))
		return
	}
	held := s.terminationHeldBy(pod, duration.HumanDuration(late))
	evidence := []finding.Evidence{deleted}
	if held.ID == message.StopKubelet {
		if hook, more := s.explainPreStop(pod, duration.HumanDuration(late)); !hook.IsZero() {
			held, evidence = hook, append(evidence, more...)
		}
	}
	s.set(PodState(pod), finding.Critical, held)
	switch held.ID {
	case message.StopFinalizers:
		evidence = append(evidence, facts.Evidence(s.ref, "metadata.finalizers", strings.Join(pod.Finalizers, ", ")))
	case message.StopNodeDown:
		node := s.World.Node(pod.Spec.NodeName)
		ready, _ := facts.Readiness(node)
		evidence = append(evidence, nodeConditionEvidence(node, ready))
	}
	s.addCause(held, evidence...)
	switch held.ID {
	case message.StopHook:
		s.proposeEndPreStop(pod)
	case message.StopKubelet:
		s.advise(sentence.RemedyKubelet(facts.NodeRef(pod.Spec.NodeName)))
	}
	for _, e := range s.Events(pod, "FailedKillPod", "FailedPreStopHook", "FailedUnmount", "FailedUnMount", "KillContainerError") {
		s.addCause(sentence.KubeletSays(), query.EventEvidence(e))
		break
	}
	s.explainReplacement(pod)
}

// terminationHeldBy explains why a deleted pod still exists after its grace period.
func (s *Status) terminationHeldBy(pod *corev1.Pod, age string) message.Sentence {
	node := facts.NodeRef(pod.Spec.NodeName)
	running := pod.Spec.NodeName != ""
	switch {
	case running && s.Known(cluster.Node) && s.World.Node(pod.Spec.NodeName) == nil:
		return sentence.StopNodeGone(s.ref, age, node)
	case running && s.Known(cluster.Node) && query.NodeUnavailable(s.World, pod.Spec.NodeName):
		return sentence.StopNodeDown(s.ref, age, node)
	case len(pod.Finalizers) > 0 && !facts.HasRunning(pod):
		return sentence.StopFinalizers(s.ref, age, message.ListOf(pod.Finalizers)) // The kubelet has confirmed the end.
	case !running:
		return sentence.PodDeleting(s.ref)
	default:
		return sentence.StopKubelet(s.ref, age, node)
	}
}
