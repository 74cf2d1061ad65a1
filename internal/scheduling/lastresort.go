package scheduling

import (
	"context"
	"math"

	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Cycle looks only at nodes where the pod may have victims: preemption takes no others.
func (s *fastFilter) Cycle(ctx context.Context) (*cycle, error) {
	below := s.fast.nodesWithPodsBelow(corev1helpers.PodPriority(s.pod))
	if s.preFiltered && len(below) == 0 {
		return s.fast.plain.newCycle(s.profile.profile, s.pod), nil
	}
	return s.fast.plain.cycle(ctx, s.profile.profile, s.pod, below)
}

// nodesWithPodsBelow are the nodes with a pod of lower priority than that.
func (f *fastScheduler) nodesWithPodsBelow(priority int32) []fwk.NodeInfo {
	f.lowestPriorities.fit(len(f.store.nodes.byName))
	var nodes []fwk.NodeInfo
	for _, s := range f.store.nodes.sorted.entries {
		if f.lowestPriorities.of(s, func() int32 { return lowest(s.info.Pods) }) < priority {
			nodes = append(nodes, s.info)
		}
	}
	return nodes
}

func lowest(pods []fwk.PodInfo) int32 {
	priority := int32(math.MaxInt32)
	for _, pod := range pods {
		priority = min(priority, corev1helpers.PodPriority(pod.GetPod()))
	}
	return priority
}
