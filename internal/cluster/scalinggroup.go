package cluster

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
)

// GroupSizes are the sizes of a node group and where it launches nodes, as its cloud tells.
type GroupSizes struct {
	cloud.ScalingGroup
	// Zones are those of its subnets, sorted; none if a subnet is not known.
	Zones []string
}

// scalingGroups index what a cloud tells of node groups.
type scalingGroups struct {
	// group is the Auto Scaling group of each instance by the last part of its provider ID.
	group map[string]string
	sizes map[string]GroupSizes
	// managed are the groups by the managed node group that they are made for; several of one are none.
	managed map[string]string
	// hasNodes says which groups have nodes.
	hasNodes map[string]bool
}

// scalingGroupsKey is that of a Snapshot's scalingGroups.
type scalingGroupsKey struct{}

func (s *Snapshot) scalingGroups() scalingGroups {
	return Memoize(s, scalingGroupsKey{}, func() scalingGroups {
		g := scalingGroups{group: map[string]string{}, sizes: map[string]GroupSizes{}, managed: map[string]string{}, hasNodes: map[string]bool{}}
		if !s.HasScalingGroups() {
			return g
		}
		n, zones := s.Network(), map[string]string{}
		for _, subnet := range n.Subnets {
			zones[subnet.ID] = subnet.Zone
		}
		for _, i := range n.Instances {
			g.group[i.ID] = i.Group
		}
		for _, one := range n.Groups {
			g.sizes[one.Name] = GroupSizes{one, zonesOfSubnets(one.Subnets, zones)}
			if _, several := g.managed[one.NodeGroup]; several {
				g.managed[one.NodeGroup] = ""
			} else {
				g.managed[one.NodeGroup] = one.Name
			}
		}
		for _, node := range s.Nodes() {
			g.hasNodes[g.group[instanceOf(node)]] = true
		}
		return g
	})
}

// zonesOfSubnets are the zones of subnets; none if one of them is not known.
func zonesOfSubnets(subnets []string, known map[string]string) []string {
	var zones []string
	for _, subnet := range subnets {
		if known[subnet] == "" {
			return nil
		}
		zones = append(zones, known[subnet])
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// Resized is the edit that sets the desired size, and raises the maximum if it must be raised for that.
func (s GroupSizes) Resized(desired int) Edit {
	one := s.ScalingGroup
	one.Desired, one.Max = desired, max(one.Max, desired)
	return putGroup(one)
}

func putGroup(one cloud.ScalingGroup) Edit {
	return Put(&custom.AutoScalingGroup{ObjectMeta: metav1.ObjectMeta{Name: one.Name}, Spec: one})
}

func instanceOf(node *corev1.Node) string {
	return node.Spec.ProviderID[strings.LastIndex(node.Spec.ProviderID, "/")+1:]
}

// SizesOf are the sizes of the group that nodes belong to; false if its cloud did not tell them, or if the nodes are of several. Nodes whose instance is not known
// do not count; if all are such, the group is the one that is made for the managed node group of their label.
func (s *Snapshot) SizesOf(nodes []*corev1.Node) (GroupSizes, bool) {
	g, name := s.scalingGroups(), ""
	for _, node := range nodes {
		of := g.group[instanceOf(node)]
		if of != "" && name != "" && of != name {
			return GroupSizes{}, false
		}
		if of != "" {
			name = of
		}
	}
	if name == "" && len(nodes) > 0 {
		if managed := nodes[0].Labels[eksNodegroup]; managed != "" {
			name = g.managed[managed]
		}
	}
	sizes, known := g.sizes[name]
	return sizes, known && name != ""
}

// EmptyGroups are the groups of the cluster that are scaled to zero, sorted by name; false if they are not known.
func (s *Snapshot) EmptyGroups() ([]GroupSizes, bool) {
	g := s.scalingGroups()
	var empty []GroupSizes
	known := false
	for _, name := range slices.Sorted(maps.Keys(g.sizes)) {
		if g.sizes[name].Cluster == "" {
			continue
		}
		known = true
		if g.sizes[name].Desired == 0 && !g.hasNodes[name] {
			empty = append(empty, g.sizes[name])
		}
	}
	return empty, known
}
