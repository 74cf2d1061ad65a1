package rebalance

import (
	corev1 "k8s.io/api/core/v1"
)

// EvictionLimits are the largest numbers of evictions of a plan for the pods of one node, of one namespace, and of one workload; zero is no limit.
type EvictionLimits struct {
	PerNode, PerNamespace, PerWorkload int
}

// limitsOf are what the eviction of a pod counts for, and how much of each the plan may have.
func (s *search) limitsOf(pod *corev1.Pod) map[string]int {
	limits := map[string]int{}
	limit := func(key string, most int) {
		if most > 0 {
			limits[key] = most
		}
	}
	limit("node/"+pod.Spec.NodeName, s.o.Limits.PerNode)
	limit("namespace/"+pod.Namespace, s.o.Limits.PerNamespace)
	limit(pod.Namespace+"/"+s.ofPod[keyOf(pod)].ref.String(), s.o.Limits.PerWorkload)
	return limits
}

// count notes that a plan evicts a pod.
func (s *search) count(pod *corev1.Pod) {
	if s.o.Limits == (EvictionLimits{}) {
		return
	}
	for key := range s.limitsOf(pod) {
		s.counted[key]++
	}
}

// withinLimits reports whether a plan may evict pods besides those that it evicts already.
func (s *search) withinLimits(pods []*corev1.Pod) bool {
	if s.o.Limits == (EvictionLimits{}) {
		return true
	}
	added := map[string]int{}
	for _, pod := range pods {
		for key, most := range s.limitsOf(pod) {
			if added[key]++; s.counted[key]+added[key] > most {
				s.limited = true
				return false
			}
		}
	}
	return true
}
