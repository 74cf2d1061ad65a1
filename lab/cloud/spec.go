package cloud

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Spec is what a scenario says of its cloud. `naosu-lab up` makes one from its flags.
type Spec struct {
	// Region is the name of the one region; without it, "us-east-1".
	Region string `json:"region,omitempty"`
	// Zones are the region's availability zones; without them, the region's a, b and c.
	Zones []string `json:"zones,omitempty"`
	// Subnets are those of the region's VPC; without them, a /20 of 10.0.0.0/16 for each zone, which has the zone's name.
	Subnets []SubnetSpec `json:"subnets,omitempty"`
	// NetworkInterfaces are there before the first instance.
	NetworkInterfaces []NetworkInterfaceSpec `json:"networkInterfaces,omitempty"`
	// DetachTime is how long EC2 takes to detach a network interface, in scenario time; without it, 5 s.
	DetachTime *metav1.Duration `json:"detachTime,omitempty"`
	// InstanceTypes can be launched in every zone. The well-known ones need not be given.
	InstanceTypes []InstanceType `json:"instanceTypes,omitempty"`
	// Groups are the node groups at the start.
	Groups []GroupSpec `json:"groups,omitempty"`
	// RepairSwitchedOff are reasons that EKS's own repair does nothing about, though it is enabled. No API shows them.
	RepairSwitchedOff []UnhealthyReason `json:"repairSwitchedOff,omitempty"`
	// Seed determines everything that is random in a real cloud.
	Seed uint64 `json:"seed,omitempty"`
}

// InstanceType is a size of machine.
type InstanceType struct {
	Name string `json:"name"`
	// CPU and Memory are Kubernetes quantities, such as "2" and "8Gi".
	CPU    string `json:"cpu"`
	Memory string `json:"memory"`
	// Pods is the most pods a node of this type takes; without it, Kubernetes' own default of 110.
	Pods int `json:"pods,omitempty"`
	// Volumes is how many block volumes one instance can attach; without it, 25.
	Volumes int `json:"volumes,omitempty"`
	// MaximumNetworkInterfaces is how many network interfaces one instance can have, and IPv4AddressesPerInterface how many
	// addresses each of them, the primary one included; without them, those of the
	// well-known type of that name, or 4 and 15. A prefix takes the place of one address.
	MaximumNetworkInterfaces  int `json:"maximumNetworkInterfaces,omitempty"`
	IPv4AddressesPerInterface int `json:"ipv4AddressesPerInterface,omitempty"`
	// Capacity and Allocatable are what a node of this type reports beside or in place of what follows from the fields
	// above, such as {"nvidia.com/gpu": "4"}; without Allocatable, pods are left what EKS leaves them.
	Capacity    map[string]string `json:"capacity,omitempty"`
	Allocatable map[string]string `json:"allocatable,omitempty"`
	// ReadyDelay is from a node's registration until it may be Ready, in scenario time, as its network plugin takes to start; without it, none.
	ReadyDelay *metav1.Duration `json:"readyDelay,omitempty"`
}

// GroupSpec is a node group: an EC2 Auto Scaling group and what its instances register as.
type GroupSpec struct {
	Name         string `json:"name"`
	InstanceType string `json:"instanceType"`
	// Zones the group may launch in; none means those of its subnets.
	Zones []string `json:"zones,omitempty"`
	// Subnets are the names or IDs of those it may launch in; none means all of its zones.
	Subnets []string `json:"subnets,omitempty"`
	Min     int      `json:"min,omitempty"`
	Desired int      `json:"desired"`
	// Max bounds the group; zero means the desired size.
	Max int `json:"max,omitempty"`
	// Labels and Taints are given to each node at registration, as `--node-labels` and `--register-with-taints` do.
	Labels map[string]string `json:"labels,omitempty"`
	Taints []corev1.Taint    `json:"taints,omitempty"`
	// ZoneOrder breaks ties between zones that hold equally few instances; without it the cloud's seed does.
	ZoneOrder []string `json:"zoneOrder,omitempty"`
	// BootDelay is from launch to a registered node, in scenario time; without it, 40 s.
	BootDelay *metav1.Duration `json:"bootDelay,omitempty"`
	// Foreign groups are not EKS's: their nodes have the labels above alone.
	Foreign bool `json:"foreign,omitempty"`
	// Tags are the Auto Scaling group's, beside those that EKS sets.
	Tags map[string]string `json:"tags,omitempty"`
	// KeepPrimaryInterface is a launch template whose primary interface is not deleted with the instance.
	KeepPrimaryInterface bool `json:"keepPrimaryInterface,omitempty"`
	// SuspendedProcesses switches off what Auto Scaling does by itself, in its own words: "AZRebalance", "Launch". The
	// group's first instances are there all the same.
	SuspendedProcesses []string `json:"suspendedProcesses,omitempty"`
	// NodeRepair is the nodeRepairConfig that DescribeNodegroup returns; without it, node repair is off.
	NodeRepair *NodeRepairConfig `json:"nodeRepairConfig,omitempty"`
}

func (s Spec) withDefaults() Spec {
	if s.Region == "" {
		s.Region = "us-east-1"
	}
	if len(s.Zones) == 0 {
		s.Zones = []string{s.Region + "a", s.Region + "b", s.Region + "c"}
	}
	types := slices.Clone(s.InstanceTypes)
	for i := range types {
		types[i] = types[i].withDefaults()
	}
	s.InstanceTypes = types
	if len(s.Subnets) == 0 {
		s.Subnets = defaultSubnets(s.Zones)
	}
	return s
}

func (t InstanceType) withDefaults() InstanceType {
	if t.Pods == 0 {
		t.Pods = 110
	}
	if t.Volumes == 0 {
		t.Volumes = nitroVolumes
	}
	usual := InstanceType{MaximumNetworkInterfaces: 4, IPv4AddressesPerInterface: 15}
	if i := slices.IndexFunc(wellKnownTypes, func(known InstanceType) bool { return known.Name == t.Name }); i >= 0 {
		usual = wellKnownTypes[i]
	}
	if t.MaximumNetworkInterfaces == 0 {
		t.MaximumNetworkInterfaces = usual.MaximumNetworkInterfaces
	}
	if t.IPv4AddressesPerInterface == 0 {
		t.IPv4AddressesPerInterface = usual.IPv4AddressesPerInterface
	}
	return t
}

func (g GroupSpec) withDefaults(region Spec) GroupSpec {
	if len(g.Zones) == 0 {
		g.Zones = slices.DeleteFunc(slices.Clone(region.Zones), func(zone string) bool { return !region.subnetFor(g, zone) })
	}
	if g.Max == 0 {
		g.Max = g.Desired
	}
	return g
}

// subnetFor says whether one of the subnets that a group may launch in is in a zone.
func (s Spec) subnetFor(g GroupSpec, zone string) bool {
	return slices.ContainsFunc(s.Subnets, func(subnet SubnetSpec) bool {
		return subnet.Zone == zone && (len(g.Subnets) == 0 || slices.Contains(g.Subnets, subnet.Name))
	})
}

// instanceType finds a type by name; those of the Spec hide the well-known ones.
func (s Spec) instanceType(name string) (InstanceType, bool) {
	for _, types := range [][]InstanceType{s.InstanceTypes, wellKnownTypes} {
		if i := slices.IndexFunc(types, func(t InstanceType) bool { return t.Name == name }); i >= 0 {
			return types[i], true
		}
	}
	return InstanceType{}, false
}
