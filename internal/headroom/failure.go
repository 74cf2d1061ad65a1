package headroom

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// Kind is a kind of failure.
type Kind string

// The kinds of failures.
const (
	// Node is the loss of any one node of some that are alike in group, instance type and zone.
	Node Kind = "node"
	// TwoNodes is the loss of any two nodes of the cluster at once.
	TwoNodes Kind = "two-nodes"
	// Zone is the loss of every node of a zone.
	Zone Kind = "zone"
	// Rotation is the replacement of every node of a group: new ones are launched, then the old ones are drained.
	Rotation Kind = "rotation"
	// Step is the next increase of the requests of a DaemonSet, or of a workload of which a VerticalPodAutoscaler recommends more.
	Step Kind = "step"
	// Burst is an increase of a workload's replicas.
	Burst Kind = "burst"
)

// Kinds are all kinds of failures.
func Kinds() []Kind { return []Kind{Node, TwoNodes, Zone, Rotation, Step, Burst} }

// MostRotated is the largest number of nodes of a group whose rotation is computed.
const MostRotated = 1000

// MostNodesForTwo is the largest number of nodes for which the loss of any two is computed.
const MostNodesForTwo = 100

// Failure is one stated failure, or any one of several that are alike.
type Failure struct {
	Kind Kind `json:"kind"`
	// Subject is the zone, the group of a rotation, the DaemonSet or the workload; nil for nodes, and for a step if the steps are not known.
	Subject *change.Ref `json:"subject,omitempty"`
	// Group, InstanceType and Zone are what nodes have in common; empty if their labels do not say, and for TwoNodes.
	Group        string `json:"group,omitempty"`
	InstanceType string `json:"instanceType,omitempty"`
	Zone         string `json:"zone,omitempty"`
	// Nodes is the number of nodes of which any one or two are lost, that a zone or group has, or that a DaemonSet runs on; zero for other steps.
	Nodes int `json:"nodes,omitempty"`
	// Step is that of a workload; nil if it is not known, because the objects of some kind that tell it are not.
	Step *NextStep `json:"step,omitempty"`
	// More is the number of replicas that a burst adds.
	More int `json:"more,omitempty"`

	cases []failureCase
	// teller is the kind whose objects would tell a step that is not known.
	teller cluster.Kind
}

// NextStep is the next increase of a workload's requests.
type NextStep struct {
	Container string `json:"container"`
	// Requests are those that increase, after the step.
	Requests corev1.ResourceList `json:"requests"`
	// MoreNodes is how many more nodes it takes; zero if the increase is due already.
	MoreNodes int `json:"moreNodes"`
	// AtNodes is the number of nodes at which a vertical autoscaler makes the increase; zero if it is due already.
	AtNodes int `json:"atNodes,omitempty"`
}

// failureCase is one way in which a failure comes, and stands for those that are identical.
type failureCase struct {
	changes []change.Change
	// nodes are the lost ones.
	nodes []string
	// alike is the number of identical cases, itself included; members are their nodes, if a single node is lost.
	alike   int
	members []string
	// demand is the dominant share that the pods on the lost nodes request, in nodes.
	demand float64
	// grown is the growth of a step on the nodes that are there.
	grown *change.GrowDaemonSet
	// today is what it does with all that is free; nil if that was not simulated, or no room is asked for.
	today *today
	// demanding is whether a room that was found had to be enlarged for it.
	demanding bool
}

// makesRoom reports whether a case makes room for the pods that it displaces: it adds nodes, or evicts pods from nodes that stay.
func (one failureCase) makesRoom() bool {
	return slices.ContainsFunc(one.changes, func(c change.Change) bool {
		switch c.(type) {
		case change.RotateGroup, change.AddNodes, change.Evict:
			return true
		default:
			return false
		}
	})
}

// BurstOf is a workload, and by how many replicas it grows.
type BurstOf struct {
	Workload change.Ref
	More     int
}

// failures are those of the kinds that are asked for, in the order of Kinds.
func (c *computation) failures() []Failure {
	var all []Failure
	for _, kind := range Kinds() {
		if !slices.Contains(c.o.Kinds, kind) {
			continue
		}
		switch kind {
		case Node:
			all = append(all, c.nodeFailures()...)
		case TwoNodes:
			all = append(all, c.twoNodeFailures()...)
		case Zone:
			all = append(all, c.zoneFailures()...)
		case Rotation:
			all = append(all, c.rotations()...)
		case Step:
			all = append(all, c.steps()...)
		case Burst:
			all = append(all, c.bursts()...)
		}
	}
	return all
}

