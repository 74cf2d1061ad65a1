package addresses

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// Report is what is known of a cluster's addresses.
type Report struct {
	// Cluster is the name by which the VPC CNI tags interfaces of this cluster; empty if it sets none, or interfaces of the nodes differ.
	Cluster  string
	Settings Settings
	// Subnets are those of the nodes' interfaces, and those that the VPC CNI may use beside them, by zone and ID.
	Subnets []Subnet
	// Others are the further subnets of the VPC, by zone and ID.
	Others []cloud.Subnet
	// Nodes are those that run on an instance, by name.
	Nodes []Node
	// Leaks are the leaked interfaces, the oldest first.
	Leaks []Leak
	// Scope is what is known of the cluster to decide about interfaces, with the default limits. Its Nodes are nil if not all nodes are known.
	Scope reclaim.Scope
	// Groups are those that nodes belong to, by name.
	Groups []Group
	// ENIConfigs are those that nodes use with custom networking, by name; none if that is not known.
	ENIConfigs []ENIConfig
	// NotJudged is what naosu sees and does not judge.
	NotJudged []Exception
	// Unread is why parts could not be read.
	Unread map[cloud.NetworkPart]cloud.Unread
}

// Subnet is one with the holders of its addresses.
type Subnet struct {
	cloud.Subnet
	// Valid says that CIDR is a range that AWS allows. Otherwise, Size is zero.
	Valid bool
	// Size is the number of addresses without those that AWS reserves.
	Size int64
	// Reserved is how many addresses nothing holds that the VPC CNI cannot take because of CIDR reservations. Free is without them then, and Available is the number
	// of free ones that EC2 reports.
	Reserved, Available int64
	// Pods, Primary and Warm are addresses of the nodes' interfaces: used by pods, the interfaces' own, and spare ones. Leaked are those of
	// leaked interfaces, Other those of all other interfaces.
	Pods, Primary, Warm, Leaked, Other int64
	// Prefixes says that interfaces in it have prefixes. FreeBlocks then estimates the prefixes that are free.
	Prefixes   bool
	FreeBlocks int
	// Growth is how many more addresses nodes hold if every group grows to its maximum; nil if that is not known.
	Growth *int64
	// Nodes are the names of those whose instance is in the subnet.
	Nodes []string
}

// AtMaximum is how many addresses are free if every group grows to its maximum; negative if they do not suffice, false if that is not known.
func (s Subnet) AtMaximum() (int64, bool) {
	if s.Growth == nil {
		return 0, false
	}
	return s.Free - *s.Growth, true
}

// Node is one with its interfaces.
type Node struct {
	Name string
	cloud.Instance
	Zone string
	// Interfaces is their number, Slots that of addresses for pods they have, Pods that of the pods that use one, and Primary that of the
	// interfaces' own addresses.
	Interfaces, Slots, Pods int
	// MaxPods is how many pods the kubelet accepts, HostNetwork how many of its pods need no address.
	MaxPods, HostNetwork int
	// Capacity is the most addresses for pods that its type allows; zero if that is not known.
	Capacity int
	// Judged is false for nodes whose addresses naosu does not judge.
	Judged bool
	// ENIConfig is the name of the one that it uses with custom networking; empty if that is off or it is not known.
	ENIConfig string
}

// Full says that the node has all interfaces and addresses that its type allows, and that pods use all of them.
func (n Node) Full() bool { return n.Judged && n.Capacity > 0 && n.Pods >= n.Capacity }

// Spare is the number of its addresses for pods that no pod uses.
func (n Node) Spare() int { return max(0, n.Slots-n.Pods) }

// Leak is a leaked interface: the VPC CNI made it for an instance that no node runs on, and it is attached to nothing.
type Leak struct {
	cloud.Interface
	// Held is the number of addresses that it holds.
	Held int64
	// Tagged says that a tag names this cluster. Otherwise, no tag names any.
	Tagged bool
	// Reclaim is why it may not be deleted. It is reclaim.SeenOnce if nothing is against it but that it was seen at one moment only.
	Reclaim reclaim.Reason
}

// Deletable says that nothing but time is against the deletion of the interface: above all, EC2 says that the instance that it was made for no longer exists.
func (l Leak) Deletable() bool { return l.Reclaim == reclaim.SeenOnce }

// Exception is what naosu sees and does not judge.
type Exception string

// The exceptions.
const (
	CustomNetworking Exception = "CustomNetworking"
	BranchInterfaces Exception = "BranchInterfaces"
	AutoMode         Exception = "AutoMode"
	IPv6             Exception = "IPv6"
)

