package plain

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/hash"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// OtherVictimOrders is how many more orders of equally important pods are tried than that by age. Most ties are of two or three
// pods.
const OtherVictimOrders = 7

// equallyGood are the best candidates and those that the scheduler finds if pods of the same priority and start time come in
// another order. It considers them in the order of its cache
// (SelectVictimsOnNode in pkg/scheduler/framework/plugins/defaultpreemption), which cannot be observed.
func (c *Cycle) equallyGood(ctx context.Context, candidates []preemption.Candidate, orders int) ([]preemption.Candidate, error) {
	best := leastCostly(candidates)
	if orders == 0 {
		return best, nil
	}
	names := sets.New[string]()
	for _, candidate := range best {
		if c.sparesEqual(candidate) {
			names.Insert(candidate.Name())
		}
	}
	for _, candidate := range candidates {
		if mayCostLess(candidate, best[0]) && c.sparesEqual(candidate) {
			names.Insert(candidate.Name())
		}
	}
	if len(names) == 0 {
		return best, nil
	}
	for _, candidate := range best {
		names.Insert(candidate.Name())
	}
	nodes := c.named(names)
	for seed := range uint64(orders) {
		c.profile.Preemption.MoreImportantPod = shuffled(seed)
		candidates, err := c.dryRun(ctx, nodes)
		if err != nil {
			return nil, fmt.Errorf("looking for whom else pod %s may preempt: %w", store.NameOf(c.pod), err)
		}
		for _, candidate := range leastCostly(candidates) {
			if !slices.ContainsFunc(best, func(known preemption.Candidate) bool { return same(known, candidate) }) {
				best = append(best, candidate)
			}
		}
	}
	return best, nil
}

// mayCostLess says that a choice may become as good as the best if equals come in another order: fewer may have to go then,
// but not less important ones.
func mayCostLess(c, best preemption.Candidate) bool {
	const byImportance = 2 // of what costOf compares: budgets broken and the highest priority
	return len(c.Victims().Pods) > 1 && slices.Equal(costOf(c)[:byImportance], costOf(best)[:byImportance])
}

// sparesEqual says that a pod stays that is as important as a victim.
func (c *Cycle) sparesEqual(candidate preemption.Candidate) bool {
	victims := candidate.Victims().Pods
	for _, info := range c.store.Nodes.Node(candidate.Name()).GetPods() {
		stays := info.GetPod()
		equal := func(v *corev1.Pod) bool { return v.UID != stays.UID && byImportance(v, stays) == 0 }
		if !slices.ContainsFunc(victims, func(v *corev1.Pod) bool { return v.UID == stays.UID }) && slices.ContainsFunc(victims, equal) {
			return true
		}
	}
	return false
}

// named are those of the nodes that exist.
func (c *Cycle) named(names sets.Set[string]) []fwk.NodeInfo {
	var nodes []fwk.NodeInfo
	for name := range names {
		if node := c.store.Nodes.Node(name); node != nil {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// byImportance is what the scheduler knows of two pods' importance (MoreImportantPod in pkg/scheduler/util).
func byImportance(a, b *corev1.Pod) int {
	return cmp.Or(
		cmp.Compare(corev1helpers.PodPriority(b), corev1helpers.PodPriority(a)),
		cmp.Compare(started(a), started(b)),
	)
}

// shuffled orders pods by importance, and equals at random.
func shuffled(seed uint64) func(a, b *corev1.Pod) bool {
	return func(a, b *corev1.Pod) bool {
		return cmp.Or(byImportance(a, b), cmp.Compare(randomKey(seed, a.UID), randomKey(seed, b.UID)), cmp.Compare(a.UID, b.UID)) < 0
	}
}

func randomKey(seed uint64, uid types.UID) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, string(uid)) // a hash takes everything
	return hash.Mix(h.Sum64() + hash.Mix(seed+1))
}

func same(a, b preemption.Candidate) bool {
	uids := func(c preemption.Candidate) sets.Set[types.UID] {
		s := sets.New[types.UID]()
		for _, v := range c.Victims().Pods {
			s.Insert(v.UID)
		}
		return s
	}
	return a.Name() == b.Name() && uids(a).Equal(uids(b))
}
