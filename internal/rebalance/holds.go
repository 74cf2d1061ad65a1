package rebalance

import (
	"context"
	"maps"

	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Holds simulates the eviction of pods in futures of the Judge's world, which is left as it was, and reports whether in each of them a pod runs in place of
// every evicted one, no workload and no node exceeds the excess given for it, no other node is brought further above what may be requested of it, and no
// other pod that runs is harmed. On which nodes the pods run does not matter
// otherwise. It is false while pods of a workload to evict from are not ready. Without pods it is about the world as it is.
func Holds(ctx context.Context, judge *scheduling.Judge, pods []change.Ref, excess map[change.Ref]int, o Options) (bool, error) {
	o = o.withDefaults()
	world, of, before := judge.World(), map[change.Ref]assigned{}, map[change.Ref]map[string]int{}
	evicted := map[change.Ref]bool{}
	for _, ref := range pods {
		evicted[ref] = true
	}
	left := map[change.Ref]int{} // the excess of workloads as they are
	for _, w := range workloads(world, o.MaxShare) {
		left[w.ref] = w.excess()
		for _, pod := range w.pods {
			if evicted[podRef(pod)] && !w.unready {
				of[podRef(pod)], before[w.ref] = assigned{w, pod.Spec.NodeName}, w.byNode()
			}
		}
	}
	if len(of) < len(evicted) {
		return false, nil
	}
	use := utilizationOf(world, o.MaxUtilizationDeviation)
	addNodes(left, use, excess)
	if len(evicted) == 0 {
		return within(left, excess), nil
	}
	holds := true
	err := simulation.EachFuture(ctx, judge, evictionsOf(pods), simulation.Options{Seeds: o.Futures}, func(future outcome.Outcome) error {
		landed, harmed := landings(world, of, future)
		for w, there := range distribute(of, before, landed) {
			left[w.ref] = there.excess
		}
		holds = holds && !harmed && len(landed) == len(of) && use.landed(world, of, landed, left) && within(left, excess)
		return nil
	})
	return holds, err
}

// within reports whether each excess that is limited is known, and no more than that.
func within(left, most map[change.Ref]int) bool {
	for ref, limit := range most {
		if now, known := left[ref]; !known || now > limit {
			return false
		}
	}
	return true
}

// addNodes adds the excess of those nodes that are asked about, as they are, in percentage points. It is not known if utilization is not considered.
func addNodes(left map[change.Ref]int, use *utilization, asked map[change.Ref]int) {
	for ref := range asked {
		if use != nil && ref == nodeRef(ref.Name) {
			left[ref] = use.points(ref.Name, use.requested[ref.Name])
		}
	}
}

// landed notes the excess of nodes in a future of evictions, and reports whether none other of them is brought further above what may be requested.
func (u *utilization) landed(world *cluster.Snapshot, of map[change.Ref]assigned, landed map[change.Ref]string, left map[change.Ref]int) bool {
	if u == nil {
		return true
	}
	var landings []landing
	for ref, from := range of {
		if pod := world.Pod(ref.Namespace, ref.Name); pod != nil {
			landings = append(landings, landing{requestsOf(pod), from.node, landed[ref]})
		}
	}
	_, after := u.after(landings)
	for node, requested := range after {
		points := u.points(node, requested)
		if _, is := left[nodeRef(node)]; is {
			left[nodeRef(node)] = points
		} else if points > u.points(node, u.requested[node]) {
			return false
		}
	}
	return true
}

func evictionsOf(pods []change.Ref) []change.Change {
	var all []change.Change
	for _, pod := range pods {
		all = append(all, change.Evict{Namespace: pod.Namespace, Name: pod.Name})
	}
	return all
}

// landings are the nodes on which the pods in place of evicted ones run in a future, by evicted pod, and whether the future harms another pod that runs.
func landings(world *cluster.Snapshot, of map[change.Ref]assigned, future outcome.Outcome) (landed map[change.Ref]string, harmed bool) {
	landed = map[change.Ref]string{}
	for _, fate := range future.Fates {
		_, evicted := of[fate.Pod]
		switch {
		case evicted && fate.To != "" && fate.Kind != outcome.Waiting: // One that waits on a node does not run there.
			landed[fate.Pod] = fate.To
		case !evicted && harms(world, fate):
			harmed = true
		}
	}
	return landed, harmed
}

// distributed is how the pods of a workload are distributed over nodes, and their excess.
type distributed struct {
	byNode map[string]int
	excess int
}

// distribute is how the pods of the workloads of evicted pods are distributed, from what was before, once those in their place run on the nodes on which
// they have landed. An evicted pod that has not landed counts nowhere.
func distribute(of map[change.Ref]assigned, before map[change.Ref]map[string]int, landed map[change.Ref]string) map[*workload]distributed {
	after, misplaced := map[*workload]map[string]int{}, map[*workload]int{}
	for ref, from := range of {
		w := from.workload
		if after[w] == nil {
			after[w], misplaced[w] = maps.Clone(before[w.ref]), len(w.misplaced)
		}
		after[w][from.node]--
		if _, was := w.misplaced[types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}]; was {
			misplaced[w]--
		}
		if node := landed[ref]; node != "" {
			after[w][node]++
		}
	}
	all := map[*workload]distributed{}
	for w, byNode := range after {
		maps.DeleteFunc(byNode, func(_ string, n int) bool { return n == 0 })
		all[w] = distributed{byNode, w.excessOf(byNode, misplaced[w])}
	}
	return all
}