// leakAge is how old an interface must be to count as leaked: younger ones may be about to be attached.
//
// Source: amazon-vpc-cni-k8s, pkg/awsutils/awsutils.go (eniDeleteCooldownTime).
const leakAge = 5 * time.Minute

// computation is one Compute.
type computation struct {
	*Report
	world   *cluster.Snapshot
	network cloud.Network
	// node are the indices in Nodes by instance, subnet those in Subnets by ID.
	node, subnet map[string]int
	// usable are the subnets from which the nodes of a subnet get addresses.
	usable map[string][]*Subnet
	// podAddresses are the addresses of the pods on each node.
	podAddresses map[string]map[netip.Addr]bool
	// inSubnet are the interfaces by subnet.
	inSubnet map[string][]cloud.Interface
}

// reportKey is that of the Report of a Snapshot.
type reportKey struct{}

// Compute computes the Report of a world; nil if no cloud was asked about its network. The Report must not be changed.
func Compute(world *cluster.Snapshot) *Report {
	if !world.HasNetwork() {
		return nil
	}
	return cluster.Memoize(world, reportKey{}, func() *Report { return compute(world) })
}

func compute(world *cluster.Snapshot) *Report {
	c := computation{
		Report: &Report{Settings: settingsOf(world)}, world: world, network: world.Network(), node: map[string]int{}, subnet: map[string]int{}, usable: map[string][]*Subnet{},
		podAddresses: map[string]map[netip.Addr]bool{}, inSubnet: map[string][]cloud.Interface{},
	}
	c.Unread = c.network.Unread
	c.nodes()
	c.attached()
	c.nameCluster()
	c.eniConfigs()
	c.leaks()
	c.subnets()
	c.holders()
	c.forecast()
	c.exceptions()
	return c.Report
}

// InstanceID is the ID of an EC2 instance in a provider ID; empty in that of another cloud.
func InstanceID(providerID string) string {
	id := providerID[strings.LastIndex(providerID, "/")+1:]
	if !strings.HasPrefix(providerID, "aws://") || !strings.HasPrefix(id, "i-") { // Fargate has no instances.
		return ""
	}
	return id
}

// labelCompute is the label of nodes of EKS Auto Mode.
const labelCompute = "eks.amazonaws.com/compute-type"

func (c *computation) nodes() {
	instances := map[string]cloud.Instance{}
	for _, i := range c.network.Instances {
		i.MaxInterfaces, i.AddressesPerInterface = limit(i.MaxInterfaces), limit(i.AddressesPerInterface)
		instances[i.ID] = i
	}
	for _, o := range c.world.Nodes() {
		id := InstanceID(o.Spec.ProviderID)
		if _, twice := c.node[id]; id == "" || twice {
			continue
		}
		n := Node{Name: o.Name, Instance: instances[id], Zone: cluster.Zone(o), MaxPods: limit(int(o.Status.Allocatable.Pods().Value()))}
		n.ID, n.Type = id, cmp.Or(n.Type, o.Labels[corev1.LabelInstanceTypeStable])
		n.Judged = !c.Settings.Custom && !c.Settings.IPv6
		if o.Labels[labelCompute] == "auto" {
			c.except(AutoMode)
			n.Judged = false
		}
		c.countPods(&n)
		c.node[id] = len(c.Nodes)
		c.Nodes = append(c.Nodes, n)
	}
}

// limit bounds a number that a file or an API may have made up.
func limit(n int) int {
	const most = 100_000
	return max(0, min(n, most))
}

func (c *computation) countPods(n *Node) {
	addresses := map[netip.Addr]bool{}
	for _, pod := range c.world.PodsOn(n.Name) {
		if cluster.Ended(pod) {
			continue
		}
		if pod.Spec.HostNetwork {
			n.HostNetwork++
			continue
		}
		address, err := netip.ParseAddr(pod.Status.PodIP)
		switch {
		case err == nil && address.Is4():
			addresses[address] = true
		case err == nil:
			c.except(IPv6)
			n.Judged = false
		}
	}
	c.podAddresses[n.ID] = addresses
}

