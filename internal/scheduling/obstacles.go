package scheduling

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Obstacles says, of every plugin and every node, what keeps the pod off. It does not stop at a node's first.
func (j *Judge) Obstacles(ctx context.Context, pod *corev1.Pod) (Obstacles, error) {
	p, err := j.profile(pod)
	if err != nil {
		return Obstacles{}, err
	}
	ctx, seen := withoutLogs(ctx), j.store.pods.defaulted(pod)
	var everywhere []Obstacle
	if status := p.gate(ctx, seen); status != nil {
		if !status.IsRejected() {
			return Obstacles{}, fmt.Errorf("asking plugin %s about pod %s: %w", status.Plugin(), nameOf(pod), status.AsError())
		}
		everywhere = append(everywhere, Obstacle{Plugin: status.Plugin(), Reasons: status.Reasons(), Final: true})
	}
	s, err := j.path.Survey(ctx, p, seen)
	if err != nil {
		return Obstacles{}, err
	}
	found, err := obstaclesOn(ctx, s, j.store.nodes.sorted.entries)
	found.Everywhere = append(everywhere, found.Everywhere...)
	return found, err
}

// ObstaclesOn is Obstacles of some nodes only, in the order given. An error is also a node that does not exist.
func (j *Judge) ObstaclesOn(ctx context.Context, pod *corev1.Pod, nodes ...string) (Obstacles, error) {
	p, err := j.profile(pod)
	if err != nil {
		return Obstacles{}, err
	}
	among := make([]*nodeEntry, len(nodes))
	for i, name := range nodes {
		if among[i] = j.store.nodes.existing(name); among[i] == nil {
			return Obstacles{}, fmt.Errorf("asking what keeps pod %s off node %s: it does not exist", nameOf(pod), name)
		}
	}
	ctx = withoutLogs(ctx)
	s, err := j.plain.Survey(ctx, p, j.store.pods.defaulted(pod)) // what holds of all nodes is of no use for a few
	if err != nil {
		return Obstacles{}, err
	}
	return obstaclesOn(ctx, s, among)
}

func obstaclesOn(ctx context.Context, s *survey, nodes []*nodeEntry) (Obstacles, error) {
	found := Obstacles{Nodes: make([]NodeObstacles, len(nodes))}
	for i, node := range nodes {
		found.Nodes[i].Node = node.name
	}
	for _, r := range s.everywhere {
		found.Everywhere = append(found.Everywhere, obstacle(r))
	}
	return found, s.on(ctx, nodes, func(i int, r refusal) {
		found.Nodes[i].Obstacles = append(found.Nodes[i].Obstacles, obstacle(r))
	})
}

func obstacle(r refusal) Obstacle {
	return Obstacle{Plugin: r.plugin, Reasons: r.status.Reasons(), Final: r.status.Code() == fwk.UnschedulableAndUnresolvable}
}
