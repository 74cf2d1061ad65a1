package cloud

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// NetworkReader reads the network of machines. It changes nothing.
type NetworkReader interface {
	// Network reads what it can of the network that machines are part of. A part that could not be read is in Unread, with the reason.
	Network(context.Context, []Machine) Network
	// ScalingGroups reads of the network only the instances of machines, the subnets of their VPCs, and the Auto Scaling groups of their cluster.
	ScalingGroups(context.Context, []Machine) Network
}

// Network is a cloud's subnets, the interfaces in them, and the instances and groups that use them.
type Network struct {
	Subnets    []Subnet
	Interfaces []Interface
	Instances  []Instance
	Groups     []ScalingGroup
	// Unread is why a part could not be read.
	Unread map[NetworkPart]Unread
}

// InterfaceDeleter deletes network interfaces.
type InterfaceDeleter interface {
	// Interface describes one as EC2 has it now, with InstanceState; nil if there is none.
	Interface(ctx context.Context, id string) (*Interface, error)
	// MayDeleteInterface returns the error that DeleteInterface would probably return. It deletes nothing.
	MayDeleteInterface(ctx context.Context, id string) error
	// DeleteInterface makes one request, and is not an error if there is no such interface. After ErrUnsure it may be called again.
	DeleteInterface(ctx context.Context, id string) error
}

// Errors of deleting an interface that concern this one alone. Nothing was deleted.
var (
	// ErrInterfaceInUse says that it is attached, or being attached or detached.
	ErrInterfaceInUse = errors.New("the network interface is in use")
	// ErrInterfaceManaged says that an AWS service manages it.
	ErrInterfaceManaged = errors.New("an AWS service manages the network interface")
)

// NetworkPart is a part of a Network that one action of the cloud's API reads.
type NetworkPart string

// The parts.
const (
	Subnets       NetworkPart = "Subnet"
	Interfaces    NetworkPart = "NetworkInterface"
	Instances     NetworkPart = "Instance"
	InstanceTypes NetworkPart = "InstanceType" // the limits in Instance
	ScalingGroups NetworkPart = "AutoScalingGroup"
	Reservations  NetworkPart = "SubnetCidrReservation" // the reservations in Subnet
)

// NetworkParts are all of them, ScalingGroupParts those that NetworkReader.ScalingGroups reads.
var (
	NetworkParts      = []NetworkPart{Subnets, Interfaces, Instances, InstanceTypes, ScalingGroups, Reservations}
	ScalingGroupParts = []NetworkPart{Subnets, Instances, ScalingGroups}
)

// Unread is why a part of a Network could not be read.
type Unread struct {
	// Permission is the one that naosu lacks, such as ec2:DescribeSubnets; empty if the reason is another.
	Permission string `json:"permission,omitempty"`
	// Reason is why naosu has not asked, or not to the end; empty if the cloud answered with an error. Detail belongs to it: the region of OtherRegion, the
	// pages of TooLarge, and what was tried of NoCredentials.
	Reason UnreadReason `json:"reason,omitempty"`
	Detail string       `json:"detail,omitempty"`
	// Err is the cloud's error, or the reason in English.
	Err string `json:"error,omitempty"`
}

// UnreadReason is why naosu has not asked a cloud.
type UnreadReason string

// The reasons.
const (
	NoCredentials UnreadReason = "NoCredentials"
	NoRegion      UnreadReason = "NoRegion"
	OtherRegion   UnreadReason = "OtherRegion" // no node runs in the region that naosu is configured for
	NoVPC         UnreadReason = "NoVPC"       // no instance of the nodes could be read
	TooLarge      UnreadReason = "TooLarge"    // there are more pages than naosu reads
)

// Why says why, as a sentence's value: a sentence, or the cloud's error; empty if nothing is known.
func (u Unread) Why() any {
	switch u.Reason {
	case NoCredentials:
		return sentence.UnreadNoCredentials(u.Detail)
	case NoRegion:
		return sentence.UnreadNoRegion()
	case OtherRegion:
		return sentence.UnreadOtherRegion(u.Detail)
	case NoVPC:
		return sentence.UnreadNoVPC()
	case TooLarge:
		return sentence.UnreadTooLarge(u.Detail)
	}
	return u.Err
}

