package rules

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// shortage is what nodes have free for some pods, and what the pods lack there.
type shortage struct {
	after query.Query
	// resources are all that the pods request.
	resources []corev1.ResourceName
	lacking   amounts
	// free is what nodes have free beside what the pods counted so far take; index finds a node in it.
	free  []amounts
	index map[*corev1.Node]int
	// suitable are the nodes that keep off pods of a workload only because they are full, by index.
	suitable map[change.Ref][]int
	// workload and requests are the last pod's, and shares what each of its suitable nodes lacks of these, as the share function has it: pods of a workload
	// mostly follow each other and request the same.
	workload change.Ref
	requests amounts
	shares   []float64
}

// amounts are those of a shortage's resources, in its order and in the units of query.QuantityValue.
type amounts []int64

// unplaced is a pod as it waits for a node.
type unplaced struct {
	workload change.Ref
	pod      *corev1.Pod
	requests corev1.ResourceList
}

// shortOf is what is lacking, of what the pods request that a loss leaves Pending, on the nodes that keep them off only because they are full: one pod after the
// other, on the node that lacks the smallest share of its request. What placeholder pods request counts as free. A pod that something else keeps off every
// node does not count. It is nil if that cannot be simulated.
func shortOf(ctx context.Context, q query.Query, worst domainLoss) message.List {
	result, ok := q.Simulate(ctx, loseDomain(worst.domain))
	if !ok {
		return nil
	}
	judge, err := scheduling.New(ctx, result.World, q.Judge.Options())
	if err != nil {
		return nil
	}
	pods := unplacedPods(q.World, worst)
	s := newShortage(query.Query{World: result.World, Judge: judge}, pods)
	for _, p := range pods {
		if !s.add(ctx, p) {
			return nil
		}
	}
	var short message.List
	for i, name := range s.resources {
		if s.lacking[i] > 0 {
			short = append(short, string(name)+" "+query.FormatQuantity(name, s.lacking[i]))
		}
	}
	return short
}

func unplacedPods(world *cluster.Snapshot, worst domainLoss) []unplaced {
	var pods []unplaced
	for _, fate := range worst.noCapacity {
		if pod := world.Pod(fate.Pod.Namespace, fate.Pod.Name); pod != nil {
			waiting := pod.DeepCopy()
			waiting.Spec.NodeName, waiting.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
			pods = append(pods, unplaced{facts.WorkloadRef(world, pod), waiting, query.PodRequests(waiting)})
		}
	}
	return pods
}

func newShortage(after query.Query, pods []unplaced) shortage {
	requested := map[corev1.ResourceName]bool{}
	for _, p := range pods {
		for name := range p.requests {
			requested[name] = true
		}
	}
	return shortage{
		after: after, resources: slices.Sorted(maps.Keys(requested)), lacking: make(amounts, len(requested)),
		index: map[*corev1.Node]int{}, suitable: map[change.Ref][]int{},
	}
}

// add counts a pod; false if it cannot be said which nodes suit it.
func (s *shortage) add(ctx context.Context, p unplaced) bool {
	nodes, known := s.suitable[p.workload]
	if !known {
		verdict := s.after.Verdict(ctx, p.pod)
		if verdict == nil {
			return false
		}
		nodes = s.suitableNodes(verdict)
		s.suitable[p.workload] = nodes
	}
	if len(nodes) == 0 {
		return true
	}
	s.compareNodes(p.workload, s.amountsOf(p.requests))
	best := slices.Index(s.shares, slices.Min(s.shares))
	free := s.free[nodes[best]]
	for i, value := range s.requests {
		if missing := value - free[i]; missing > 0 {
			s.lacking[i] += missing
		}
		free[i] = max(0, free[i]-value)
	}
	s.shares[best] = share(s.requests, free)
	return true
}

// suitableNodes are the feasible nodes, and those that are infeasible only because they are full.
func (s *shortage) suitableNodes(verdict *query.Verdict) []int {
	var nodes []int
	for _, node := range verdict.Feasible {
		nodes = append(nodes, s.indexOf(node))
	}
	for _, n := range verdict.Infeasible {
		if n.Only(message.ObstacleFull) && len(verdict.OnAllNodes) == 0 {
			nodes = append(nodes, s.indexOf(n.Node))
		}
	}
	return nodes
}

// compareNodes sets the shares of the nodes that suit a pod of a workload.
func (s *shortage) compareNodes(workload change.Ref, requests amounts) {
	if s.shares != nil && s.workload == workload && slices.Equal(s.requests, requests) {
		return
	}
	s.workload, s.requests, s.shares = workload, requests, s.shares[:0]
	for _, node := range s.suitable[workload] {
		s.shares = append(s.shares, share(requests, s.free[node]))
	}
}

// share is the sum of the shares of requests that a node lacks.
func share(requests, free amounts) float64 {
	sum := 0.0
	for i, value := range requests {
		if missing := value - free[i]; missing > 0 {
			sum += float64(missing) / float64(value)
		}
	}
	return sum
}

// indexOf is the index of a node in free, to which it is added when it is first asked for.
func (s *shortage) indexOf(node *corev1.Node) int {
	i, known := s.index[node]
	if !known {
		i = len(s.free)
		s.free, s.index[node] = append(s.free, s.freeOn(node)), i
	}
	return i
}

// freeOn is what a node has free before any pod is counted.
func (s *shortage) freeOn(node *corev1.Node) amounts {
	free := s.amountsOf(node.Status.Allocatable)
	for i, name := range s.resources {
		free[i] -= s.after.Judge.Requested(node.Name, name)
	}
	for _, pod := range s.after.World.PodsOn(node.Name) {
		if placeholder(pod) && !cluster.Ended(pod) {
			for i, value := range s.amountsOf(query.PodRequests(pod)) {
				free[i] += value
			}
		}
	}
	for i := range free {
		free[i] = max(0, free[i])
	}
	return free
}

func (s *shortage) amountsOf(list corev1.ResourceList) amounts {
	all := make(amounts, len(s.resources))
	for i, name := range s.resources {
		if quantity, ok := list[name]; ok {
			all[i] = query.QuantityValue(name, quantity)
		}
	}
	return all
}
