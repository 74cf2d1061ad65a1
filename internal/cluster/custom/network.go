package custom

import "github.com/naosu-dev/naosu/internal/cloud"

// NetworkGroup is the API group of the kinds that naosu reads from a cloud and keeps beside the objects of the cluster. No API server serves it.
const NetworkGroup = "network.naosu.dev"

// Subnet is a cloud.Subnet: its ID is the name, and the label topology.kubernetes.io/zone its zone.
type Subnet = Object[cloud.Subnet, None]

// NetworkInterface is a cloud.Interface: its ID is the name.
type NetworkInterface = Object[cloud.Interface, None]

// Instance is a cloud.Instance: its ID is the name, and the label node.kubernetes.io/instance-type its type.
type Instance = Object[cloud.Instance, None]

// AutoScalingGroup is a cloud.ScalingGroup.
type AutoScalingGroup = Object[cloud.ScalingGroup, None]

// None is the status of a kind that has none.
type None struct{}
