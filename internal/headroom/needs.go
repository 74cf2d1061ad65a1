package headroom

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// in calls do while the Judge has the world after some changes.
func (c *computation) in(ctx context.Context, changes []change.Change, do func() error) error {
	if len(changes) == 0 {
		return do()
	}
	return simulation.EachFuture(ctx, c.judge, changes, simulation.Options{LeavePending: true}, func(outcome.Outcome) error { return do() })
}

// needs are the fewest nodes of one group with which the worst case costs as little as nodes can have it cost; nil if today's nodes suffice, or
// if more do not help. A step preempts pods that run: more nodes do not make room beside them.
func (c *computation) needs(ctx context.Context, a *Answer) (*Needs, []change.Change, error) {
	if a.Worst.none() || a.Kind == Step {
		return nil, nil, nil
	}
	worst := a.cases[slices.IndexFunc(a.cases, func(one failureCase) bool { return slices.Equal(one.nodes, a.Worst.Nodes) })]
	group, zones := c.placesFor(a)
	largest := min(mostAdded, max(8, len(worst.nodes), int(math.Ceil(2*c.demandOf(a)))))
	harmWith := func(count int) (int, error) { // What the new nodes themselves cost counts, too: an autoscaler may react to them.
		cost, err := c.simulate(ctx, &failureCase{changes: slices.Concat(addNodes(group, zones, count), worst.changes)})
		return cost.pods(), err
	}
	least, err := harmWith(largest)
	if unknown := (outcome.UnknownError{}); errors.As(err, &unknown) || err == nil && least >= a.Worst.pods() {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	count := 1 + sort.Search(largest-1, func(i int) bool {
		harm := math.MaxInt
		if err == nil {
			harm, err = harmWith(i + 1)
		}
		return harm <= least
	})
	n := &Needs{Group: group, Count: count, Zones: map[string]int{}}
	changes := addNodes(group, zones, count)
	for _, one := range changes {
		if add := one.(change.AddNodes); add.Zone != "" {
			n.Zones[add.Zone] += add.Count
		}
	}
	return n, changes, err
}

// pods is the number of pods that a case costs.
func (c Cost) pods() int { return len(c.Waiting) + len(c.Preempted) + len(c.Lost) }

// demandOf is the dominant share of the pods that a failure's worst case costs, in nodes.
func (c *computation) demandOf(a *Answer) float64 {
	var sum amounts
	for _, one := range slices.Concat(a.Worst.Waiting, a.Worst.Preempted) {
		if pod := c.world.Pod(one.Pod.Namespace, one.Pod.Name); pod != nil {
			sum = sum.plus(requestsOf(pod))
		}
	}
	demand := c.size.share(sum)
	if a.Kind == Burst {
		for _, pod := range c.world.Pods() {
			if object := c.world.Workload(pod); object != nil && refTo(object) == *a.Subject {
				return max(demand, float64(a.More)*c.size.share(requestsOf(pod)))
			}
		}
	}
	return demand
}

// placesFor are the group that would get more nodes, and the zones, in turn: that of a lost node, or those that are left.
func (c *computation) placesFor(a *Answer) (group string, zones []string) {
	if len(a.Worst.Nodes) == 0 {
		return a.Group, []string{""}
	}
	lost := c.world.Node(a.Worst.Nodes[0])
	group = cluster.GroupName(lost)
	if a.Kind != Zone {
		return group, []string{cluster.Zone(lost)}
	}
	for _, node := range c.ready {
		if zone := cluster.Zone(node); zone != a.Zone && zone != "" {
			zones = append(zones, zone)
		}
	}
	slices.Sort(zones)
	return group, slices.Compact(zones)
}

// addNodes are changes that add nodes, as many to each zone as far as they go.
func addNodes(group string, zones []string, count int) []change.Change {
	var changes []change.Change
	for i, zone := range zones {
		if n := (count + len(zones) - 1 - i) / len(zones); n > 0 {
			changes = append(changes, change.AddNodes{Count: n, Group: group, Zone: zone})
		}
	}
	return changes
}
