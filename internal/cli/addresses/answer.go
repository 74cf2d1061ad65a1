package addresses

import (
	"time"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// answer is what the verb says, as data.
type answer struct {
	// Cluster is the name by which the VPC CNI tags this cluster's interfaces; empty if it is not known.
	Cluster  string             `json:"cluster,omitempty"`
	Settings addresses.Settings `json:"settings"`
	Subnets  []subnet           `json:"subnets"`
	Nodes    []node             `json:"nodes"`
	Leaked   []leak             `json:"leaked"`
	Groups   []group            `json:"groups"`
	Findings []finding.Finding  `json:"findings"`
	Unknown  []finding.Gap      `json:"unknown"`
	// ENIConfigs are those that nodes use with custom networking.
	ENIConfigs []eniConfig `json:"eniConfigs,omitempty"`
	// History is how many addresses of each subnet were free over time; left out without --history.
	History []history `json:"history,omitempty"`
	// NotJudged is what naosu sees of the network and does not judge.
	NotJudged []finding.Gap `json:"notJudged"`
	// PodRanges are the nodes' ranges of pod addresses, where no cloud was asked about the network; ExhaustedRanges are the Events that say that no
	// range was left for a new node.
	PodRanges       []addresses.PodRange `json:"podRanges,omitempty"`
	ExhaustedRanges []finding.Gap        `json:"exhaustedRanges,omitempty"`
}

// subnet is one with the holders of its addresses.
type subnet struct {
	ID   string `json:"id"`
	Zone string `json:"zone,omitempty"`
	VPC  string `json:"vpc,omitempty"`
	CIDR string `json:"cidr"`
	// Size is the number of addresses without those that AWS reserves; zero if the CIDR is none of a subnet.
	Size    int64 `json:"size"`
	Free    int64 `json:"free"`
	Pods    int64 `json:"pods"`
	Primary int64 `json:"primary"`
	Spare   int64 `json:"spare"`
	Leaked  int64 `json:"leaked"`
	Other   int64 `json:"other"`
	// Reserved is how many addresses nothing holds that the VPC CNI cannot take because of Reservations; Free is without them.
	Reserved     int64               `json:"reserved,omitempty"`
	Reservations []cloud.Reservation `json:"cidrReservations,omitempty"`
	// FreePrefixes is estimated, and only given where prefixes are used.
	FreePrefixes *int `json:"freePrefixes,omitempty"`
	// FreeAtMaximum is how many are free if every group grows to its maximum, negative if they do not suffice; left out if it is not known.
	FreeAtMaximum *int64 `json:"freeAtMaximum,omitempty"`
	Nodes         int    `json:"nodes"`
}

// node is one with its interfaces and their limits; zero is an unknown limit.
type node struct {
	Name          string `json:"name"`
	Instance      string `json:"instance"`
	Type          string `json:"type,omitempty"`
	Zone          string `json:"zone,omitempty"`
	Subnet        string `json:"subnet,omitempty"`
	Interfaces    int    `json:"interfaces"`
	MaxInterfaces int    `json:"maxInterfaces"`
	// Addresses are those for pods that it has, Pods the pods that use one, and MaxAddresses the most that its type allows.
	Addresses    int `json:"addresses"`
	Pods         int `json:"pods"`
	MaxAddresses int `json:"maxAddresses"`
	MaxPods      int `json:"maxPods"`
	// Judged is false for nodes whose addresses naosu does not judge.
	Judged bool `json:"judged"`
	// ENIConfig is the one that it uses with custom networking; left out if that is off or it is not known.
	ENIConfig string `json:"eniConfig,omitempty"`
	full      bool
}

// eniConfig is where nodes have their pods with custom networking.
type eniConfig struct {
	Name string `json:"name"`
	// Subnet is empty if there is no such ENIConfig. Zone and Free are left out if nothing of the subnet was read.
	Subnet string `json:"subnet"`
	Zone   string `json:"zone,omitempty"`
	Free   *int64 `json:"free,omitempty"`
	Nodes  int    `json:"nodes"`
}

// leak is a leaked interface.
type leak struct {
	ID       string `json:"id"`
	Subnet   string `json:"subnet"`
	Held     int64  `json:"addresses"`
	Instance string `json:"instance,omitempty"`
	// Created is when it was made; left out if no tag says.
	Created *time.Time `json:"created,omitempty"`
	// Tagged says that a tag names this cluster; otherwise, none names any.
	Tagged      bool   `json:"tagged"`
	Description string `json:"description"`
	// InstanceState is that of Instance according to EC2; left out if it was not read.
	InstanceState cloud.Running `json:"instanceState,omitempty"`
	// Deletable says that nothing but time is against its deletion, and Reclaim what is.
	Deletable bool           `json:"deletable"`
	Reclaim   reclaim.Reason `json:"reclaim"`
}

// group is one with its maximum, left out if it is not known.
type group struct {
	Name        string   `json:"name"`
	Nodes       int      `json:"nodes"`
	Max         *int     `json:"max,omitempty"`
	PodsPerNode int      `json:"podsPerNode"`
	Held        int      `json:"addressesPerNode"`
	Subnets     []string `json:"subnets"`
}

// rangesAnswer is the answer for a cluster of which only the Kubernetes API shows the network.
func rangesAnswer(world *cluster.Snapshot, ranges []addresses.PodRange) answer {
	a := answer{
		Subnets: []subnet{}, Nodes: []node{}, Leaked: []leak{}, Groups: []group{}, Findings: []finding.Finding{}, NotJudged: []finding.Gap{}, PodRanges: ranges,
		Unknown: []finding.Gap{{About: string(cluster.Node), Message: sentence.PodRangesUnknown()}},
	}
	for _, e := range addresses.ExhaustedEvents(world) {
		about := change.Ref{Kind: e.InvolvedObject.Kind, Namespace: e.InvolvedObject.Namespace, Name: e.InvolvedObject.Name}
		a.ExhaustedRanges = append(a.ExhaustedRanges, finding.Gap{About: about.String(), Message: sentence.PodRangesExhausted(about, e.Message)})
	}
	return a
}

func answerOf(r *addresses.Report) answer {
	a := answer{Cluster: r.Cluster, Settings: r.Settings, NotJudged: append([]finding.Gap{}, status.AddressExceptions(r)...), Subnets: []subnet{}, Nodes: []node{}, Leaked: []leak{}, Groups: []group{}}
	for _, s := range r.Subnets {
		one := subnet{
			ID: s.ID, Zone: s.Zone, VPC: s.VPC, CIDR: s.CIDR, Size: s.Size, Free: s.Free, Pods: s.Pods, Primary: s.Primary, Spare: s.Warm,
			Leaked: s.Leaked, Other: s.Other, Reserved: s.Reserved, Reservations: s.Reservations, Nodes: len(s.Nodes),
		}
		if s.Prefixes {
			one.FreePrefixes = new(s.FreeBlocks)
		}
		if left, known := s.AtMaximum(); known {
			one.FreeAtMaximum = new(left)
		}
		a.Subnets = append(a.Subnets, one)
	}
	for _, n := range r.Nodes {
		a.Nodes = append(a.Nodes, node{
			Name: n.Name, Instance: n.ID, Type: n.Type, Zone: n.Zone, Subnet: n.Subnet, Interfaces: n.Interfaces, MaxInterfaces: n.MaxInterfaces,
			Addresses: n.Slots, Pods: n.Pods, MaxAddresses: n.Capacity, MaxPods: n.MaxPods, Judged: n.Judged, ENIConfig: n.ENIConfig, full: isOut(r, n),
		})
	}
	for _, e := range r.ENIConfigs {
		one := eniConfig{Name: e.Name, Subnet: e.Subnet, Nodes: len(e.Nodes)}
		if s := r.Subnet(e.Subnet); s != nil {
			one.Zone, one.Free = s.Zone, new(s.Free)
		}
		a.ENIConfigs = append(a.ENIConfigs, one)
	}
	for _, l := range r.Leaks {
		a.Leaked = append(a.Leaked, leak{l.ID, l.Subnet, l.Held, l.Instance, l.CreatedAt, l.Tagged, l.Description, l.InstanceState, l.Deletable(), l.Reclaim})
	}
	for _, g := range r.Groups {
		one := group{Name: g.Name, Nodes: g.Nodes, PodsPerNode: g.PodsPerNode, Held: g.Held, Subnets: append([]string{}, g.Subnets...)}
		if g.Known {
			one.Max = new(g.Max)
		}
		a.Groups = append(a.Groups, one)
	}
	return a
}

// isOut says whether no further pod on a node gets an address: its type allows no more, or its subnets have none.
func isOut(r *addresses.Report, n addresses.Node) bool {
	if !n.Judged || n.Full() || n.Spare() > 0 {
		return n.Full()
	}
	usable := r.Usable(&n)
	for _, s := range usable {
		if s.Free > 0 {
			return false
		}
	}
	return len(usable) > 0
}

// gaps are what the answer would need to know, beside what the findings would.
func gaps(r *addresses.Report) []finding.Gap {
	all := append([]finding.Gap{}, status.AddressGaps(r)...)
	if !r.Settings.Known {
		all = append(all, finding.Gap{About: addresses.Plugin, Message: sentence.AddressSettingsUnknown()})
	}
	for _, g := range r.Groups {
		if !g.Known && len(g.Subnets) > 0 {
			ref := change.Ref{Kind: "Group", Name: g.Name}
			all = append(all, finding.Gap{About: ref.String(), Message: sentence.AddressGroupUnknown(ref)})
		}
	}
	for _, s := range r.Subnets {
		if !s.Valid {
			ref := change.Ref{Kind: string(cluster.Subnet), Name: s.ID}
			all = append(all, finding.Gap{About: ref.String(), Message: sentence.AddressBadSubnet(ref, s.CIDR)})
		}
	}
	return all
}
