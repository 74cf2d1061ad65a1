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
	// free is by node, in the units of query.QuantityValue.
	free    map[string]map[corev1.ResourceName]int64
	lacking map[corev1.ResourceName]int64
	// suitable are the nodes that keep off pods of a workload only because they are full.
	suitable map[change.Ref][]*corev1.Node
	// workload and requests are the last pod's, and shares what each of its suitable nodes lacks of these, as the share method has it: pods of a workload mostly
	// follow each other and request the same.
	workload change.Ref
	requests map[corev1.ResourceName]int64
	shares   []float64
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
		after: query.Query{World: result.World, Judge: judge}, free: map[string]map[corev1.ResourceName]int64{}, lacking: map[corev1.ResourceName]int64{},
		suitable: map[change.Ref][]*corev1.Node{},
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
func (s *shortage) add(ctx context.Context, workload change.Ref, pod *corev1.Pod) bool {
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
	s.compareNodes(workload, requestsIn(query.PodRequests(pod)))
	best := slices.Index(s.shares, slices.Min(s.shares))
	free := s.freeOn(nodes[best])
	for name, value := range s.requests {
		if missing := value - free[name]; missing > 0 {
			s.lacking[name] += missing
		}
		free[name] = max(0, free[name]-value)
	}
	s.shares[best] = s.share(nodes[best])
	return true
}

// compareNodes sets the shares of the nodes that suit a pod of a workload.
func (s *shortage) compareNodes(workload change.Ref, requests map[corev1.ResourceName]int64) {
	if s.shares != nil && s.workload == workload && maps.Equal(s.requests, requests) {
		return
	}
	s.workload, s.requests, s.shares = workload, requests, nil
	for _, node := range s.suitable[workload] {
		s.shares = append(s.shares, s.share(node))
	}
}

// requestsIn are requests in the units of query.QuantityValue.
func requestsIn(requests corev1.ResourceList) map[corev1.ResourceName]int64 {
	all := map[corev1.ResourceName]int64{}
	for name, quantity := range requests {
		all[name] = query.QuantityValue(name, quantity)
	}
	return all
}

// share is the sum of the shares of the requests that a node lacks.
func (s *shortage) share(node *corev1.Node) float64 {
	sum, free := 0.0, s.freeOn(node)
	for name, value := range s.requests {
		if missing := value - free[name]; missing > 0 {
			sum += float64(missing) / float64(value)
		}
	}
	return sum
}

// freeOn is what a node has free beside what the pods counted so far take.
func (s *shortage) freeOn(node *corev1.Node) map[corev1.ResourceName]int64 {
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