// zoneFailures are the losses of each zone that has ready nodes, if there are several.
func (c *computation) zoneFailures() []Failure {
	nodes := map[string][]string{}
	var zones []string
	for _, node := range c.ready {
		zone := cluster.Zone(node)
		if zone == "" {
			continue
		}
		if nodes[zone] == nil {
			zones = append(zones, zone)
		}
		nodes[zone] = append(nodes[zone], node.Name)
	}
	if len(zones) < 2 { // Nothing is left of a cluster that loses its only zone.
		return nil
	}
	slices.Sort(zones)
	var all []Failure
	for _, zone := range zones {
		one := failureCase{changes: []change.Change{change.LoseZone{Zone: zone}}, nodes: nodes[zone], alike: 1}
		all = append(all, Failure{Kind: Zone, Subject: &change.Ref{Kind: "Zone", Name: zone}, Zone: zone, Nodes: len(nodes[zone]), cases: []failureCase{one}})
	}
	return all
}

func (c *computation) rotations() []Failure {
	var all []Failure
	for _, g := range c.world.Groups() {
		f := Failure{Kind: Rotation, Subject: &change.Ref{Kind: "Group", Name: g.Name}, Group: g.Name, Nodes: len(g.Nodes)}
		if len(g.Nodes) <= MostRotated {
			f.cases = []failureCase{{changes: []change.Change{change.RotateGroup{Group: g.Name}}, alike: 1}}
		}
		all = append(all, f)
	}
	return all
}

// steps are the next steps of vertical autoscalers, and increases that DaemonSets have not rolled out yet.
func (c *computation) steps() []Failure {
	if len(c.unread(Step)) > 0 { // Which steps there are is not known either.
		return []Failure{{Kind: Step}}
	}
	var all []Failure
	for _, target := range verticalautoscaler.UnknownTargets(c.world) {
		all = append(all, Failure{Kind: Step, Subject: &target, teller: cluster.ConfigMap})
	}
	if c.world.Knowledge(cluster.VerticalPodAutoscaler) != cluster.Complete {
		all = append(all, Failure{Kind: Step, teller: cluster.VerticalPodAutoscaler})
	}
	for _, s := range verticalautoscaler.AllSteps(c.world) {
		one := failureCase{changes: []change.Change{change.AddNodes{Count: s.MoreNodes}}, alike: 1}
		at := len(c.world.Nodes()) + s.MoreNodes
		if s.MoreNodes == 0 {
			at, one.changes = 0, []change.Change{growth(s)}
		}
		set := c.world.DaemonSet(s.Target.Namespace, s.Target.Name)
		all = append(all, Failure{
			Kind: Step, Subject: &s.Target, Nodes: len(c.world.PodsOf(set.UID)), cases: []failureCase{one},
			Step: &NextStep{Container: s.Container, Requests: grown(s, c.world.PodsOf(set.UID)), MoreNodes: s.MoreNodes, AtNodes: at},
		})
	}
	for _, s := range verticalautoscaler.WorkloadSteps(c.world) {
		all = append(all, Failure{
			Kind: Step, Subject: &s.Target, cases: []failureCase{{changes: s.Changes(), alike: 1}},
			Step: &NextStep{Container: s.Container, Requests: grown(s, s.Pods)},
		})
	}
	return all
}

// grown are the requests of a step that are more than those of a pod.
func grown(s verticalautoscaler.Step, pods []*corev1.Pod) corev1.ResourceList {
	more := corev1.ResourceList{}
	for _, pod := range pods {
		for i := range pod.Spec.Containers {
			if pod.Spec.Containers[i].Name != s.Container {
				continue
			}
			for name, quantity := range s.Requests {
				if now := pod.Spec.Containers[i].Resources.Requests[name]; quantity.Cmp(now) > 0 {
					more[name] = quantity
				}
			}
		}
	}
	return more
}

// growth is a step on the nodes that are there.
func growth(s verticalautoscaler.Step) change.GrowDaemonSet {
	return change.GrowDaemonSet{Namespace: s.Target.Namespace, Name: s.Target.Name, Container: s.Container, Requests: s.Requests}
}

func (c *computation) bursts() []Failure {
	var all []Failure
	for _, b := range c.o.Bursts {
		ref := b.Workload
		now, ok := ReplicasOf(c.world, ref)
		if !ok {
			continue // Validate has found it.
		}
		one := failureCase{alike: 1, changes: []change.Change{change.ScaleWorkload{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name, Replicas: now + b.More}}}
		all = append(all, Failure{Kind: Burst, Subject: &ref, More: b.More, cases: []failureCase{one}})
	}
	return all
}

// ReplicasOf is the number of replicas that a workload asks for: one if it does not say, as the API server has it; false if it does not exist.
func ReplicasOf(world *cluster.Snapshot, ref change.Ref) (int, bool) {
	var replicas *int32
	switch o := world.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name).(type) {
	case *appsv1.Deployment:
		replicas = o.Spec.Replicas
	case *appsv1.StatefulSet:
		replicas = o.Spec.Replicas
	case *appsv1.ReplicaSet:
		replicas = o.Spec.Replicas
	default:
		return 0, false
	}
	return int(ptr.Deref(replicas, 1)), true
}
