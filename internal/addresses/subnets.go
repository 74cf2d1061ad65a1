package addresses

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// Values of the tag kubernetes.io/role/cni.
const (
	roleUsed   = "1"
	roleUnused = "0"
)

// subnets separates the subnets that nodes use, or may use, from the others.
func (c *computation) subnets() {
	used, places := c.used(), map[[2]string]bool{}
	for _, s := range c.network.Subnets {
		if used[s.ID] {
			places[[2]string{s.VPC, s.Zone}] = true
		}
	}
	byZone := func(a, b cloud.Subnet) int {
		return cmp.Or(strings.Compare(a.Zone, b.Zone), strings.Compare(a.ID, b.ID))
	}
	for _, s := range slices.SortedFunc(slices.Values(c.network.Subnets), byZone) {
		discovered := c.discovers(s) && places[[2]string{s.VPC, s.Zone}]
		if !used[s.ID] && !discovered {
			c.Others = append(c.Others, s)
			continue
		}
		one := Subnet{Subnet: s}
		var block netip.Prefix
		block, one.Size, one.Valid = sizeOf(s.CIDR)
		if one.Free = max(0, s.Free); one.Valid {
			one.Free = min(one.Free, one.Size)
			one.reserve(block, c.inSubnet[s.ID], c.Settings.Prefixes)
		}
		c.subnet[s.ID] = len(c.Subnets)
		c.Subnets = append(c.Subnets, one)
	}
	for _, n := range c.Nodes {
		if at, known := c.subnet[n.Subnet]; known {
			c.Subnets[at].Nodes = append(c.Subnets[at].Nodes, n.Name)
		}
	}
}

// reserve takes what CIDR reservations keep from the VPC CNI off the free addresses. Whether EC2's number of free ones contains them is not documented, so they
// are taken off what interfaces do not hold.
func (s *Subnet) reserve(block netip.Prefix, interfaces []cloud.Interface, prefixes bool) {
	unheld, taken := unassignable(s.Subnet, block, interfaces, prefixes)
	if unheld > 0 {
		s.Available, s.Reserved = s.Free, unheld
		s.Free = min(s.Free, max(0, s.Size-taken-unheld))
	}
}

// used are the IDs of the subnets that nodes have an interface in, or an ENIConfig of theirs names.
func (c *computation) used() map[string]bool {
	used := map[string]bool{}
	for _, n := range c.Nodes {
		used[n.Subnet] = true
	}
	for _, i := range c.network.Interfaces {
		if _, ours := c.node[i.AttachedTo]; ours && i.AttachedTo != "" {
			used[i.Subnet] = true
		}
	}
	for _, e := range c.ENIConfigs {
		used[e.Subnet] = true
	}
	delete(used, "")
	return used
}

// holders counts who holds the addresses of each subnet.
func (c *computation) holders() {
	leaked := map[string]bool{}
	for _, l := range c.Leaks {
		leaked[l.ID] = true
	}
	for at := range c.Subnets {
		s := &c.Subnets[at]
		for _, i := range c.inSubnet[s.ID] {
			_, ours := c.node[i.AttachedTo]
			s.Prefixes = s.Prefixes || len(i.Prefixes) > 0
			switch {
			case leaked[i.ID]:
				s.Leaked += i.Held()
			case !ours || i.AttachedTo == "" || i.Type == cloud.InterfaceBranch:
				s.Other += i.Held()
			default:
				pods, own := int64(c.podsOn(i)), int64(min(1, len(i.Addresses)))
				s.Pods, s.Primary, s.Warm = s.Pods+pods, s.Primary+own, s.Warm+max(0, i.Held()-own-pods)
			}
		}
		if prefix, _, valid := sizeOf(s.CIDR); valid && (s.Prefixes || c.Settings.Prefixes) {
			s.Prefixes, s.FreeBlocks = true, freeBlocks(s.Subnet, prefix, c.inSubnet[s.ID])
		}
	}
}

// Subnet is the one of an ID among Subnets; nil if it is none of them.
func (r *Report) Subnet(id string) *Subnet {
	if at := slices.IndexFunc(r.Subnets, func(s Subnet) bool { return s.ID == id }); at >= 0 {
		return &r.Subnets[at]
	}
	return nil
}

// Node is the one of a name; nil if it runs on no instance.
func (r *Report) Node(name string) *Node {
	if at := slices.IndexFunc(r.Nodes, func(n Node) bool { return n.Name == name }); at >= 0 {
		return &r.Nodes[at]
	}
	return nil
}

// Usable are the subnets from which a node gets addresses: its own, and those of its zone that a tag adds.
func (r *Report) Usable(n *Node) []*Subnet {
	own := r.Subnet(n.Subnet)
	if own == nil {
		return nil
	}
	var all []*Subnet
	for at := range r.Subnets {
		s := &r.Subnets[at]
		switch {
		case s.ID == own.ID && (!r.Settings.Discovery || s.RoleCNI == "" || s.RoleCNI != roleUnused && r.meant(s.Subnet)),
			r.discovers(s.Subnet) && s.VPC == own.VPC && s.Zone == own.Zone:
			all = append(all, s)
		}
	}
	return all
}

// discovers says whether the VPC CNI uses a subnet beside the nodes' own ones, if it is in their zone and VPC.
func (r *Report) discovers(s cloud.Subnet) bool {
	return r.Settings.Discovery && s.RoleCNI == roleUsed && r.meant(s)
}

// meant says whether no tag keeps a subnet for other clusters. A VPC CNI that sets no cluster's name does not look at these tags.
func (r *Report) meant(s cloud.Subnet) bool {
	return len(s.Clusters) == 0 || r.Cluster == "" || slices.Contains(s.Clusters, r.Cluster)
}

// Candidate is the subnet with the most free addresses among those that a tag would let a node use; nil if none has any.
func (r *Report) Candidate(of *Subnet) *cloud.Subnet {
	var best *cloud.Subnet
	for at := range r.Others {
		s := &r.Others[at]
		if s.VPC == of.VPC && s.Zone == of.Zone && s.RoleCNI != roleUnused && r.meant(*s) && s.Free > 0 && (best == nil || s.Free > best.Free) {
			best = s
		}
	}
	return best
}

// LeaksIn are the leaked interfaces in a subnet.
func (r *Report) LeaksIn(subnet string) []Leak {
	return slices.DeleteFunc(slices.Clone(r.Leaks), func(l Leak) bool { return l.Subnet != subnet })
}

// Has says whether a part was read.
func (r *Report) Has(part cloud.NetworkPart) bool {
	_, unread := r.Unread[part]
	return !unread
}

// Parts are the parts of the network that could not be read, in a fixed order.
func Parts(r *Report) []cloud.NetworkPart {
	return slices.DeleteFunc(slices.Clone(cloud.NetworkParts), r.Has)
}
