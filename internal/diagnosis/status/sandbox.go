package status

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/message"
)

// noAddress are the words by which network plugins say that they have no address left: the AWS VPC CNI, the reference
// IPAM plugins, Calico, Cilium and Azure's.
var noAddress = []string{
	"failed to assign an ip address", "no ip addresses available", "no available ip", "unable to allocate ip", "ip pool exhausted",
	"no more ips", "all ips in the cidr", "range is full", "no addresses available", "insufficientfreeaddresses",
}

// noNetwork are kubelet's and the runtimes' words for a node whose network plugin has not come up.
var noNetwork = []string{"cni plugin not initialized", "networkpluginnotready", "network is not ready", "cni config uninitialized", "no networks found in"}

// noSandbox is about a pod whose sandbox, the network included, cannot be made. It says whether that holds the pod.
func (s *Status) noSandbox(pod *corev1.Pod) bool {
	events := s.Events(pod, "FailedCreatePodSandBox", "FailedPodSandBoxStatus", "NetworkNotReady")
	if len(events) == 0 {
		return false
	}
	e := events[0]
	args, held, words := message.Args{"why": e.Message, "driver": ""}, false, strings.ToLower(e.Message)
	switch {
	case containsAny(words, noAddress):
		s.hold(&held, pod, message.AddressMissing, args, query.EventFact(e))
		s.unsure("addresses", message.AddressesUnknown, nil)
	case containsAny(words, noNetwork) || e.Reason == "NetworkNotReady":
		s.hold(&held, pod, message.NetworkMissing, args, query.EventFact(e))
	default:
		s.hold(&held, pod, message.SandboxFails, args, query.EventFact(e))
	}
	s.sandboxesElsewhere(pod)
	return true
}

// sandboxesElsewhere counts the pods of the same node that have the same trouble, and names a pod of the same workload
// that has an address on another node: with both at hand the difference can be found.
func (s *Status) sandboxesElsewhere(pod *corev1.Pod) {
	var alike []change.Ref
	for _, other := range s.World.PodsOn(pod.Spec.NodeName) {
		if other.UID != pod.UID && other.Status.PodIP == "" && len(s.Events(other, "FailedCreatePodSandBox")) > 0 {
			alike = append(alike, facts.RefTo(cluster.Pod, other))
		}
	}
	if len(alike) > 0 {
		s.because(message.SameOnNode, message.Args{"n": len(alike), "pods": s.Some(alike), "node": facts.NodeRef(pod.Spec.NodeName)})
	}
	if good := s.goodTwin(pod); good != nil {
		ref := facts.RefTo(cluster.Pod, good)
		s.because(message.TwinWorks, message.Args{
			"twin": ref, "node": facts.NodeRef(good.Spec.NodeName), "command": "naosu why " + s.ref.String() + " --unlike " + ref.String() + " --namespace " + pod.Namespace,
		}, facts.Fact(ref, "status.podIP", good.Status.PodIP))
	}
}

// goodTwin is a ready pod of the same controller on another node, nil if there is none.
func (s *Status) goodTwin(pod *corev1.Pod) *corev1.Pod {
	owner := s.World.Workload(pod)
	if owner == nil {
		return nil
	}
	for _, other := range s.World.Pods() {
		ready := facts.PodCondition(other, corev1.PodReady)
		if other.Namespace == pod.Namespace && other.Spec.NodeName != pod.Spec.NodeName && facts.Alive(other) &&
			ready != nil && ready.Status == corev1.ConditionTrue && s.World.Workload(other) == owner {
			return other
		}
	}
	return nil
}
