package status

import (
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

// addressErrors are substrings of the errors of network plugins that have no free address: the AWS VPC CNI, the reference
// IPAM plugins, Calico, Cilium and Azure's.
var addressErrors = []string{
	"failed to assign an ip address", "no ip addresses available", "no available ip", "unable to allocate ip", "ip pool exhausted",
	"no more ips", "all ips in the cidr", "range is full", "no addresses available", "insufficientfreeaddresses",
}

// networkErrors are substrings of errors of the kubelet and the runtimes on a node whose network plugin is not ready.
var networkErrors = []string{"cni plugin not initialized", "networkpluginnotready", "network is not ready", "cni config uninitialized", "no networks found in"}

// sandboxFailed explains a pod whose sandbox, which includes its network, cannot be created. It reports whether that
// keeps the pod from starting.
func (s *Status) sandboxFailed(pod *corev1.Pod) bool {
	events := s.Events(pod, "FailedCreatePodSandBox", "FailedPodSandBoxStatus", "NetworkNotReady")
	if len(events) == 0 {
		return false
	}
	e := events[0]
	held, words := false, strings.ToLower(e.Message)
	switch {
	case containsAny(words, addressErrors):
		s.setHeld(&held, pod, sentence.AddressMissing(s.ref, facts.NodeRef(pod.Spec.NodeName)), query.EventEvidence(e))
		s.explainAddress(pod)
	case containsAny(words, networkErrors) || e.Reason == "NetworkNotReady":
		s.setHeld(&held, pod, sentence.NetworkMissing(s.ref, facts.NodeRef(pod.Spec.NodeName)), query.EventEvidence(e))
	case nameReserved.MatchString(e.Message):
		known := s.nameReserved(pod, "")
		s.set(PodState(pod), finding.Critical, known.summary)
		s.explainStartFailure(known, query.EventEvidence(e))
	default:
		s.setHeld(&held, pod, sentence.SandboxFails(s.ref, facts.NodeRef(pod.Spec.NodeName), e.Message), query.EventEvidence(e))
	}
	s.explainOtherSandboxes(pod)
	return true
}

// explainOtherSandboxes counts the pods of the same node with the same problem, and names a pod of the same workload that
// has an address on another node, so that the nodes can be compared.
func (s *Status) explainOtherSandboxes(pod *corev1.Pod) {
	var alike []change.Ref
	for _, other := range s.World.PodsOn(pod.Spec.NodeName) {
		if other.UID != pod.UID && other.Status.PodIP == "" && len(s.Events(other, "FailedCreatePodSandBox")) > 0 {
			alike = append(alike, facts.RefTo(cluster.Pod, other))
		}
	}
	if len(alike) > 0 {
		s.addCause(sentence.SameOnNode(len(alike), facts.NodeRef(pod.Spec.NodeName), s.Enumerate(alike)))
	}
	if good := s.similarRunningPod(pod); good != nil {
		ref := facts.RefTo(cluster.Pod, good)
		s.addCause(sentence.TwinWorks(
			ref,
			facts.NodeRef(good.Spec.NodeName),
			"naosu why "+s.ref.String()+" --unlike "+ref.String()+" --namespace "+pod.Namespace,
		), facts.Evidence(ref, "status.podIP", good.Status.PodIP))
	}
}

// similarRunningPod is a ready pod of the same controller on another node, nil if there is none.
func (s *Status) similarRunningPod(pod *corev1.Pod) *corev1.Pod {
	owner := s.World.Workload(pod)
	if owner == nil {
		return nil
	}
	for _, other := range s.World.Pods() {
		if other.Namespace == pod.Namespace && other.Spec.NodeName != pod.Spec.NodeName && facts.IsActive(other) &&
			kube.IsPodReady(other) && s.World.Workload(other) == owner {
			return other
		}
	}
	return nil
}
