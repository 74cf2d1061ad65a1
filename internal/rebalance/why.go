package rebalance

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Why is why a plan evicts a pod.
type Why string

const (
	// NodeNotAdmitted is that the taints or labels of its node no longer admit it.
	NodeNotAdmitted Why = "NodeNotAdmitted"
	// AffinityViolated is that it runs apart from the pods beside which its required affinity keeps it.
	AffinityViolated Why = "AffinityViolated"
	// AntiAffinityViolated is that it runs beside one that its required anti-affinity excludes.
	AntiAffinityViolated Why = "AntiAffinityViolated"
	// TopologySpreadViolated is that it runs in a domain that holds more pods than a topology spread constraint allows.
	TopologySpreadViolated Why = "TopologySpreadViolated"
	// NodeShareExceeded is that its node holds more of its workload's pods than Options.MaxShare allows.
	NodeShareExceeded Why = "NodeShareExceeded"
	// ZoneShareExceeded is that its zone does.
	ZoneShareExceeded Why = "ZoneShareExceeded"
	// NodeOverutilized is that more of its node is requested than Options.MaxUtilizationDeviation allows.
	NodeOverutilized Why = "NodeOverutilized"
	// MakesRoom is that it need not leave its node itself, and another pod takes its place.
	MakesRoom Why = "MakesRoom"
)

// whyEvicted is why a plan evicts a pod that ran before: the first rule or target that it violated then.
func (s *search) whyEvicted(pod *corev1.Pod) Why {
	w := s.original[podRef(pod)].workload
	if w.isMisplaced(pod) {
		return w.misplaced[keyOf(pod)].why
	}
	before := s.before[w.ref]
	for _, l := range w.limits {
		if l.overfull(before, pod.Spec.NodeName) {
			return l.why
		}
	}
	if s.relieved[podRef(pod)] {
		return NodeOverutilized
	}
	return MakesRoom
}

// Sentence says why a pod is evicted, as a phrase.
func (w Why) Sentence() message.Sentence {
	switch w {
	case NodeNotAdmitted:
		return sentence.WhyNotAdmitted()
	case AffinityViolated:
		return sentence.WhyAffinity()
	case AntiAffinityViolated:
		return sentence.WhyAntiAffinity()
	case TopologySpreadViolated:
		return sentence.WhySpread()
	case NodeShareExceeded:
		return sentence.WhyNodeShare()
	case ZoneShareExceeded:
		return sentence.WhyZoneShare()
	case NodeOverutilized:
		return sentence.WhyOverutilized()
	default:
		return sentence.WhyMakesRoom()
	}
}
