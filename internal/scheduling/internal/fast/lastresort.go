package fast

import (
	"context"
	"math"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/plain"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
)

// Cycle looks only at nodes where the pod may have victims: preemption takes no others.
func (s *filter) Cycle(ctx context.Context) (*plain.Cycle, error) {
	below := s.fast.nodesWithPodsBelow(corev1helpers.PodPriority(s.pod))
	if s.preFiltered && len(below) == 0 {
		return s.fast.plain.NewCycle(s.profile.Profile, s.pod), nil
	}
	return s.fast.cycle(ctx, s.profile.Profile, s.pod, below)
}

// cycle evaluates in preemption only the budgets of a node's pods: matching each budget of the cluster with each pod would be most of the work.
func (f *Scheduler) cycle(ctx context.Context, p *profile.Profile, pod *corev1.Pod, nodes []fwk.NodeInfo) (*plain.Cycle, error) {
	c, err := f.plain.Cycle(ctx, p, pod, nodes)
	if err != nil {
		return nil, err
	}
	c.BudgetsOf = f.store.Pods.Budgets
	return c, nil
}

// nodesWithPodsBelow are the nodes with a pod of lower priority than that.
func (f *Scheduler) nodesWithPodsBelow(priority int32) []fwk.NodeInfo {
	f.lowestPriorities.fit(len(f.store.Nodes.ByName))
	var nodes []fwk.NodeInfo
	for _, s := range f.store.Nodes.Sorted.Entries {
		if f.lowestPriorities.of(s, func() int32 { return lowest(s.Info.Pods) }) < priority {
			nodes = append(nodes, s.Info)
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
