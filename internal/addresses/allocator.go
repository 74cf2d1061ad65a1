package addresses

import (
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// Allocator predicts which pods get an address when pods and nodes come and go. It does what the VPC CNI's address manager does on each node, without
// the time that this takes: it fills the node's interfaces and attaches more of them, as the settings say and as long as the type and the subnets
// allow.
//
// Addresses that a node has too many of are returned if the settings count addresses; whole interfaces and prefixes are kept until the node ends,
// since it is not known which of their addresses the pods use.
//
// Source: amazon-vpc-cni-k8s, pkg/ipamd/ipamd.go (updateIPPoolIfRequired).
type Allocator struct {
	settings Settings
	// nodes are those of which the limits are known, by name.
	nodes map[string]pool
	// free are the free addresses, blocks the free prefixes, by subnet; initial are the free addresses at the beginning.
	free    map[string]int64
	initial map[string]int64
	blocks  map[string]int
	// launch are the subnets in which Auto Scaling groups launch instances, by group and zone; usable those in which the nodes of a subnet have
	// further interfaces.
	launch map[groupZone][]string
	usable map[string][]string
}

type groupZone struct{ group, zone string }

// pool is what one node has.
type pool struct {
	subnet, group string
	interfaces    []attachedInterface
	// pods is the number of pods that use an address, maxPods the most that the kubelet accepts.
	pods, maxPods int
	// maxInterfaces and perInterface are the most interfaces, and addresses or prefixes for pods on each.
	maxInterfaces, perInterface int
}

// attachedInterface is an interface of a node.
type attachedInterface struct {
	subnet string
	// blocks is the number of its addresses for pods or, with prefix delegation, of its prefixes. addresses is that of the single ones that it
	// has beside prefixes, from before prefix delegation was on.
	blocks, addresses int
}

// allocatorKey is that of the Allocator of a Snapshot.
type allocatorKey struct{}

// NewAllocator is the Allocator of a world. It is nil if addresses cannot be counted there: the VPC CNI does not run, or does not take addresses of
// the nodes' subnets, or what bears on it was not read.
func NewAllocator(world *cluster.Snapshot) *Allocator {
	r := Compute(world)
	if r == nil {
		return nil
	}
	a := cluster.Memoize(world, allocatorKey{}, func() *Allocator { return newAllocator(r, world.Network()) })
	if a == nil {
		return nil
	}
	clone := *a
	clone.initial = a.free
	clone.nodes, clone.free, clone.blocks = maps.Clone(a.nodes), maps.Clone(a.free), maps.Clone(a.blocks)
	return &clone
}

// Counted says whether addresses can be counted: every part of the network but reservations is known, and the VPC CNI takes addresses of the nodes' subnets.
func (r *Report) Counted() bool {
	s := r.Settings
	unread := slices.ContainsFunc(cloud.NetworkParts, func(part cloud.NetworkPart) bool { return part != cloud.Reservations && !r.Has(part) })
	return !unread && s.Known && !s.Custom && !s.IPv6 && !s.PodENI
}

func newAllocator(r *Report, network cloud.Network) *Allocator {
	if !r.Counted() {
		return nil
	}
	a := &Allocator{
		settings: r.Settings, nodes: map[string]pool{}, free: map[string]int64{}, blocks: map[string]int{},
		launch: map[groupZone][]string{}, usable: map[string][]string{},
	}
	zones := a.addSubnets(r, network)
	names := a.addNodes(r, zones)
	for _, i := range network.Interfaces {
		name, ours := names[i.AttachedTo]
		if !ours || i.Type == cloud.InterfaceBranch {
			continue
		}
		p, one := a.nodes[name], attachedInterface{subnet: i.Subnet, blocks: max(0, len(i.Addresses)-1)}
		if a.settings.Prefixes {
			one.blocks, one.addresses = len(i.Prefixes), one.blocks
		}
		p.interfaces = append(p.interfaces, one)
		a.nodes[name] = p
	}
	return a
}

// addSubnets adds what is free, and where groups launch instances. It returns the subnets' zones.
func (a *Allocator) addSubnets(r *Report, network cloud.Network) (zones map[string]string) {
	zones = map[string]string{}
	inSubnet := map[string][]cloud.Interface{}
	for _, i := range network.Interfaces {
		inSubnet[i.Subnet] = append(inSubnet[i.Subnet], i)
	}
	for _, s := range network.Subnets {
		a.free[s.ID], zones[s.ID] = max(0, s.Free), s.Zone
		if prefix, size, valid := sizeOf(s.CIDR); valid {
			a.free[s.ID] = min(a.free[s.ID], size)
			a.blocks[s.ID] = freeBlocks(s, prefix, inSubnet[s.ID])
		}
	}
	for _, s := range r.Subnets {
		a.free[s.ID] = s.Free
		if s.Prefixes {
			a.blocks[s.ID] = s.FreeBlocks
		}
	}
	for _, g := range network.Groups {
		for _, subnet := range g.Subnets {
			at := groupZone{g.Name, zones[subnet]}
			a.launch[at] = append(a.launch[at], subnet)
		}
	}
	return zones
}

// addNodes adds the nodes of which the limits are known, without their interfaces. It returns their names by instance.
func (a *Allocator) addNodes(r *Report, zones map[string]string) (names map[string]string) {
	names = map[string]string{}
	for _, n := range r.Nodes {
		if !n.Judged || n.Subnet == "" || n.MaxInterfaces < 1 || n.AddressesPerInterface < 2 {
			continue
		}
		names[n.ID] = n.Name
		limit := n.MaxInterfaces
		if a.settings.MaxENI > 0 {
			limit = min(limit, a.settings.MaxENI)
		}
		a.nodes[n.Name] = pool{subnet: n.Subnet, group: n.Group, pods: n.Pods, maxPods: n.MaxPods, maxInterfaces: limit, perInterface: n.AddressesPerInterface - 1}
		if at := (groupZone{n.Group, zones[n.Subnet]}); len(a.launch[at]) == 0 {
			a.launch[at] = []string{n.Subnet}
		}
		if _, known := a.usable[n.Subnet]; !known {
			a.usable[n.Subnet] = idsOf(r.Usable(&n))
		}
	}
	return names
}

// Assign gives an address to a pod of a node. It reports whether there is one; also if the node is not known, for then nothing is known to lack.
func (a *Allocator) Assign(node string) bool {
	p, known := a.nodes[node]
	if !known {
		return true
	}
	p.interfaces = slices.Clone(p.interfaces)
	a.grow(&p)
	assigned := p.pods < a.total(p)
	if assigned {
		p.pods++
		a.grow(&p)
	}
	a.nodes[node] = p
	return assigned
}

// Release takes the address of a pod back.
func (a *Allocator) Release(node string) {
	p, known := a.nodes[node]
	if !known || p.pods == 0 {
		return
	}
	p.pods--
	p.interfaces = slices.Clone(p.interfaces)
	a.shrink(&p)
	a.nodes[node] = p
}

// shrink returns the addresses that a node has too many of. The caller owns p.interfaces.
func (a *Allocator) shrink(p *pool) {
	over := a.over(*p)
	for at := len(p.interfaces) - 1; at >= 0 && over > 0; at-- {
		i := &p.interfaces[at]
		n := min(over, i.blocks)
		i.blocks, over = i.blocks-n, over-n
		a.free[i.subnet] += int64(n)
	}
}

// Configure changes the settings to those in the VPC CNI's DaemonSet. Nodes return the addresses that they have too many of then, and fill up.
func (a *Allocator) Configure(set *appsv1.DaemonSet) {
	before, names := a.settings, slices.Sorted(maps.Keys(a.nodes))
	a.settings = settingsIn(set)
	for _, name := range names {
		p := a.nodes[name]
		p.interfaces = slices.Clone(p.interfaces)
		for at := range p.interfaces {
			i := &p.interfaces[at]
			switch {
			case a.settings.Prefixes && !before.Prefixes:
				i.blocks, i.addresses = 0, i.blocks
			case !a.settings.Prefixes && before.Prefixes: // Prefixes stay until the interface goes.
				i.blocks, i.addresses = 0, i.addresses+i.blocks*prefixSize
			}
		}
		a.shrink(&p)
		a.nodes[name] = p
	}
	for _, name := range names {
		a.Fill(name)
	}
}

// Launch adds a node with an instance like that of another node, in a zone; the instance has one interface without addresses for pods. It reports whether a subnet there had an address for it.
func (a *Allocator) Launch(node, like, zone string) bool {
	subnet, possible := a.launchSubnet(like, zone)
	if !possible || subnet == "" {
		return possible
	}
	p := a.nodes[like]
	p.subnet, p.pods, p.interfaces = subnet, 0, []attachedInterface{{subnet: subnet}}
	a.free[subnet]--
	a.nodes[node] = p
	return true
}

// Fill gives a node the addresses that its settings keep free for pods, as far as there are some. It is what a new node does first.
func (a *Allocator) Fill(node string) {
	if p, known := a.nodes[node]; known && len(p.interfaces) > 0 {
		p.interfaces = slices.Clone(p.interfaces)
		a.grow(&p)
		a.nodes[node] = p
	}
}

// launchSubnet is the subnet with the most free addresses in which an instance can be launched; empty if it is not known.
func (a *Allocator) launchSubnet(like, zone string) (subnet string, possible bool) {
	p, known := a.nodes[like]
	subnets := a.launch[groupZone{p.group, zone}]
	if !known || len(subnets) == 0 {
		return "", true
	}
	most := slices.MaxFunc(subnets, func(x, y string) int { return int(a.free[x] - a.free[y]) })
	return most, a.free[most] > 0
}

// Terminate takes back what a node holds. What its instance is like stays known.
func (a *Allocator) Terminate(node string) {
	p, known := a.nodes[node]
	if !known {
		return
	}
	for _, i := range p.interfaces {
		a.free[i.subnet] += int64(1 + i.addresses + i.blocks*a.blockSize())
		if a.settings.Prefixes {
			a.blocks[i.subnet] += i.blocks
		}
	}
	p.interfaces, p.pods = nil, 0
	a.nodes[node] = p
}

// Rediscover has the nodes get further interfaces in the subnets that they may use in a world whose subnets have other tags.
func (a *Allocator) Rediscover(world *cluster.Snapshot) {
	r, usable := Compute(world), map[string][]string{}
	for subnet := range a.usable {
		usable[subnet] = idsOf(r.Usable(&Node{Instance: cloud.Instance{Subnet: subnet}}))
	}
	a.usable = usable // The map is shared with other Allocators, so it is not changed.
}

func idsOf(subnets []*Subnet) []string {
	ids := []string{}
	for _, s := range subnets {
		ids = append(ids, s.ID)
	}
	return ids
}

// Compete has all nodes but some take the addresses that their settings keep free for pods, before those get any: which node the VPC CNI serves first is
// not known.
func (a *Allocator) Compete(last map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(a.nodes)) {
		if !last[name] {
			a.Fill(name)
		}
	}
}

