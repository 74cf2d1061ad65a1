package scheduling

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/plain"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Obstacles says, of every plugin and every node, what keeps the pod off. It does not stop at a node's first.
func (j *Judge) Obstacles(ctx context.Context, pod *corev1.Pod) (Obstacles, error) {
	p, err := j.profile(pod)
	if err != nil {
		return Obstacles{}, err
	}
	ctx, seen := profile.WithoutLogs(ctx), j.store.Pods.Defaulted(pod)
	var everywhere []Obstacle
	if status := p.Gate(ctx, seen); status != nil {
		if !status.IsRejected() {
			return Obstacles{}, fmt.Errorf("asking plugin %s about pod %s: %w", status.Plugin(), store.NameOf(pod), status.AsError())
		}
		everywhere = append(everywhere, Obstacle{Plugin: status.Plugin(), Reasons: status.Reasons(), Final: true})
	}
	s, err := j.path.Survey(ctx, p, seen)
	if err != nil {
		return Obstacles{}, err
	}
	found, err := obstaclesOn(ctx, s, j.store.Nodes.Sorted.Entries)
	found.Everywhere = append(everywhere, found.Everywhere...)
	return found, err
}

// ObstaclesOn is Obstacles of some nodes only, in the order given. An error is also a node that does not exist.
func (j *Judge) ObstaclesOn(ctx context.Context, pod *corev1.Pod, nodes ...string) (Obstacles, error) {
	p, err := j.profile(pod)
	if err != nil {
		return Obstacles{}, err
	}
	among := make([]*store.Node, len(nodes))
	for i, name := range nodes {
		if among[i] = j.store.Nodes.Existing(name); among[i] == nil {
			return Obstacles{}, fmt.Errorf("asking what keeps pod %s off node %s: it does not exist", store.NameOf(pod), name)
		}
	}
	ctx = profile.WithoutLogs(ctx)
	s, err := j.plain.Survey(ctx, p, j.store.Pods.Defaulted(pod)) // what holds of all nodes is of no use for a few
	if err != nil {
		return Obstacles{}, err
	}
	return obstaclesOn(ctx, s, among)
}

func obstaclesOn(ctx context.Context, s *plain.Survey, nodes []*store.Node) (Obstacles, error) {
	found := Obstacles{Nodes: make([]NodeObstacles, len(nodes))}
	for i, node := range nodes {
		found.Nodes[i].Node = node.Name
	}
	for _, r := range s.Everywhere {
		found.Everywhere = append(found.Everywhere, obstacle(r))
	}
	return found, s.On(ctx, nodes, func(i int, r plain.Refusal) {
		found.Nodes[i].Obstacles = append(found.Nodes[i].Obstacles, obstacle(r))
	})
}

func obstacle(r plain.Refusal) Obstacle {
	return Obstacle{Plugin: r.Plugin, Reasons: r.Status.Reasons(), Final: r.Status.Code() == fwk.UnschedulableAndUnresolvable}
}
