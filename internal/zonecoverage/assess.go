package zonecoverage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Read are the kinds without which nothing is said of any zone.
var Read = []cluster.Kind{
	cluster.Node, cluster.Pod, cluster.PersistentVolumeClaim, cluster.PersistentVolume, cluster.StorageClass, cluster.Deployment, cluster.ReplicaSet,
	cluster.StatefulSet, cluster.CronJob,
}

// Coverage is what was found of each zone that holds volumes in use, by name. Nothing is known of any if Unread is not empty.
type Coverage struct {
	Unread []cluster.Kind
	Zones  []Zone
}

// Zone is a zone and the pods that must run in it.
type Zone struct {
	Name string
	// Covered is True if each of the pods runs on a usable node or fits one, with the others; False if one does not; Unknown if its scheduler is not modelled.
	Covered   metav1.ConditionStatus
	Workloads []change.Ref
	// Unfit are the workloads of pods that fit no usable node.
	Unfit []change.Ref
	// Expected is the room of each pod that will come, or whose node is not usable any more, in order of priority and size. A pod that is Pending is not among
	// them: an autoscaler adds a node for the pod itself.
	Expected []headroompolicy.ZoneRoom
	// Candidates are the node groups of which a new node in the zone would suit some of these pods, those that suit most first.
	Candidates []Candidate
}

// Candidate is a node group as the Kubernetes API shows it.
type Candidate struct {
	// Name is that of the group's label; empty if the nodes have none.
	Name     string
	Provider change.Provider
	// Nodes are nodes of the group, at least one. If Name is empty, it is one node, and its provider knows its group.
	Nodes []*corev1.Node
	// Needed is how many new nodes in the zone these pods need together, at least one, and Placed how many of the pods find a place on so many.
	Needed, Placed int
	// pods are those that a new node would suit.
	pods []zonalPod
}

// IsUsable says whether new pods may be placed on a node: it is ready, not cordoned and not being removed.
func IsUsable(node *corev1.Node) bool {
	return node != nil && kube.IsNodeReady(node) && !node.Spec.Unschedulable && !kube.IsBeingRemoved(node)
}

// Assess finds the zones that hold volumes in use, and asks the scheduler whether usable nodes fit the pods there that do not run on one. Those of the highest
// priority and the largest requests are placed first, and may preempt. An error is of the context or of the scheduler's configuration.
func Assess(ctx context.Context, world *cluster.Snapshot) (Coverage, error) {
	for _, kind := range Read {
		if world.Knowledge(kind) != cluster.Complete {
			return Coverage{Unread: slices.DeleteFunc(slices.Clone(Read), func(k cluster.Kind) bool { return world.Knowledge(k) == cluster.Complete })}, nil
		}
	}
	pods := zonalPodsOf(world)
	if len(pods) == 0 {
		return Coverage{}, nil
	}
	judge, err := scheduling.New(ctx, world.With(withoutUnusable(world)...), scheduling.Options{})
	if err != nil {
		return Coverage{}, fmt.Errorf("assess the coverage of zones: %w", err)
	}
	a := assessment{world: world, judge: judge, zones: map[string]*Zone{}, unfit: map[string][]zonalPod{}}
	if err := a.place(ctx, pods); err != nil {
		return Coverage{}, fmt.Errorf("assess the coverage of zones: %w", err)
	}
	var c Coverage
	for _, name := range slices.Sorted(maps.Keys(a.zones)) {
		zone := a.zones[name]
		zone.Workloads, zone.Unfit = facts.UniqueRefs(zone.Workloads), facts.UniqueRefs(zone.Unfit)
		if zone.Candidates, err = a.candidates(ctx, name); err != nil {
			return Coverage{}, fmt.Errorf("assess the coverage of zones: %w", err)
		}
		c.Zones = append(c.Zones, *zone)
	}
	return c, nil
}

// withoutUnusable removes the nodes on which no new pod may be placed.
func withoutUnusable(world *cluster.Snapshot) []cluster.Edit {
	var edits []cluster.Edit
	for _, node := range world.Nodes() {
		if !IsUsable(node) {
			edits = append(edits, cluster.Remove(node))
		}
	}
	return edits
}

// assessment is one Assess.
type assessment struct {
	world *cluster.Snapshot
	judge *scheduling.Judge
	zones map[string]*Zone
	// unfit are the pods that fit no usable node, by zone.
	unfit map[string][]zonalPod
}