// Return returns the addresses of an interface that no node has, from one world to another that is without it.
func (a *Allocator) Return(i cloud.Interface, from, to *cluster.Snapshot) {
	a.free[i.Subnet] += i.Held()
	before, after := Compute(from).Subnet(i.Subnet), Compute(to).Subnet(i.Subnet)
	if before != nil && after != nil {
		a.blocks[i.Subnet] += after.FreeBlocks - before.FreeBlocks
	}
}

// AtLimit says whether a node has all interfaces and addresses that its type allows.
func (a *Allocator) AtLimit(node string) bool {
	p := a.nodes[node]
	full := func(i attachedInterface) bool { return i.blocks+i.addresses >= p.perInterface }
	return len(p.interfaces) >= p.maxInterfaces && !slices.ContainsFunc(p.interfaces, func(i attachedInterface) bool { return !full(i) })
}

// Subnets are those from which a node gets addresses.
func (a *Allocator) Subnets(node string) []string { return a.usable[a.nodes[node].subnet] }

// UsesAddress says whether a pod on a node has an address of the VPC CNI, or waits for one.
func UsesAddress(pod *corev1.Pod) bool {
	return pod.Spec.NodeName != "" && !pod.Spec.HostNetwork && !cluster.Ended(pod)
}

// grow gives a node more addresses until it has enough, or there are none. The caller owns p.interfaces.
func (a *Allocator) grow(p *pool) {
	for a.tooLow(*p) && (a.fill(p) || a.attach(p)) {
	}
}

