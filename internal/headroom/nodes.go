package headroom

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// nodeClass are nodes whose losses are the same: equal in all that the scheduler sees, with pods of the same owners.
type nodeClass struct {
	nodes  []*corev1.Node
	demand float64
}

// nodeFailures are the losses of any one node: a Failure for each group, instance type and zone, with a case for each class of nodes, the most
// demanding first.
func (c *computation) nodeFailures() []Failure {
	type place struct{ group, instanceType, zone string }
	byPlace := map[place]*Failure{}
	var all []*Failure
	for _, class := range c.classes {
		node := class.nodes[0]
		at := place{cluster.GroupName(node), node.Labels[corev1.LabelInstanceTypeStable], cluster.Zone(node)}
		f := byPlace[at]
		if f == nil {
			f = &Failure{Kind: Node, Group: at.group, InstanceType: at.instanceType, Zone: at.zone}
			byPlace[at] = f
			all = append(all, f)
		}
		f.Nodes += len(class.nodes)
		f.cases = append(f.cases, failureCase{
			changes: []change.Change{change.LoseNode{Node: node.Name}}, nodes: []string{node.Name}, alike: len(class.nodes), members: namesOf(class.nodes), demand: class.demand,
		})
	}
	slices.SortFunc(all, func(a, b *Failure) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.InstanceType, b.InstanceType), strings.Compare(a.Zone, b.Zone))
	})
	failures := make([]Failure, len(all))
	for i, f := range all {
		failures[i] = *f
	}
	return failures
}

// twoNodeFailures is the loss of any two nodes: a case for each two classes, and for each class of several.
func (c *computation) twoNodeFailures() []Failure {
	if len(c.ready) < 2 {
		return nil
	}
	f := Failure{Kind: TwoNodes, Nodes: len(c.ready)}
	if len(c.ready) > MostNodesForTwo {
		return []Failure{f}
	}
	classes := c.classes
	for i, a := range classes {
		for _, b := range classes[i:] {
			second, alike := b.nodes[0].Name, len(a.nodes)*len(b.nodes)
			if a == b {
				if len(a.nodes) < 2 {
					continue
				}
				second, alike = b.nodes[1].Name, len(a.nodes)*(len(a.nodes)-1)/2
			}
			first := a.nodes[0].Name
			f.cases = append(f.cases, failureCase{
				changes: []change.Change{change.LoseNodes{Nodes: []string{first, second}}}, nodes: []string{first, second}, alike: alike, demand: a.demand + b.demand,
			})
		}
	}
	sortByDemand(f.cases)
	return []Failure{f}
}

func namesOf(nodes []*corev1.Node) []string {
	names := make([]string, len(nodes))
	for i, node := range nodes {
		names[i] = node.Name
	}
	return names
}

// sortByDemand puts the most demanding cases first.
func sortByDemand(cases []failureCase) {
	slices.SortStableFunc(cases, func(a, b failureCase) int { return cmp.Compare(b.demand, a.demand) })
}

// nodeClasses are the classes of the nodes that are ready, the most demanding first.
func (c *computation) nodeClasses() []*nodeClass {
	var all []*nodeClass
	own := labelsOfOneNode(c.ready)
	byKey := map[string]*nodeClass{}
	for _, node := range c.ready {
		key := nodeKey(node, own) + c.podsKey(node.Name)
		class := byKey[key]
		if class == nil {
			class = &nodeClass{demand: c.demandOn(node.Name)}
			byKey[key] = class
			all = append(all, class)
		}
		class.nodes = append(class.nodes, node)
	}
	slices.SortStableFunc(all, func(a, b *nodeClass) int { return cmp.Compare(b.demand, a.demand) })
	return all
}

// demandOn is the dominant share that the pods request which leave a node with it, in nodes.
func (c *computation) demandOn(node string) float64 {
	var sum amounts
	for _, pod := range c.world.PodsOn(node) {
		if cluster.Drains(pod) && !placeholder(pod) {
			sum = sum.plus(requestsOf(pod))
		}
	}
	return c.size.share(sum)
}

// labelsOfOneNode are the labels whose values name nodes, such as the hostname: all nodes that have one differ in it.
func labelsOfOneNode(nodes []*corev1.Node) map[string]bool {
	values, count := map[string]map[string]bool{}, map[string]int{}
	for _, node := range nodes {
		for key, value := range node.Labels {
			if values[key] == nil {
				values[key] = map[string]bool{}
			}
			values[key][value] = true
			count[key]++
		}
	}
	own := map[string]bool{corev1.LabelHostname: true}
	for key, n := range count {
		if n > 1 && len(values[key]) == n && !slices.Contains(kube.ZoneLabels, key) {
			own[key] = true
		}
	}
	return own
}

// nodeKey is equal for nodes that the scheduler treats alike, but for their pods and the labels that name single nodes.
func nodeKey(node *corev1.Node, own map[string]bool) string {
	var key strings.Builder
	for _, label := range slices.Sorted(maps.Keys(node.Labels)) {
		if !own[label] {
			fmt.Fprintf(&key, "%s=%s\x00", label, node.Labels[label])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(node.Status.Allocatable)) {
		quantity := node.Status.Allocatable[name]
		fmt.Fprintf(&key, "%s:%s\x00", name, quantity.String())
	}
	for _, taint := range node.Spec.Taints {
		fmt.Fprintf(&key, "%s\x00", taint.ToString())
	}
	fmt.Fprintf(&key, "%t\x00", node.Spec.Unschedulable)
	return key.String()
}

// podsKey is equal for nodes with pods that are alike: as many of each owner, with the same requests. A pod is alike to none if a volume is its own,
// or if its name is part of what it is.
func (c *computation) podsKey(node string) string {
	var keys []string
	for _, pod := range c.world.PodsOn(node) {
		if cluster.Ended(pod) {
			continue
		}
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner == nil || !interchangeable[owner.Kind] || claims(pod) {
			keys = append(keys, "pod "+string(pod.UID)+pod.Namespace+"/"+pod.Name)
			continue
		}
		keys = append(keys, fmt.Sprint(owner.UID, " ", requestsOf(pod), pod.DeletionTimestamp != nil, kube.IsPodReady(pod)))
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x00")
}

// interchangeable are the kinds of owners whose pods differ in their names only.
var interchangeable = map[string]bool{"ReplicaSet": true, "ReplicationController": true, "DaemonSet": true, "Job": true}

// claims reports whether a pod uses claims, of volumes or of devices.
func claims(pod *corev1.Pod) bool {
	return len(pod.Spec.ResourceClaims) > 0 || slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return cluster.ClaimName(pod, &v) != ""
	})
}

// placeholder reports whether a pod only holds room: its priority is negative, so that others preempt it.
func placeholder(pod *corev1.Pod) bool { return pod.Spec.Priority != nil && *pod.Spec.Priority < 0 }
