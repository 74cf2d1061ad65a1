package query

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Verdict is the judge's result of each node for one pod.
type Verdict struct {
	// OnAllNodes are obstacles that exclude every node.
	OnAllNodes []scheduling.Obstacle
	// Infeasible and Feasible nodes are sorted by name.
	Infeasible []NodeObstacles
	Feasible   []*corev1.Node
}

// cache contains the judge's verdicts, for rules that examine the same pod.
type cache map[cacheKey]cacheEntry

type cacheKey struct {
	world *cluster.Snapshot
	pod   *corev1.Pod
}

type cacheEntry struct {
	verdict *Verdict
	err     error
}

// Addresses is what is known of the addresses of the world's subnets; nil if no cloud was asked about its network.
func (q Query) Addresses() *addresses.Report {
	return addresses.Compute(q.World)
}

// WithCache returns a Query that asks the judge only once about each pod.
func (q Query) WithCache() Query {
	if q.cache == nil {
		q.cache = cache{}
	}
	return q
}

// Verdict is the judge's verdict on a pod; nil if there is no judge, it does not model the pod's scheduler, or it fails.
func (q Query) Verdict(ctx context.Context, pod *corev1.Pod) *Verdict {
	found, _ := q.VerdictOrError(ctx, pod)
	return found
}

// VerdictOrError is Verdict with the judge's error.
func (q Query) VerdictOrError(ctx context.Context, pod *corev1.Pod) (*Verdict, error) {
	if q.Judge == nil || !q.Judge.Models(pod) {
		return nil, nil
	}
	key := cacheKey{q.World, pod}
	known, ok := q.cache[key]
	if !ok {
		answer, err := q.Judge.Obstacles(ctx, pod)
		if err == nil || len(answer.Everywhere) > 0 { // An obstacle on all nodes makes some plugins fail on each.
			known.verdict = newVerdict(q.World, pod, answer)
		} else {
			known.err = err
		}
		if q.cache != nil {
			q.cache[key] = known
		}
	}
	return known.verdict, known.err
}

func newVerdict(world *cluster.Snapshot, pod *corev1.Pod, answer scheduling.Obstacles) *Verdict {
	found := &Verdict{OnAllNodes: answer.Everywhere}
	nodes := world.Nodes()
	for i, n := range answer.Nodes {
		var node *corev1.Node
		if i < len(nodes) && nodes[i].Name == n.Node {
			node = nodes[i] // The judge knows the same nodes, mostly, and sorts them as well.
		} else if node = world.Node(n.Node); node == nil {
			continue
		}
		if len(n.Obstacles) == 0 {
			found.Feasible = append(found.Feasible, node)
			continue
		}
		infeasible := NodeObstacles{Node: node}
		infeasible.add(nodeObstacles(pod, node, n)...)
		found.Infeasible = append(found.Infeasible, infeasible)
	}
	return found
}

// VolumeVerdict is the verdict without a judge, from nodes, claims and volumes alone: a volume's zones apply to all schedulers,
// since the kubelet rejects the pod elsewhere. Other obstacles are ignored.
func (q Query) VolumeVerdict(mounts []facts.Mount) *Verdict {
	found := &Verdict{}
	for _, node := range q.World.Nodes() {
		if slices.ContainsFunc(mounts, func(m facts.Mount) bool { return !m.Allows(node) }) {
			found.Infeasible = append(found.Infeasible, NodeObstacles{Node: node, Obstacles: []Obstacle{{Kind: message.ObstacleVolume}}})
		} else {
			found.Feasible = append(found.Feasible, node)
		}
	}
	return found
}

// Schedulable reports whether some node is feasible.
func (d *Verdict) Schedulable() bool { return len(d.OnAllNodes) == 0 && len(d.Feasible) > 0 }

// AllNodes are the infeasible and the feasible nodes, the latter without obstacles, sorted by name.
func (d *Verdict) AllNodes() []NodeObstacles {
	all := slices.Clone(d.Infeasible)
	for _, node := range d.Feasible {
		all = append(all, NodeObstacles{Node: node})
	}
	slices.SortFunc(all, func(a, b NodeObstacles) int { return cmp.Compare(a.Node.Name, b.Node.Name) })
	return all
}