// fill adds addresses to an interface that has room for more.
func (a *Allocator) fill(p *pool) bool {
	for at := range p.interfaces {
		i := &p.interfaces[at]
		n := a.wanted(*p, i.blocks+i.addresses)
		if n <= 0 {
			continue
		}
		if a.take(i.subnet, 0, n) {
			i.blocks += n
			return true
		}
		if a.take(i.subnet, 0, 1) {
			i.blocks++
			return true
		}
	}
	return false
}

// attach adds an interface in the subnet with the most free addresses.
func (a *Allocator) attach(p *pool) bool {
	n := a.wanted(*p, 0)
	if n <= 0 || len(p.interfaces) >= p.maxInterfaces {
		return false
	}
	byFree := slices.SortedStableFunc(slices.Values(a.usable[p.subnet]), func(x, y string) int { return int(a.free[y] - a.free[x]) })
	for _, subnet := range byFree {
		if a.take(subnet, 1, n) {
			p.interfaces = append(p.interfaces, attachedInterface{subnet: subnet, blocks: n})
			return true
		}
	}
	return false
}

// take takes single addresses and blocks from a subnet: all of them or none.
func (a *Allocator) take(subnet string, single, blocks int) bool {
	n := int64(single + blocks*a.blockSize())
	if a.free[subnet] < n || a.settings.Prefixes && a.blocks[subnet] < blocks {
		return false
	}
	a.free[subnet] -= n
	if a.settings.Prefixes {
		a.blocks[subnet] -= blocks
	}
	return true
}

