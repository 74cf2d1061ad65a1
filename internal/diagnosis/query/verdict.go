package query

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Verdict is what the judge has against the world's nodes for one pod.
type Verdict struct {
	// Everywhere keeps the pod off every node.
	Everywhere []scheduling.Obstacle
	// Closed and open nodes are in the order of their names.
	Closed []ClosedNode
	Open   []*corev1.Node
}

// memory keeps what was asked of the judge, for rules that look at the same pod.
type memory map[question]reply

type question struct {
	world *cluster.Snapshot
	pod   *corev1.Pod
}

type reply struct {
	verdict *Verdict
	err     error
}

// Remembering makes the View ask the judge only once about a pod.
func (v View) Remembering() View {
	if v.memory == nil {
		v.memory = memory{}
	}
	return v
}

// Judged is the judge's verdict on a pod, nil if there is no judge, it does not speak for the pod's scheduler, or it fails.
func (v View) Judged(ctx context.Context, pod *corev1.Pod) *Verdict {
	found, _ := v.Ask(ctx, pod)
	return found
}

// Ask is judged with the judge's failure.
func (v View) Ask(ctx context.Context, pod *corev1.Pod) (*Verdict, error) {
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

func read(world *cluster.Snapshot, pod *corev1.Pod, answer scheduling.Obstacles) *Verdict {
	found := &Verdict{Everywhere: answer.Everywhere}
	for _, n := range answer.Nodes {
		node := world.Node(n.Node)
		if node == nil {
			continue
		}
		if len(n.Obstacles) == 0 {
			found.Open = append(found.Open, node)
			continue
		}
		closed := ClosedNode{Node: node}
		closed.add(obstaclesOn(pod, node, n)...)
		found.Closed = append(found.Closed, closed)
	}
	return found
}

// Plain is the verdict without a judge, from nodes, claims and volumes alone: a volume's zones hold whichever scheduler
// places the pod, for the kubelet refuses it elsewhere. Whatever else may close a node is left out.
func (v View) Plain(mounts []facts.Mount) *Verdict {
	found := &Verdict{}
	for _, node := range v.World.Nodes() {
		if slices.ContainsFunc(mounts, func(m facts.Mount) bool { return !m.Allows(node) }) {
			found.Closed = append(found.Closed, ClosedNode{Node: node, Obstacles: []Obstacle{{Kind: message.ObstacleVolume}}})
		} else {
			found.Open = append(found.Open, node)
		}
	}
	return found
}

// Runs says whether the judge would find the pod a node as things are.
func (d *Verdict) Runs() bool { return len(d.Everywhere) == 0 && len(d.Open) > 0 }

// All nodes, the open ones without obstacles.
func (d *Verdict) All() []ClosedNode {
	all := slices.Clone(d.Closed)
	for _, node := range d.Open {
		all = append(all, ClosedNode{Node: node})
	}
	slices.SortFunc(all, func(a, b ClosedNode) int { return cmp.Compare(a.Node.Name, b.Node.Name) })
	return all
}
