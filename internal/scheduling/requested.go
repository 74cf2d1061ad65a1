package scheduling

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Taken is the sum of the requests of a node's pods for a resource, as the scheduler counts it: millicores of CPU, bytes, pieces,
// or for "pods" their number. It is zero for a node that does not exist.
func (j *Judge) Taken(node string, resource corev1.ResourceName) int64 {
	info := j.nodes.node(node)
	if info == nil {
		return 0
	}
	switch resource {
	case corev1.ResourceCPU:
		return info.Requested.MilliCPU
	case corev1.ResourceMemory:
		return info.Requested.Memory
	case corev1.ResourceEphemeralStorage:
		return info.Requested.EphemeralStorage
	case corev1.ResourcePods:
		return int64(len(info.Pods))
	default:
		return info.Requested.ScalarResources[resource]
	}
}

// ObstaclesOn is Obstacles of some nodes only, in the order given. An error is also a node that does not exist.
func (j *Judge) ObstaclesOn(ctx context.Context, pod *corev1.Pod, nodes ...string) (Obstacles, error) {
	p, err := j.profile(pod)
	if err != nil {
		return Obstacles{}, err
	}
	ctx = withoutLogs(ctx)
	s := j.newSurvey(p, pod)
	if err := s.prepare(ctx); err != nil {
		return Obstacles{}, err
	}
	found := Obstacles{Nodes: make([]NodeObstacles, 0, len(nodes))}
	for _, name := range nodes {
		at := j.nodes.byName[name]
		if at == nil || at.index == absent {
			return Obstacles{}, fmt.Errorf("asking what keeps pod %s off node %s: it does not exist", nameOf(s.pod), name)
		}
		on, err := s.look(ctx, at)
		if err != nil {
			return Obstacles{}, err
		}
		found.Nodes = append(found.Nodes, on)
	}
	found.Everywhere = slices.Clone(s.everywhere)
	return found, nil
}