// place finds a node for each pod that runs on no usable one, and notes what it found by zone.
func (a *assessment) place(ctx context.Context, pods []zonalPod) error {
	var displaced []zonalPod
	for _, t := range pods {
		if node := a.world.Node(t.pod.Spec.NodeName); IsUsable(node) {
			a.note(t, cluster.Zone(node), metav1.ConditionTrue)
			continue
		}
		displaced = append(displaced, t)
		if t.exists {
			if err := a.judge.Apply(cluster.Remove(t.pod)); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(displaced, compareZonalPods)
	for _, t := range displaced {
		node, err := a.placeOne(ctx, t)
		switch {
		case errors.Is(err, scheduling.ErrNotModelled):
			a.note(t, t.zones()[0], metav1.ConditionUnknown)
		case err != nil:
			return err
		case node == "":
			a.note(t, t.zones()[0], metav1.ConditionFalse)
			a.expect(t, t.zones()[0])
		default:
			zone := cluster.Zone(a.world.Node(node))
			a.note(t, zone, metav1.ConditionTrue)
			a.expect(t, zone)
		}
	}
	return nil
}

// placeOne binds a pod to the node that the scheduler chooses, in place of pods that it preempts; empty if there is none.
func (a *assessment) placeOne(ctx context.Context, t zonalPod) (node string, err error) {
	pod := t.unbound()
	placement, err := a.judge.Place(ctx, pod)
	if err != nil {
		return "", err
	}
	node = placement.Node
	var edits []cluster.Edit
	if placement.Preemption != nil {
		node = placement.Preemption.Node
		for _, victim := range placement.Preemption.Victims {
			edits = append(edits, cluster.Remove(victim))
		}
	}
	if node == "" {
		return "", nil
	}
	pod.Spec.NodeName = node
	return node, a.judge.Apply(append(edits, cluster.Put(pod))...)
}

// expect notes the room of a pod that will come, or must leave its node.
func (a *assessment) expect(t zonalPod, zone string) {
	if !t.isPending() {
		a.zones[zone].Expected = append(a.zones[zone].Expected, headroompolicy.ZoneRoom{Pod: t.unbound(), Zones: t.zones()})
	}
}

// compareZonalPods puts those of the highest priority first, and of those the largest.
func compareZonalPods(a, b zonalPod) int {
	cpu := func(t zonalPod) int64 { q := query.SpecRequest(&t.pod.Spec, corev1.ResourceCPU); return q.MilliValue() }
	memory := func(t zonalPod) int64 { q := query.SpecRequest(&t.pod.Spec, corev1.ResourceMemory); return q.Value() }
	return cmp.Or(
		cmp.Compare(ptr.Deref(b.pod.Spec.Priority, 0), ptr.Deref(a.pod.Spec.Priority, 0)), cmp.Compare(cpu(b), cpu(a)), cmp.Compare(memory(b), memory(a)),
		cmp.Compare(a.pod.Namespace, b.pod.Namespace), cmp.Compare(a.pod.Name, b.pod.Name),
	)
}

// note adds a pod to its zone.
func (a *assessment) note(t zonalPod, name string, covered metav1.ConditionStatus) {
	zone := a.zones[name]
	if zone == nil {
		zone = &Zone{Name: name, Covered: metav1.ConditionTrue}
		a.zones[name] = zone
	}
	zone.Workloads = append(zone.Workloads, t.workload)
	if covered == metav1.ConditionTrue {
		return
	}
	zone.Unfit = append(zone.Unfit, t.workload)
	if covered == metav1.ConditionFalse {
		a.unfit[name] = append(a.unfit[name], t)
		zone.Covered = covered
	} else if zone.Covered == metav1.ConditionTrue {
		zone.Covered = covered
	}
}

// candidates are the groups of which a new node in the zone would suit the pods there that fit no node. The world is the whole one: groups are known by all
// of their nodes.
func (a *assessment) candidates(ctx context.Context, zone string) ([]Candidate, error) {
	found := map[string]*Candidate{}
	q := query.Query{World: a.world, Judge: a.judge}
	for _, t := range a.unfit[zone] {
		groups := q.GroupsFor(ctx, t.unbound(), &facts.Mount{Zones: []string{zone}, Selectors: selectors(t)})
		for _, g := range groups.Suitable {
			if found[g.Label+g.Name] == nil {
				found[g.Label+g.Name] = &Candidate{Name: g.Name, Provider: g.Provider, Nodes: g.Nodes}
			}
			found[g.Label+g.Name].pods = append(found[g.Label+g.Name].pods, t)
		}
		if node := groups.UngroupedNode; node != nil {
			if found[""] == nil {
				found[""] = &Candidate{Nodes: []*corev1.Node{node}}
			}
			found[""].pods = append(found[""].pods, t)
		}
	}
	var all []Candidate
	for _, key := range slices.Sorted(maps.Keys(found)) {
		c := found[key]
		var err error
		if c.Needed, c.Placed, err = a.needed(ctx, zone, *c); err != nil {
			return nil, err
		}
		all = append(all, *c)
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(len(b.pods), len(a.pods)) })
	return all, nil
}

// selectors are those that a node must match to use all volumes of a pod.
func selectors(t zonalPod) []*corev1.NodeSelector {
	var all []*corev1.NodeSelector
	for _, m := range t.mounts {
		all = append(all, m.Selectors...)
	}
	return all
}