// blockSize is how many addresses a block has.
func (a *Allocator) blockSize() int {
	if a.settings.Prefixes {
		return prefixSize
	}
	return 1
}

// total is how many addresses for pods a node has.
func (a *Allocator) total(p pool) int {
	total := 0
	for _, i := range p.interfaces {
		total += i.addresses + i.blocks*a.blockSize()
	}
	return total
}

// short is how many addresses a node lacks, if the settings count addresses.
func (a *Allocator) short(p pool) int {
	total := a.total(p)
	return max(0, a.settings.WarmIP-(total-p.pods), a.settings.MinimumIP-total)
}

// tooLow says whether a node needs more addresses.
func (a *Allocator) tooLow(p pool) bool {
	total, s := a.total(p), a.settings
	available := total - p.pods
	switch {
	case p.maxPods > 0 && total >= p.maxPods:
		return false
	case s.targeted():
		return a.short(p) > 0
	case s.Prefixes:
		return available < max(1, s.WarmPrefix*prefixSize)
	default:
		return available < max(1, s.WarmENI*p.perInterface)
	}
}

// wanted is how many blocks a node's interface is to get that has so many blocks and addresses.
func (a *Allocator) wanted(p pool, has int) int {
	n := p.perInterface
	switch {
	case a.settings.targeted():
		n = divideUp(a.short(p), a.blockSize())
	case a.settings.Prefixes:
		n = max(1, divideUp(a.settings.WarmPrefix*prefixSize-(a.total(p)-p.pods), prefixSize))
	}
	return min(p.perInterface-has, n)
}

// over is how many addresses a node returns.
func (a *Allocator) over(p pool) int {
	if !a.settings.targeted() || a.settings.Prefixes {
		return 0
	}
	total := a.total(p)
	return max(0, min(total-p.pods-a.settings.WarmIP, total-a.settings.MinimumIP))
}

// Changes are the subnets of which another number of addresses is free than at the beginning, by ID.
func (a *Allocator) Changes() []Change {
	var all []Change
	for id, free := range a.free {
		if was := a.initial[id]; was != free {
			all = append(all, Change{id, was, free})
		}
	}
	slices.SortFunc(all, func(x, y Change) int { return strings.Compare(x.Subnet, y.Subnet) })
	return all
}

// Change is how the number of free addresses of a subnet changes.
type Change struct {
	Subnet string `json:"subnet"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}
