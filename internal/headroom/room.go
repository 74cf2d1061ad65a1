package headroom

import (
	"cmp"
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// Result is what is known of a room.
type Result string

const (
	// Minimal is a room than which none costs less, and none that costs as much has fewer placeholders.
	Minimal Result = "minimal"
	// Irreducible is a room of which no single placeholder can be left out, or be as small as the next smaller displaced pod.
	Irreducible Result = "irreducible"
	// Sufficient is a room that survives the failure and was not made as small as it may be.
	Sufficient Result = "sufficient"
	// NotSized says that no room was found, or none was looked for, because the failure displaces too many pods. Bound is what any room costs at least.
	NotSized Result = "not-sized"
)

// Room is free capacity that, held by placeholders, survives a failure even if nothing else is free: the displaced pods preempt the placeholders, and
// no other pod waits, is preempted or is lost, except those that no room helps.
type Room struct {
	Result       Result        `json:"result"`
	Placeholders []Placeholder `json:"placeholders"`
	// Cost is the dominant share of the placeholders' requests, and Bound what any such room costs at least, in average nodes of the cluster.
	Cost  float64 `json:"cost"`
	Bound float64 `json:"bound"`
	// Price is what the room costs an hour: on each node, the dominant share of the node's price. Nil if one of these is not known.
	Price *float64 `json:"price,omitempty"`
	// Needs are nodes that must be added first; nil if today's suffice.
	Needs *Needs `json:"needs,omitempty"`
	// Helpless is the number of pods of the worst case that no room and no more nodes would help: they wait, are preempted or lost all the same.
	Helpless int `json:"helpless"`
}

// Placeholder is a pod that only holds room. Which node it is on matters: one on a node that fails is lost with it.
type Placeholder struct {
	Node     string              `json:"node"`
	Requests corev1.ResourceList `json:"requests"`

	size amounts
	id   string
	// pod is the one that it is shaped like, where it ran in a simulation.
	pod change.Ref
}

// Needs are nodes to add to a group, by zone.
type Needs struct {
	Group string         `json:"group"`
	Count int            `json:"count"`
	Zones map[string]int `json:"zones,omitempty"`
}

// key identifies what a placeholder holds, and where.
func (p Placeholder) key() string { return p.id }

func newPlaceholder(node string, size amounts) Placeholder {
	return Placeholder{Node: node, Requests: size.list(), size: size, id: node + " " + size.key()}
}

// room is a list of placeholders.
type room []Placeholder

func (r room) total() amounts {
	var sum amounts
	for _, p := range r {
		sum = sum.plus(p.size)
	}
	return sum
}

// byNode are the sums on each node.
func (r room) byNode() map[string]amounts {
	sums := map[string]amounts{}
	for _, p := range r {
		sums[p.Node] = sums[p.Node].plus(p.size)
	}
	return sums
}

// key is equal for rooms with the same placeholders.
func (r room) key() string {
	keys := make([]string, len(r))
	for i, p := range r {
		keys[i] = p.key()
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x00")
}

// including is the room with the placeholders of another that it lacks.
func (r room) including(other room) room { return slices.Concat(r, other.lacking(r)) }

// lacking are the placeholders of a room that another lacks.
func (r room) lacking(other room) room {
	var all room
	have := map[string]int{}
	for _, p := range other {
		have[p.key()]++
	}
	for _, p := range r {
		if have[p.key()]--; have[p.key()] < 0 {
			all = append(all, p)
		}
	}
	return all
}

// without is the room without some placeholders from an index on.
func (r room) without(i, count int) room { return slices.Delete(slices.Clone(r), i, i+count) }

// sorted puts the largest placeholders first, then by node.
func (r room) sorted(size amounts) room {
	slices.SortFunc(r, func(a, b Placeholder) int {
		return cmp.Or(cmp.Compare(size.share(b.size), size.share(a.size)), strings.Compare(a.Node, b.Node), strings.Compare(a.key(), b.key()))
	})
	return r
}

const (
	// mostWork bounds the pods that the cases of a failure displace together, times the nodes, for its room to be computed: some 2,000 nodes of 20 pods, of three
	// kinds. mostPatientWork is for those who have patience, if no case displaces more than manyPods pods: some 5,000 nodes of one kind.
	mostWork        = 30_000_000
	mostPatientWork = 600_000_000
	// mostAdded bounds how many more nodes are tried.
	mostAdded = 64
)

// sizeRoom computes the room that survives a failure.
func (c *computation) sizeRoom(ctx context.Context, a *Answer) error {
	if a.Status != Known || !c.o.Sized {
		return nil
	}
	cases := c.casesToSize(a)
	demand := 0.0
	for _, one := range cases {
		demand = max(demand, one.demand)
	}
	a.Room = &Room{Result: NotSized, Placeholders: []Placeholder{}, Bound: demand}
	if !c.isSized(a) {
		return nil
	}
	needs, changes, err := c.needs(ctx, a)
	if err != nil {
		return err
	}
	a.Room.Needs = needs
	return c.in(ctx, changes, func() error {
		s := newSizer(c)
		a.sized = cases
		if cases[0].grown != nil {
			a.Whole = s.wholeRoom(*cases[0].grown)
		}
		return s.sizeFor(ctx, cases, a, nil)
	})
}

// casesToSize are the cases that a room must survive: the loss of each node, since a room makes nodes differ that are identical without it; a step on the
// nodes that are there.
func (c *computation) casesToSize(a *Answer) []failureCase {
	var cases []failureCase
	switch a.Kind {
	case Node:
		for _, one := range a.cases {
			for _, node := range one.members {
				cases = append(cases, failureCase{
					changes: []change.Change{change.LoseNode{Node: node}}, nodes: []string{node}, alike: 1, demand: one.demand, today: one.today.ofMember(one.nodes[0], node),
				})
			}
		}
	case TwoNodes:
		for i, first := range c.ready {
			for _, second := range c.ready[i+1:] {
				nodes := []string{first.Name, second.Name}
				demand := c.demandOn(first.Name) + c.demandOn(second.Name)
				cases = append(cases, failureCase{changes: []change.Change{change.LoseNodes{Nodes: nodes}}, nodes: nodes, alike: 1, demand: demand})
			}
		}
		sortByDemand(cases)
	case Step:
		ref := *a.Subject
		if ref.Kind != string(cluster.DaemonSet) {
			return a.cases
		}
		grow := change.GrowDaemonSet{Namespace: ref.Namespace, Name: ref.Name, Container: a.Step.Container, Requests: a.Step.Requests}
		cases = []failureCase{{changes: []change.Change{grow}, alike: 1, grown: &grow}}
	default:
		cases = a.cases
	}
	return cases
}

// isSized reports whether a room is looked for.
func (c *computation) isSized(a *Answer) bool {
	return c.o.Sized && c.tractable(c.casesToSize(a))
}

// tractable reports whether there is no more to simulate than may be.
func (c *computation) tractable(cases []failureCase) bool {
	sum, largest := 0, 0
	for _, one := range cases {
		displaced := c.displacedBy(one)
		sum += 1 + displaced
		largest = max(largest, displaced)
	}
	most := mostWork
	if c.o.Patient && largest <= manyPods {
		most = mostPatientWork
	}
	return sum*len(c.ready) <= most
}

// displacedBy is the number of pods that a case displaces from lost nodes, evicts or creates.
func (c *computation) displacedBy(one failureCase) int {
	n := 0
	for _, node := range one.nodes {
		n += len(c.world.PodsOn(node))
	}
	for _, changed := range one.changes {
		switch changed := changed.(type) {
		case change.RotateGroup:
			n += c.podsOfGroup(changed.Group)
		case change.ScaleWorkload:
			n += changed.Replicas
		case change.Evict:
			n++
		}
	}
	return n
}

func (c *computation) podsOfGroup(name string) int {
	n := 0
	for _, g := range c.world.Groups() {
		if g.Name == name {
			for _, node := range g.Nodes {
				n += len(c.world.PodsOn(node.Name))
			}
		}
	}
	return n
}
