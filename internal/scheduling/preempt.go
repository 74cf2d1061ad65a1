package scheduling

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/plain"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
)

// Preempt says whom the scheduler would preempt for a pod that fits nowhere: the equally best choices, sorted by node,
// none if preemption does not help or the pod may not preempt. A node is there more than once if pods of the same priority
// and start run on it, of which the scheduler may take one or the other.
//
// Every node is looked at. The scheduler itself stops after a tenth of them, or a hundred if that is more.
func (j *Judge) Preempt(ctx context.Context, pod *corev1.Pod) ([]Preemption, error) {
	ctx = profile.WithoutLogs(ctx)
	a, err := j.attempt(ctx, pod)
	if err != nil {
		return nil, err
	}
	return j.preempt(ctx, a, plain.OtherVictimOrders)
}

// preempt tries so many more orders of equally important pods than the likeliest.
func (j *Judge) preempt(ctx context.Context, a plain.Attempt, orders int) ([]Preemption, error) {
	if len(a.Feasible()) > 0 {
		return nil, nil
	}
	c, err := a.Cycle(ctx)
	if err != nil {
		return nil, err
	}
	candidates, err := c.Preempt(ctx, orders)
	if err != nil {
		return nil, err
	}
	var found []Preemption
	for _, c := range candidates {
		p := Preemption{Node: c.Name(), Violations: int(c.Victims().NumPDBViolations)}
		for _, victim := range c.Victims().Pods {
			p.Victims = append(p.Victims, j.store.Pods.Original(victim))
		}
		found = append(found, p)
	}
	slices.SortStableFunc(found, func(a, b Preemption) int { return cmp.Compare(a.Node, b.Node) })
	return found, nil
}