// Subnet is a range of addresses in one zone of a VPC.
//
// Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Subnet.html
type Subnet struct {
	ID   string `json:"-"`
	Zone string `json:"-"`
	VPC  string `json:"vpcId,omitempty"`
	// CIDR is the IPv4 range, such as 10.0.1.0/24; empty if there is none.
	CIDR string `json:"cidrBlock,omitempty"`
	// Free is the number of IPv4 addresses that nothing holds.
	Free int64 `json:"availableIpAddressCount"`
	// Reservations are its IPv4 CIDR reservations. They are read of the subnets that nodes have interfaces in, and of those that a tag has the VPC CNI use.
	Reservations []Reservation `json:"cidrReservations,omitempty"`
	// RoleCNI is the value of the tag kubernetes.io/role/cni: the VPC CNI uses a subnet with 1 beside the nodes' own, and none with 0.
	//
	// Source: amazon-vpc-cni-k8s, docs/enhanced-subnet-discovery.md.
	RoleCNI string `json:"roleCNI,omitempty"`
	// Clusters are those named by tags cni.networking.k8s.aws/cluster/NAME: if there are any, the VPC CNI (1.22.1 or later) of no other cluster uses the
	// subnet by its tag. They are sorted.
	Clusters []string `json:"clusters,omitempty"`
	// Reserved are addresses in the blocks (/28) of which AWS reserves some. It is empty except in anonymized facts: otherwise, these blocks are the
	// first and the last.
	Reserved []string `json:"reserved,omitempty"`
}

// Reservation is a range of a subnet from which EC2 assigns no single address by itself.
//
// Source: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-cidr-reservation.html
type Reservation struct {
	CIDR string          `json:"cidr"`
	Type ReservationType `json:"reservationType"`
}

// ReservationType is what the range is for, in EC2's words.
type ReservationType string

// Types of reservations. Of the former, EC2 assigns prefixes, before others of the subnet.
const (
	ReservedForPrefixes ReservationType = "prefix"
	ReservedExplicitly  ReservationType = "explicit"
)

// ReservedBlocks are addresses in the blocks of which AWS reserves some; none if CIDR is no range.
func (s Subnet) ReservedBlocks() []string {
	if len(s.Reserved) > 0 {
		return s.Reserved
	}
	prefix, err := netip.ParsePrefix(s.CIDR)
	if err != nil || !prefix.Addr().Is4() {
		return nil
	}
	first := prefix.Masked().Addr().As4()
	last := binary.BigEndian.Uint32(first[:]) | (1<<(32-prefix.Bits()) - 1)
	return []string{prefix.Masked().Addr().String(), netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, last))).String()}
}

// InterfaceState is the state of an interface, in EC2's words.
type InterfaceState string

// States of interfaces; there are others.
const (
	InterfaceAvailable InterfaceState = "available" // attached to nothing
	InterfaceInUse     InterfaceState = "in-use"
)

// InterfaceType is the type of an interface, in EC2's words.
type InterfaceType string

// Types of interfaces; there are others.
const (
	InterfacePlain  InterfaceType = "interface"
	InterfaceTrunk  InterfaceType = "trunk"
	InterfaceBranch InterfaceType = "branch"
)

