package headroom

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// today is what a case does with all that is free today.
type today struct {
	// harms are what it costs.
	harms map[harm]int
	// landing is where the pods that it displaces find room, in shapes of the pods.
	landing room
}

func todayOf(world *cluster.Snapshot, cost Cost, o outcome.Outcome, one failureCase) today {
	return today{harms(cost), landed(world, o, one)}
}

// ofMember is what the loss of a node does that is like another, by what the loss of the other does.
func (t *today) ofMember(other, node string) *today {
	if t == nil || other == node {
		return t
	}
	own := &today{harms: t.harms}
	for _, p := range t.landing {
		if p.Node == node {
			p.Node = other
		}
		own.landing = append(own.landing, p)
	}
	return own
}

// harm is a fate of a workload's pods.
type harm struct {
	kind     outcome.Kind
	workload change.Ref
}

func harms(c Cost) map[harm]int {
	count := map[harm]int{}
	for kind, pods := range map[outcome.Kind][]Affected{outcome.Waiting: c.Waiting, outcome.Preempted: c.Preempted, outcome.Lost: c.Lost} {
		for _, one := range pods {
			count[harm{kind, one.Workload}]++
		}
	}
	return count
}

// landed is where the pods run that a case displaces or adds, but those of a DaemonSet that grows. Of a pod that is recreated where it ran, it is by how much
// more it requests, as a VerticalPodAutoscaler recommends.
func landed(world *cluster.Snapshot, o outcome.Outcome, one failureCase) room {
	var all room
	own := change.Ref{}
	if one.grown != nil {
		own = one.grown.Subject()
	}
	for _, fate := range o.Fates {
		if fate.To == "" || !slices.Contains([]outcome.Kind{outcome.Moved, outcome.Delayed, outcome.Created}, fate.Kind) {
			continue
		}
		pod := world.Pod(fate.Pod.Namespace, fate.Pod.Name)
		if pod == nil {
			pod = o.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
		}
		if pod == nil || placeholder(pod) {
			continue
		}
		if object := world.Workload(pod); object != nil && refTo(object) == own {
			continue
		}
		size := requestsOf(verticalautoscaler.Recreated(world, pod))
		if fate.To == fate.From {
			size = size.minus(requestsOf(pod))
		}
		if len(size) > 0 {
			p := newPlaceholder(fate.To, size)
			p.pod = fate.Pod
			all = append(all, p)
		}
	}
	return all
}
