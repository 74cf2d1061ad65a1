package addresses

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
)

// maxNewNodes bounds the new nodes of a group: ten times what EKS allows a managed node group.
//
// Source: https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html.
const maxNewNodes = 4500

// Group is an Auto Scaling group, or a group of nodes without one.
type Group struct {
	Name string
	// Nodes is the number of its nodes, Max that of instances it may have. Known is false if Max is not known. That of a NodePool of Karpenter is what its limits allow
	// of nodes that are as small as its smallest one now.
	Nodes, Max int
	Known      bool
	// NodePool says that the maximum is that of a NodePool of Karpenter.
	NodePool bool
	// PodsPerNode is the average number of pods with an address on its nodes, rounded up, and Held how many addresses a new node with as many
	// holds.
	PodsPerNode, Held int
	Subnets           []string
}

// forecast computes the growth of each subnet if every group grows to its maximum. New nodes run as many pods as the group's nodes do on average.
// Where it cannot be known, the subnet's Growth stays nil.
func (c *computation) forecast() {
	if !c.Has(cloud.Instances) {
		return
	}
	members := map[string][]Node{}
	for _, n := range c.Nodes {
		members[c.groupName(n)] = append(members[c.groupName(n)], n)
	}
	known := map[string]cloud.ScalingGroup{}
	for _, g := range c.network.Groups {
		known[g.Name] = g
	}
	unknown := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		g := c.group(name, members[name], known)
		c.Groups = append(c.Groups, g)
		if !g.Known {
			for _, s := range g.Subnets {
				for _, usable := range c.usableIn(s) {
					unknown[usable.ID] = true
				}
				unknown[s] = true
			}
		}
	}
	for _, e := range c.ENIConfigs {
		unknown[e.Subnet] = true
	}
	growth := map[string]int64{}
	for _, g := range c.Groups {
		c.grow(g, members[g.Name], growth)
	}
	for at := range c.Subnets {
		if s := &c.Subnets[at]; !unknown[s.ID] && s.Valid {
			s.Growth = new(growth[s.ID])
		}
	}
}

// groupName is the name of the Auto Scaling group of a node, or what its labels say.
func (c *computation) groupName(n Node) string {
	if n.Group != "" {
		return n.Group
	}
	if g, ok := c.world.GroupOf(n.Name); ok {
		return g.Name
	}
	return ""
}

func (c *computation) group(name string, members []Node, known map[string]cloud.ScalingGroup) Group {
	g := Group{Name: name, Nodes: len(members)}
	of, found := known[name]
	pods, subnets := 0, map[string]bool{}
	for _, n := range members {
		pods += n.Pods
		if n.Subnet != "" {
			subnets[n.Subnet] = true
		}
	}
	g.PodsPerNode = divideUp(pods, len(members))
	bySize := func(a, b Node) int {
		return cmp.Or(cmp.Compare(a.Capacity, b.Capacity), strings.Compare(a.Name, b.Name))
	}
	like, most, limited := slices.MaxFunc(members, bySize), of.Max, found && members[0].Group == name
	if !limited {
		of = cloud.ScalingGroup{}
		most, limited = c.nodePoolMax(members)
		g.NodePool = limited
	}
	if g.NodePool {
		like = slices.MinFunc(members, bySize)
	}
	g.Held = c.Settings.held(g.PodsPerNode, like.MaxInterfaces, like.AddressesPerInterface)
	judged := !slices.ContainsFunc(members, func(n Node) bool { return !n.Judged })
	if limited && judged && g.Held > 0 && most-g.Nodes <= maxNewNodes {
		g.Known, g.Max = true, max(0, most)
		if len(of.Subnets) > 0 { // Nodes may be left in others.
			clear(subnets)
		}
		for _, s := range of.Subnets {
			subnets[s] = true
		}
	}
	g.Subnets = slices.Sorted(maps.Keys(subnets))
	return g
}

// nodePoolMax is how many nodes the limits of a NodePool of Karpenter allow, if further nodes are as small as the smallest of its nodes; false if no limit bounds
// them, or the nodes are of none.
//
// Source: sigs.k8s.io/karpenter, pkg/apis/v1 (Limits); limits are of the nodes' capacity.
func (c *computation) nodePoolMax(members []Node) (most int, limited bool) {
	group, grouped := c.world.GroupOf(members[0].Name)
	if !grouped || group.Provider != change.Karpenter {
		return 0, false
	}
	pool := c.world.NodePool(group.Name)
	if pool == nil {
		return 0, false
	}
	bound := math.Inf(1)
	for resource, limit := range pool.Spec.Limits {
		if resource == "nodes" {
			bound = min(bound, limit.AsApproximateFloat64())
		} else if used, least := capacityOf(group.Nodes, resource); least > 0 {
			bound = min(bound, float64(len(group.Nodes))+max(0, limit.AsApproximateFloat64()-used)/least)
		}
	}
	return int(max(0, min(bound, math.MaxInt32))), !math.IsInf(bound, 1)
}

// capacityOf is the sum of a resource over nodes, and the least that one has; zero if one has none.
func capacityOf(nodes []*corev1.Node, resource corev1.ResourceName) (sum, least float64) {
	for i, node := range nodes {
		has := node.Status.Capacity[resource]
		amount := has.AsApproximateFloat64()
		if sum += amount; i == 0 || amount < least {
			least = amount
		}
	}
	return sum, least
}

// grow adds what a group's new nodes would hold. Auto Scaling balances zones: each new node goes to the subnet with the fewest nodes of the group.
func (c *computation) grow(g Group, members []Node, growth map[string]int64) {
	if !g.Known || len(g.Subnets) == 0 {
		return
	}
	count := map[string]int{}
	for _, n := range members {
		count[n.Subnet]++
	}
	for range g.Max - g.Nodes {
		fewest := slices.MinFunc(g.Subnets, func(a, b string) int { return cmp.Or(cmp.Compare(count[a], count[b]), strings.Compare(a, b)) })
		count[fewest]++
		c.place(fewest, int64(g.Held), int64(members[0].AddressesPerInterface), growth)
	}
}

// usableIn is Usable for the nodes of a subnet.
func (c *computation) usableIn(subnet string) []*Subnet {
	all, known := c.usable[subnet]
	if !known {
		all = c.Usable(&Node{Instance: cloud.Instance{Subnet: subnet}})
		c.usable[subnet] = all
	}
	return all
}

// place adds what one new node holds: the addresses of its first interface are in its own subnet, those of others in the one of the usable subnets
// with the most free.
func (c *computation) place(subnet string, held, first int64, growth map[string]int64) {
	most := subnet
	free := func(id string) int64 {
		if at, known := c.subnet[id]; known {
			return c.Subnets[at].Free - growth[id]
		}
		return 0
	}
	for _, s := range c.usableIn(subnet) {
		if free(s.ID) > free(most) {
			most = s.ID
		}
	}
	own := held
	if !c.Settings.Prefixes {
		own = min(held, first)
	}
	growth[subnet] += own
	growth[most] += held - own
}
