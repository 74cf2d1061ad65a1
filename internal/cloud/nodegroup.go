package cloud

import "context"

// NodeGroup is a group of machines with its sizes, as its provider has them.
type NodeGroup struct {
	NodeGroupRef
	Min, Desired, Max int
	// Zones are those that it may launch machines in, and how many it has in each, those that begin to run included.
	Zones map[string]int
	// Updating says that an update of the group is in progress: another is refused.
	Updating bool
	// Autoscaled says that the group is tagged for cluster-autoscaler by somebody, and LaunchSuspended that it launches no machines.
	Autoscaled, LaunchSuspended bool
}

// NodeGroupRef identifies a node group.
type NodeGroupRef struct {
	// Name is that of a managed node group of Cluster, or of an Auto Scaling group if Cluster is empty.
	Name, Cluster string
}

// NodeGroupSizer reads and changes the sizes of node groups.
type NodeGroupSizer interface {
	// NodeGroupOf finds the group that a machine is part of; nil if it is of none.
	NodeGroupOf(context.Context, Machine) (*NodeGroupRef, error)
	// NodeGroup reads a group.
	NodeGroup(context.Context, NodeGroupRef) (*NodeGroup, error)
	// Resize sets the desired and the minimum size of a group. A request with the token of an earlier one is the same. The Operation's ID is for ResizeState.
	Resize(ctx context.Context, group NodeGroupRef, desired, lowest int, token string) (Operation, error)
	// ResizeState is what has become of a Resize.
	ResizeState(ctx context.Context, group NodeGroupRef, operation string) (ResizeState, error)
}

// ResizeState is what has become of a Resize: whether it has ended, and if it has failed, why.
type ResizeState struct {
	Ended  bool
	Failed string
}