// attached counts the nodes' interfaces and the pods that use their addresses.
func (c *computation) attached() {
	for _, i := range c.network.Interfaces {
		c.inSubnet[i.Subnet] = append(c.inSubnet[i.Subnet], i)
		at, ours := c.node[i.AttachedTo]
		if i.Type == cloud.InterfaceTrunk || i.Type == cloud.InterfaceBranch {
			c.except(BranchInterfaces)
		}
		if !ours || i.AttachedTo == "" || i.Type == cloud.InterfaceBranch {
			continue
		}
		n := &c.Nodes[at]
		n.Interfaces++
		c.Settings.Prefixes = c.Settings.Prefixes || !c.Settings.Known && len(i.Prefixes) > 0
		n.Slots += max(0, len(i.Addresses)-1) + prefixSize*len(i.Prefixes)
		n.Pods += c.podsOn(i)
		if i.Primary && n.Subnet == "" {
			n.Subnet = i.Subnet
		}
		if i.OperatorManaged {
			c.except(AutoMode)
			n.Judged = false
		}
	}
	for at := range c.Nodes {
		n := &c.Nodes[at]
		n.Capacity = n.MaxInterfaces * max(0, n.AddressesPerInterface-1)
		if most := c.Settings.MaxENI; most > 0 {
			n.Capacity = min(n.MaxInterfaces, most) * max(0, n.AddressesPerInterface-1)
		}
		if c.Settings.Prefixes {
			n.Capacity *= prefixSize
		}
	}
}

// podsOn is the number of pods that use an address of an attached interface.
func (c *computation) podsOn(i cloud.Interface) int {
	pods, count := c.podAddresses[i.AttachedTo], 0
	if len(pods) == 0 {
		return 0
	}
	for at, text := range i.Addresses {
		address, err := netip.ParseAddr(text)
		if err == nil && at > 0 && pods[address] {
			count++
		}
	}
	for _, text := range i.Prefixes {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			continue
		}
		for address := range pods {
			if prefix.Contains(address) {
				count++
			}
		}
	}
	return count
}

// nameCluster finds the cluster's name in the tags of the nodes' interfaces.
func (c *computation) nameCluster() {
	for _, i := range c.network.Interfaces {
		if _, ours := c.node[i.AttachedTo]; !ours || i.Cluster == "" || i.Cluster == c.Cluster {
			continue
		}
		if c.Cluster != "" {
			c.Cluster = ""
			return
		}
		c.Cluster = i.Cluster
	}
}

// leaks finds the interfaces that the VPC CNI made for instances that no node runs on. Those of another cluster are not this one's, and those that
// carry no cluster's name count only in subnets of the nodes.
func (c *computation) leaks() {
	if c.world.Knowledge(cluster.Node) != cluster.Complete {
		return // Any instance may be one of a node that was not read.
	}
	c.Scope = c.scope()
	used := c.used()
	for _, i := range c.network.Interfaces {
		tagged := i.Cluster != "" && i.Cluster == c.Cluster
		if c.isLeaked(i) && (tagged || i.Cluster == "" && used[i.Subnet]) {
			c.Leaks = append(c.Leaks, Leak{Interface: i, Held: i.Held(), Tagged: tagged, Reclaim: c.Scope.Decide(i, nil)})
		}
	}
	slices.SortStableFunc(c.Leaks, func(a, b Leak) int { return cmp.Compare(created(a), created(b)) })
}

// scope is what the world says of the cluster to decide about interfaces, in which all nodes are known.
func (c *computation) scope() reclaim.Scope {
	s := reclaim.Scope{Now: c.world.Taken(), Cluster: c.Cluster, Nodes: map[string]bool{}, Limits: reclaim.DefaultLimits}
	for id := range c.node {
		s.Nodes[id] = true
	}
	s.SeesInstances = slices.ContainsFunc(c.network.Instances, func(i cloud.Instance) bool { return s.Nodes[i.ID] })
	return s
}

func created(l Leak) int64 {
	if l.CreatedAt == nil {
		return 1<<63 - 1
	}
	return l.CreatedAt.Unix()
}

func (c *computation) isLeaked(i cloud.Interface) bool {
	if _, alive := c.node[cmp.Or(i.Instance, strings.TrimPrefix(i.Description, cloud.VPCCNIDescription))]; alive || reclaim.Leftover(i) != "" {
		return false
	}
	return i.CreatedAt == nil || c.world.Taken().Sub(*i.CreatedAt) >= leakAge
}

func (c *computation) except(e Exception) {
	if !slices.Contains(c.NotJudged, e) {
		c.NotJudged = append(c.NotJudged, e)
	}
}

func (c *computation) exceptions() {
	if c.Settings.Custom {
		c.except(CustomNetworking)
	}
	if c.Settings.IPv6 {
		c.except(IPv6)
	}
	slices.Sort(c.NotJudged)
}
