package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Preempt does as Evaluator.Preempt (pkg/scheduler/framework/preemption), up to where that begins to delete: it returns the equally good
// candidates. Orders is how many more orders of equally important pods are tried than the likeliest.
func (c *Cycle) Preempt(ctx context.Context, orders int) ([]preemption.Candidate, error) {
	if c.profile.Preemption == nil || c.gated || len(c.feasible) > 0 {
		return nil, nil
	}
	evaluator := c.profile.Preemption.Evaluator
	if ok, _ := evaluator.PodEligibleToPreemptOthers(ctx, c.pod, c.refused.Get(c.pod.Status.NominatedNodeName)); !ok {
		return nil, nil
	}
	nodes, err := c.refused.NodesForStatusCode(c.store.Nodes, fwk.Unschedulable)
	if err != nil {
		return nil, err
	}
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(node fwk.NodeInfo) bool { return !hasLower(node, corev1helpers.PodPriority(c.pod)) })
	if len(nodes) == 0 {
		return nil, nil
	}
	c.profile.Preemption.MoreImportantPod = moreImportant
	candidates, err := c.dryRun(ctx, nodes)
	if err != nil {
		return nil, fmt.Errorf("looking for whom pod %s may preempt: %w", store.NameOf(c.pod), err)
	}
	return c.equallyGood(ctx, candidates, orders)
}

// hasLower reports whether a pod of a lower priority runs on a node: the evaluator finds no victim on others (SelectVictimsOnNode in
// pkg/scheduler/framework/plugins/defaultpreemption), and would take long to say so.
func hasLower(node fwk.NodeInfo, priority int32) bool {
	return slices.ContainsFunc(node.GetPods(), func(pod fwk.PodInfo) bool { return corev1helpers.PodPriority(pod.GetPod()) < priority })
}

// dryRun has the evaluator look at each node.
func (c *Cycle) dryRun(ctx context.Context, nodes []fwk.NodeInfo) ([]preemption.Candidate, error) {
	budgets := make([][]*policyv1.PodDisruptionBudget, len(nodes))
	for i, node := range nodes {
		if c.BudgetsOf != nil {
			budgets[i] = c.BudgetsOf(node.GetPods(), corev1helpers.PodPriority(c.pod))
		} else {
			budgets[i] = c.store.Objects.Budgets()
		}
	}
	found, failed := make([][]preemption.Candidate, len(nodes)), make([]error, len(nodes))
	c.profile.Framework.Parallelizer().Until(ctx, len(nodes), func(i int) {
		found[i], _, failed[i] = c.profile.Preemption.Evaluator.DryRunPreemption(ctx, c.state, c.pod, nodes[i:i+1], budgets[i], 0, 1)
	}, "")
	if candidates := slices.Concat(found...); len(candidates) > 0 {
		return candidates, ctx.Err()
	}
	return nil, errors.Join(append(failed, ctx.Err())...)
}

// leastCostly are the candidates among which pickOneNodeForPreemption (pkg/scheduler/framework/preemption) picks at random.
// That function returns only one, and reads the clock for pods that have not started.
func leastCostly(candidates []preemption.Candidate) []preemption.Candidate {
	var best []preemption.Candidate
	var least []int64
	for _, c := range candidates {
		cost := costOf(c)
		switch order := slices.Compare(cost, least); {
		case best == nil || order < 0:
			best, least = []preemption.Candidate{c}, cost
		case order == 0:
			best = append(best, c)
		}
	}
	return best
}

// costOf is compared from its first number on: budgets violated, the highest priority, the sum of priorities (all made
// positive, so that more victims cost more), the number of victims, and how early the first of the most important started.
func costOf(c preemption.Candidate) []int64 {
	victims := c.Victims().Pods
	highest, sum, earliest := corev1helpers.PodPriority(victims[0]), int64(0), int64(math.MaxInt64)
	for _, victim := range victims {
		sum += int64(corev1helpers.PodPriority(victim)) + math.MaxInt32 + 1
		if corev1helpers.PodPriority(victim) == highest {
			earliest = min(earliest, started(victim))
		}
	}
	return []int64{c.Victims().NumPDBViolations, int64(highest), sum, int64(len(victims)), -earliest}
}

// moreImportant orders pods as the scheduler does (pkg/scheduler/util). Where that leaves the order of its cache, older pods come
// first here, and then names decide.
func moreImportant(a, b *corev1.Pod) bool {
	return cmp.Or(
		cmp.Compare(corev1helpers.PodPriority(b), corev1helpers.PodPriority(a)),
		cmp.Compare(started(a), started(b)),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(a.Name, b.Name),
	) < 0
}

// started is in nanoseconds; a pod that has not started counts as later than any that has.
func started(pod *corev1.Pod) int64 {
	if pod.Status.StartTime == nil {
		return math.MaxInt64
	}
	return pod.Status.StartTime.UnixNano()
}
