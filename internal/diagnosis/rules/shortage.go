package rules

import (
	"cmp"
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
	// free is by node, in the units of query.QuantityValue.
	free    map[string]map[corev1.ResourceName]int64
	lacking map[corev1.ResourceName]int64
	// suitable are the nodes that keep off pods of a workload only because they are full.
	suitable map[change.Ref][]*corev1.Node
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
	s := shortage{
		query.Query{World: result.World, Judge: judge}, map[string]map[corev1.ResourceName]int64{}, map[corev1.ResourceName]int64{}, map[change.Ref][]*corev1.Node{},
	}
	for _, fate := range worst.noCapacity {
		if pod := q.World.Pod(fate.Pod.Namespace, fate.Pod.Name); pod != nil && !s.add(ctx, facts.WorkloadRef(q.World, pod), unbound(pod)) {
			return nil
		}
	}
	var short message.List
	for _, name := range slices.Sorted(maps.Keys(s.lacking)) {
		short = append(short, string(name)+" "+query.FormatQuantity(name, s.lacking[name]))
	}
	return short
}

// unbound is a pod as it waits for a node.
func unbound(pod *corev1.Pod) *corev1.Pod {
	waiting := pod.DeepCopy()
	waiting.Spec.NodeName, waiting.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	return waiting
}

// add counts a pod; false if it cannot be said which nodes suit it.
func (s shortage) add(ctx context.Context, workload change.Ref, pod *corev1.Pod) bool {
	if _, known := s.suitable[workload]; !known {
		verdict := s.after.Verdict(ctx, pod)
		if verdict == nil {
			return false
		}
		s.suitable[workload] = verdict.Feasible
		for _, n := range verdict.Infeasible {
			if n.Only(message.ObstacleFull) && len(verdict.OnAllNodes) == 0 {
				s.suitable[workload] = append(s.suitable[workload], n.Node)
			}
		}
	}
	nodes := s.suitable[workload]
	if len(nodes) == 0 {
		return true
	}
	requests := query.PodRequests(pod)
	best := slices.MinFunc(nodes, func(a, b *corev1.Node) int { return cmp.Compare(s.share(requests, a), s.share(requests, b)) })
	for name, missing := range s.lackingOn(best, requests) {
		s.lacking[name] += missing
	}
	for name, value := range requestsIn(requests) {
		s.freeOn(best)[name] = max(0, s.freeOn(best)[name]-value)
	}
	return true
}

// requestsIn are requests in the units of query.QuantityValue.
func requestsIn(requests corev1.ResourceList) map[corev1.ResourceName]int64 {
	all := map[corev1.ResourceName]int64{}
	for name, quantity := range requests {
		all[name] = query.QuantityValue(name, quantity)
	}
	return all
}

// lackingOn is what a node has too little of for requests.
func (s shortage) lackingOn(node *corev1.Node, requests corev1.ResourceList) map[corev1.ResourceName]int64 {
	lacking := map[corev1.ResourceName]int64{}
	for name, value := range requestsIn(requests) {
		if missing := value - s.freeOn(node)[name]; missing > 0 {
			lacking[name] = missing
		}
	}
	return lacking
}

// share is the sum of the shares of the requests that a node lacks.
func (s shortage) share(requests corev1.ResourceList, node *corev1.Node) float64 {
	sum := 0.0
	for name, missing := range s.lackingOn(node, requests) {
		sum += float64(missing) / float64(query.QuantityValue(name, requests[name]))
	}
	return sum
}

// freeOn is what a node has free beside what the pods counted so far take.
func (s shortage) freeOn(node *corev1.Node) map[corev1.ResourceName]int64 {
	if s.free[node.Name] == nil {
		free := map[corev1.ResourceName]int64{}
		for name, all := range node.Status.Allocatable {
			free[name] = query.QuantityValue(name, all) - s.after.Judge.Requested(node.Name, name)
		}
		for _, pod := range s.after.World.PodsOn(node.Name) {
			if placeholder(pod) && !cluster.Ended(pod) {
				for name, value := range requestsIn(query.PodRequests(pod)) {
					free[name] += value
				}
			}
		}
		for name, value := range free {
			free[name] = max(0, value)
		}
		s.free[node.Name] = free
	}
	return s.free[node.Name]
}