// Interface is a network interface with the addresses that it holds.
//
// Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NetworkInterface.html
type Interface struct {
	ID          string         `json:"-"`
	Subnet      string         `json:"subnetId,omitempty"`
	State       InterfaceState `json:"status,omitempty"`
	Type        InterfaceType  `json:"interfaceType,omitempty"`
	Description string         `json:"description,omitempty"`
	// AttachedTo is the ID of an instance; empty if it is attached to none.
	AttachedTo string `json:"attachedTo,omitempty"`
	// Primary says that it is the instance's first interface, which the instance was launched with.
	Primary bool `json:"primary,omitempty"`
	// Addresses are the private IPv4 addresses, the interface's own first.
	Addresses []string `json:"privateIpAddresses,omitempty"`
	// Prefixes are the IPv4 prefixes (/28) assigned to it.
	Prefixes []string `json:"ipv4Prefixes,omitempty"`
	// Cluster, ByVPCCNI, Instance, CreatedAt and Unmanaged are tags that the VPC CNI sets or heeds: cluster.k8s.amazonaws.com/name, eks:eni:owner
	// (whether it is amazon-vpc-cni), node.k8s.amazonaws.com/instance_id, node.k8s.amazonaws.com/createdAt (nil if it is missing or no time), and
	// node.k8s.amazonaws.com/no_manage (whether it is set to anything but false).
	//
	// Source: amazon-vpc-cni-k8s, pkg/awsutils/awsutils.go.
	Cluster   string     `json:"cluster,omitempty"`
	ByVPCCNI  bool       `json:"byVPCCNI,omitempty"`
	Instance  string     `json:"instance,omitempty"`
	CreatedAt *time.Time `json:"createdAt,omitempty"`
	Unmanaged bool       `json:"unmanaged,omitempty"`
	// InstanceState is the state of the instance that the VPC CNI made an available interface for (Owner); empty if it was not read.
	InstanceState Running `json:"instanceState,omitempty"`
	// RequesterManaged says that an AWS service manages it, OperatorManaged that a service provider such as EKS Auto Mode does.
	RequesterManaged bool `json:"requesterManaged,omitempty"`
	OperatorManaged  bool `json:"operatorManaged,omitempty"`
}

// VPCCNIDescription begins the description of interfaces that the VPC CNI makes; the instance's ID follows.
//
// Source: amazon-vpc-cni-k8s, pkg/awsutils/awsutils.go (eniDescriptionPrefix).
const VPCCNIDescription = "aws-K8S-"

// MadeByVPCCNI says whether the VPC CNI made the interface, which its description tells.
func (i Interface) MadeByVPCCNI() bool { return strings.HasPrefix(i.Description, VPCCNIDescription) }

// Owner is the ID of the instance that the VPC CNI made the interface for, which its description and its tag name. It is empty if the VPC CNI did not make
// it, and unless both name the same instance.
func (i Interface) Owner() string {
	id, made := strings.CutPrefix(i.Description, VPCCNIDescription)
	if !made || !strings.HasPrefix(id, "i-") || i.Instance != id {
		return ""
	}
	return id
}

// Held is the number of addresses that the interface holds.
func (i Interface) Held() int64 {
	const prefix = 16 // A prefix is a /28.
	return int64(len(i.Addresses)) + prefix*int64(len(i.Prefixes))
}

// Instance is the machine of a node with what limits its addresses.
type Instance struct {
	ID   string `json:"-"`
	Type string `json:"-"`
	// Subnet is that of its primary interface.
	Subnet string `json:"subnetId,omitempty"`
	VPC    string `json:"vpcId,omitempty"`
	// Group is its Auto Scaling group; empty if it has none.
	Group string `json:"autoScalingGroupName,omitempty"`
	// MaxInterfaces and AddressesPerInterface are the limits of its type, the interface's own address included; zero if they are not known.
	//
	// Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NetworkInfo.html
	MaxInterfaces         int `json:"maximumNetworkInterfaces,omitempty"`
	AddressesPerInterface int `json:"ipv4AddressesPerInterface,omitempty"`
}

// ScalingGroup is an Auto Scaling group.
type ScalingGroup struct {
	Name    string   `json:"-"`
	Min     int      `json:"minSize"`
	Max     int      `json:"maxSize"`
	Desired int      `json:"desiredCapacity"`
	Subnets []string `json:"vpcZoneIdentifier,omitempty"`
	// Cluster is the EKS cluster that the group's tags name; if there is one, all groups with the same tag were read. NodeGroup is the managed node group that it
	// is made for.
	Cluster   string `json:"cluster,omitempty"`
	NodeGroup string `json:"nodegroup,omitempty"`
}
