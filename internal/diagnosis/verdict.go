package diagnosis

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// verdict is what the judge has against the world's nodes for one pod.
type verdict struct {
	// everywhere keeps the pod off every node.
	everywhere []scheduling.Obstacle
	// closed and open nodes are in the order of their names.
	closed []closedNode
	open   []*corev1.Node
}

// memory keeps what was asked of the judge, for rules that look at the same pod.
type memory map[question]reply

type question struct {
	world *cluster.Snapshot
	pod   *corev1.Pod
}

type reply struct {
	verdict *verdict
	err     error
}

// remembering makes the View ask the judge only once about a pod.
func (v View) remembering() View {
	if v.memory == nil {
		v.memory = memory{}
	}
	return v
}

// judged is the judge's verdict on a pod, nil if there is no judge, it does not speak for the pod's scheduler, or it fails.
func (v View) judged(ctx context.Context, pod *corev1.Pod) *verdict {
	found, _ := v.ask(ctx, pod)
	return found
}

// ask is judged with the judge's failure.
func (v View) ask(ctx context.Context, pod *corev1.Pod) (*verdict, error) {
	if v.Judge == nil || !v.Judge.Models(pod) {
		return nil, nil
	}
	q := question{v.World, pod}
	known, ok := v.memory[q]
	if !ok {
		answer, err := v.Judge.Obstacles(ctx, pod)
		if err == nil || len(answer.Everywhere) > 0 { // What closes every node leaves some plugins at a loss about each.
			known.verdict = read(v.World, pod, answer)
		} else {
			known.err = err
		}
		if v.memory != nil {
			v.memory[q] = known
		}
	}
	return known.verdict, known.err
}

func read(world *cluster.Snapshot, pod *corev1.Pod, answer scheduling.Obstacles) *verdict {
	found := &verdict{everywhere: answer.Everywhere}
	for _, n := range answer.Nodes {
		node := world.Node(n.Node)
		if node == nil {
			continue
		}
		if len(n.Obstacles) == 0 {
			found.open = append(found.open, node)
			continue
		}
		closed := closedNode{node: node}
		closed.add(obstaclesOn(pod, node, n)...)
		found.closed = append(found.closed, closed)
	}
	return found
}

// plain is the verdict without a judge, from nodes, claims and volumes alone: a volume's zones hold whichever scheduler
// places the pod, for the kubelet refuses it elsewhere. Whatever else may close a node is left out.
func (v View) plain(mounts []mount) *verdict {
	found := &verdict{}
	for _, node := range v.World.Nodes() {
		if slices.ContainsFunc(mounts, func(m mount) bool { return !m.allows(node) }) {
			found.closed = append(found.closed, closedNode{node: node, obstacles: []obstacle{{kind: message.ObstacleVolume}}})
		} else {
			found.open = append(found.open, node)
		}
	}
	return found
}

// runs says whether the judge would find the pod a node as things are.
func (d *verdict) runs() bool { return len(d.everywhere) == 0 && len(d.open) > 0 }

// all nodes, the open ones without obstacles.
func (d *verdict) all() []closedNode {
	all := slices.Clone(d.closed)
	for _, node := range d.open {
		all = append(all, closedNode{node: node})
	}
	slices.SortFunc(all, func(a, b closedNode) int { return cmp.Compare(a.node.Name, b.node.Name) })
	return all
}
