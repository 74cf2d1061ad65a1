package failoverpolicy

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// Finalizer keeps the Node of a machine that does not respond while volumes are attached to it. A cloud controller deletes the Node of an
// instance that was terminated within seconds, and Kubernetes detaches the volumes of a Node that is gone only after 6 minutes.
//
// Source: MonitorNodes in k8s.io/cloud-provider/controllers/nodelifecycle, and the reconciler of pkg/controller/volume/attachdetach, which looks
// for the out-of-service taint on the Node.
const Finalizer = "naosu.dev/out-of-service"

// maxDeletionDelay is how long the Finalizer delays the deletion of a Node at most. It is longer than Kubernetes takes to detach the
// volumes itself.
const maxDeletionDelay = 10 * time.Minute

// HasFinalizer says whether a node has the Finalizer.
func HasFinalizer(node *corev1.Node) bool { return slices.Contains(node.Finalizers, Finalizer) }

// NodesWithFinalizer are the nodes that have the Finalizer.
func NodesWithFinalizer(world *cluster.Snapshot) []*corev1.Node {
	return slices.DeleteFunc(slices.Clone(world.Nodes()), func(n *corev1.Node) bool { return !HasFinalizer(n) })
}

// Recorded says whether the provider has a record of the machine.
func (r Reading) Recorded() bool { return r.State.Running != "" && r.State.Running != cloud.NotFound }

// Outdated says whether a reading is from before it was seen that a node is being deleted. Which time is earlier by their clocks does not matter: those of the API server
// and of this process may differ.
func (r Reading) Outdated(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil && !r.deleting
}

// NeedsFinalizer says whether a node is to have the Finalizer: its machine does not respond, volumes are attached to it, and a policy wants it to be
// declared out of service once its machine is off (asked), or naosu or a person has declared it so. If the machine is found to run after the node was
// deleted, or the provider has no record of it, the deletion is not delayed: nothing will be proven. last is the last reading of its machine, the
// zero Reading if there is none. deletedFor is for how long the node is being deleted.
func NeedsFinalizer(world *cluster.Snapshot, node *corev1.Node, asked bool, last Reading, deletedFor time.Duration) bool {
	d, declared := DeclarationOf(node)
	switch {
	case kube.IsNodeReady(node), !hasVolumes(world, node):
		return false
	case declared && d.Returned(node, world.Lease(corev1.NamespaceNodeLease, node.Name)), !declared && !asked && !kube.IsOutOfService(node):
		return false
	case node.DeletionTimestamp == nil:
		return true
	}
	unprovable := !last.Outdated(node) && (last.State.Running == cloud.On || last.State.Running == cloud.NotFound)
	return deletedFor < maxDeletionDelay && !unprovable
}

// hasVolumes says whether a VolumeAttachment names a node, also one that is being deleted.
func hasVolumes(world *cluster.Snapshot, node *corev1.Node) bool {
	for _, attachment := range world.VolumeAttachments() {
		if attachment.Spec.NodeName == node.Name {
			return true
		}
	}
	return false
}
