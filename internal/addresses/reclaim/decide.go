package reclaim

import (
	"time"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// Reason is why an interface may be deleted, or why not.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	// NotVPCCNI: its description is not one of the VPC CNI's.
	NotVPCCNI Reason = "NotVPCCNI"
	// InUse: it is attached, or being attached or detached.
	InUse Reason = "InUse"
	// OtherType: it is not of the type interface, but a trunk, a branch or a service's.
	OtherType Reason = "OtherType"
	// ServiceManaged: an AWS service or a service provider manages it.
	ServiceManaged Reason = "ServiceManaged"
	// Reserved: its tag node.k8s.amazonaws.com/no_manage keeps it.
	Reserved Reason = "Reserved"
	// NoClusterName: the VPC CNI of this cluster sets no cluster's name, or not the same one on all nodes, so no interface is known to be this cluster's.
	NoClusterName Reason = "NoClusterName"
	// NoClusterTag: its tags name no cluster, or not the VPC CNI as the one that made it.
	NoClusterTag Reason = "NoClusterTag"
	// OtherCluster: it is another cluster's.
	OtherCluster Reason = "OtherCluster"
	// OwnerUnclear: description and tag do not name the same instance.
	OwnerUnclear Reason = "OwnerUnclear"
	// OwnerUnread: it is not known whether the instance that it was made for exists.
	OwnerUnread Reason = "OwnerUnread"
	// OwnerExists: that instance exists, or a node runs on it.
	OwnerExists Reason = "OwnerExists"
	// TooYoung: it was created less than MinAge ago.
	TooYoung Reason = "TooYoung"
	// SeenOnce: no earlier pass has seen it so.
	SeenOnce Reason = "SeenOnce"
	// ObservedBriefly: it was first seen so less than MinObserved ago, or MinAge if no tag says when it was created.
	ObservedBriefly Reason = "ObservedBriefly"
	// Eligible: it may be deleted.
	Eligible Reason = "Eligible"
)

// Reasons are all of them, in their order.
var Reasons = []Reason{
	NotVPCCNI, InUse, OtherType, ServiceManaged, Reserved, NoClusterName, NoClusterTag, OtherCluster, OwnerUnclear, OwnerUnread, OwnerExists, TooYoung,
	SeenOnce, ObservedBriefly, Eligible,
}

// Limits bound what is deleted.
type Limits struct {
	// MinAge is how long ago an interface must have been created. Its tag says when; without a readable one, it must have been observed for so long.
	MinAge time.Duration
	// MinObserved is for how long an interface must have been observed on every pass. It must be longer than EC2's answers may be out of date.
	MinObserved time.Duration
	// MaxGap is the longest time between two passes after which an observation is continued.
	MaxGap time.Duration
	// MaxDeletions is the most interfaces that one run tries to delete.
	MaxDeletions int
}

// DefaultLimits are those where nothing else is said. The VPC CNI's own clean-up waits five minutes, and does not look whether the instance exists.
//
// Source: amazon-vpc-cni-k8s, pkg/awsutils/awsutils.go (eniDeleteCooldownTime).
var DefaultLimits = Limits{MinAge: 30 * time.Minute, MinObserved: 10 * time.Minute, MaxGap: time.Hour, MaxDeletions: 20}

// Scope is what is known of the cluster at one time.
type Scope struct {
	Now time.Time
	// Cluster is the name by which the VPC CNI tags this cluster's interfaces; empty if it sets none, or not the same one on all nodes.
	Cluster string
	// Nodes are the IDs of the instances that nodes run on; nil if not all nodes are known.
	Nodes map[string]bool
	// SeesInstances says that EC2 knows an instance of one of the nodes. Otherwise, the credentials may be of another account, to which EC2 shows no instance
	// of this cluster, and that it knows none proves nothing.
	SeesInstances bool
	Limits
}

// Decision is what was decided about an interface.
type Decision struct {
	Interface cloud.Interface
	Reason    Reason
}

// Decide decides about an interface. seen is its earlier observation; nil if there is none.
func (s Scope) Decide(i cloud.Interface, seen *Observation) Reason {
	if reason := Leftover(i); reason != "" {
		return reason
	}
	if reason := s.ours(i); reason != "" {
		return reason
	}
	if reason := s.ownerGone(i); reason != "" {
		return reason
	}
	return s.oldEnough(i, seen)
}

// Leftover is empty if the VPC CNI made the interface, and nothing has it or keeps it; otherwise, it is the reason why not.
func Leftover(i cloud.Interface) Reason {
	switch {
	case !i.MadeByVPCCNI():
		return NotVPCCNI
	case i.State != cloud.InterfaceAvailable || i.AttachedTo != "":
		return InUse
	case i.Type != cloud.InterfacePlain:
		return OtherType
	case i.RequesterManaged || i.OperatorManaged:
		return ServiceManaged
	case i.Unmanaged:
		return Reserved
	default:
		return ""
	}
}

// ours is empty if tags say that the interface is this cluster's.
func (s Scope) ours(i cloud.Interface) Reason {
	switch {
	case s.Cluster == "":
		return NoClusterName
	case i.Cluster == "" || i.Cluster == s.Cluster && !i.ByVPCCNI:
		return NoClusterTag
	case i.Cluster != s.Cluster:
		return OtherCluster
	default:
		return ""
	}
}

// ownerGone is empty if the instance that the interface was made for no longer exists.
func (s Scope) ownerGone(i cloud.Interface) Reason {
	owner := i.Owner()
	switch {
	case owner == "":
		return OwnerUnclear
	case s.Nodes == nil || i.InstanceState == "" || i.InstanceState == cloud.NotFound && !s.SeesInstances:
		return OwnerUnread
	case s.Nodes[owner] || i.InstanceState != cloud.Gone && i.InstanceState != cloud.NotFound:
		return OwnerExists
	default:
		return ""
	}
}

// oldEnough is Eligible if the interface is old enough, and was observed for long enough.
func (s Scope) oldEnough(i cloud.Interface, seen *Observation) Reason {
	observed := s.MinObserved
	switch {
	case i.CreatedAt == nil:
		observed = max(observed, s.MinAge)
	case s.Now.Sub(*i.CreatedAt) < s.MinAge:
		return TooYoung
	}
	switch {
	case seen == nil || !seen.isOf(i) || s.broken(*seen):
		return SeenOnce
	case s.Now.Sub(seen.First) < observed:
		return ObservedBriefly
	default:
		return Eligible
	}
}
