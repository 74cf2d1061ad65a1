package scheduling

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/hash"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/plain"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// minFeasibleNodes and minFeasiblePercentage bound from below how many feasible nodes the scheduler looks for.
const (
	minFeasibleNodes      = 100
	minFeasiblePercentage = 5
)

// sample leaves, of the nodes where a pod may run, those that the scheduler scores. In a large cluster it stops once it has found
// enough. It begins where it stopped for the pod before, which is taken to be anywhere: seed zero looks at every node, and each
// other seed begins elsewhere.
//
// Source: pkg/scheduler of Kubernetes (findNodesThatPassFilters).
func (j *Judge) sample(a plain.Attempt, pod *corev1.Pod) {
	feasible := a.Feasible()
	size := j.sampleSize(pod)
	if j.seed == 0 || len(feasible) <= size || isNominated(pod, feasible) {
		return
	}
	order, passes := j.scanOrder.of(j.store.Nodes), j.scanOrder.mark(feasible)
	first := int(hash.New().Number(j.seed).Text(pod.Namespace).Text(pod.Name).Mixed() % uint64(len(order)))
	for at, found := first, 0; found < size; at++ {
		if node := order[at%len(order)]; passes[node] {
			passes[node] = false
			found++
		}
	}
	sampled := make([]int, 0, size)
	for _, node := range feasible {
		if !passes[node.Index] {
			sampled = append(sampled, node.Index)
		}
	}
	a.Keep(sampled)
}

// isNominated reports whether a pod may run on its nominated node, which the scheduler tries first and alone.
func isNominated(pod *corev1.Pod, feasible []*store.Node) bool {
	return pod.Status.NominatedNodeName != "" && slices.ContainsFunc(feasible, func(node *store.Node) bool { return node.Name == pod.Status.NominatedNodeName })
}

// sampleSize is how many feasible nodes the scheduler looks for.
//
// Source: pkg/scheduler of Kubernetes (numFeasibleNodesToFind).
func (j *Judge) sampleSize(pod *corev1.Pod) int {
	nodes, percentage := len(j.store.Nodes.Sorted.Entries), 0
	if p, err := j.profile(pod); err == nil {
		percentage = int(ptr.Deref(p.Config.PercentageOfNodesToScore, 0))
	}
	if nodes < minFeasibleNodes {
		return nodes
	}
	if percentage == 0 {
		percentage = max(50-nodes/125, minFeasiblePercentage)
	}
	return max(nodes*percentage/100, minFeasibleNodes)
}

// scanOrder is the order in which the scheduler goes through the nodes, as their positions in the store. It is kept for as long as
// the nodes are the same.
type scanOrder struct {
	version int
	nodes   []int
	marks   []bool
}

// mark returns which nodes are among some, by their positions, in a buffer that the next call overwrites.
func (o *scanOrder) mark(nodes []*store.Node) []bool {
	o.marks = append(o.marks[:0], make([]bool, len(o.nodes))...)
	for _, node := range nodes {
		o.marks[node.Index] = true
	}
	return o.marks
}

// of takes the nodes by zones in turn, and those of a zone by name: the scheduler has them in that order after a start.
//
// Source: pkg/scheduler/backend/cache of Kubernetes (nodeTree).
func (o *scanOrder) of(nodes *store.Nodes) []int {
	if o.nodes != nil && o.version == nodes.ImagesVersion.Now {
		return o.nodes
	}
	byZone := map[string][]int{}
	var zones []string
	for i, node := range nodes.Sorted.Entries {
		zone := topology.GetZoneKey(node.Info.Node())
		if byZone[zone] == nil {
			zones = append(zones, zone)
		}
		byZone[zone] = append(byZone[zone], i)
	}
	o.version, o.nodes = nodes.ImagesVersion.Now, make([]int, 0, len(nodes.Sorted.Entries))
	for round := 0; len(o.nodes) < len(nodes.Sorted.Entries); round++ {
		for _, zone := range zones {
			if round < len(byZone[zone]) {
				o.nodes = append(o.nodes, byZone[zone][round])
			}
		}
	}
	return o.nodes
}
