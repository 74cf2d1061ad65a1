package diagnosis

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// StrandedVolume finds N101: a pod pending on a volume in a zone without a usable node.
//
// It finds only what the volume decides. A pod that nothing outside the zone could take either is pending for a reason
// of its own, and one whose zone holds a node that its own state leaves open needs the scheduler's judgement.
type StrandedVolume struct{}

var _ Rule = StrandedVolume{}

// Codes of StrandedVolume.
func (StrandedVolume) Codes() []finding.Code { return []finding.Code{finding.N101} }

// Needs of StrandedVolume. StorageClasses tell only of volumes not yet made; without the others it finds nothing.
func (StrandedVolume) Needs() []cluster.Kind {
	return []cluster.Kind{cluster.PersistentVolumeClaim, cluster.PersistentVolume, cluster.Node, cluster.StorageClass}
}

// Concerns pods that wait for a node and mount a claim.
func (StrandedVolume) Concerns(v View) bool {
	return slices.ContainsFunc(v.Pods(), func(pod *corev1.Pod) bool {
		return waitsForNode(pod) && slices.ContainsFunc(pod.Spec.Volumes, func(source corev1.Volume) bool {
			return claimName(pod, source) != ""
		})
	})
}

// Find looks at each pending pod.
func (StrandedVolume) Find(_ context.Context, v View) []finding.Finding {
	for _, kind := range []cluster.Kind{cluster.PersistentVolumeClaim, cluster.PersistentVolume, cluster.Node} {
		if !v.World.Knowledge(kind).Known() {
			return nil
		}
	}
	var found []finding.Finding
	for _, pod := range v.Pods() {
		if !waitsForNode(pod) {
			continue
		}
		all := mounts(v.World, pod)
		for _, blocked := range blockedBy(v.World, pod, all) {
			found = append(found, describe(v, blocked, all))
		}
	}
	return found
}

// stranded is a pod and the mounts that together leave it no node.
type stranded struct {
	pod *corev1.Pod
	// mounts of one zone, or of zones that have no node in common if apart.
	mounts []mount
	apart  bool
	// nodes in the zone, with what keeps the pod off each.
	nodes []closedNode
}

func (s stranded) zones() []string { return s.mounts[0].zones }

// closedNode is a node in the volume's zone that cannot take the pod.
type closedNode struct {
	node      *corev1.Node
	obstacles []obstacle
}

// blockedBy finds the mounts that leave the pod no node, those of the same zones together. If each has one but no node
// serves all, they are returned as apart.
func blockedBy(world *cluster.Snapshot, pod *corev1.Pod, all []mount) []stranded {
	zonal := slices.DeleteFunc(slices.Clone(all), func(m mount) bool { return m.tie != tiedToZone })
	if len(zonal) == 0 || slices.ContainsFunc(world.Nodes(), func(n *corev1.Node) bool { return open(pod, n, zonal) }) {
		return nil
	}
	var blocked []stranded
	for _, m := range zonal {
		nodes := nodesOf(world, pod, m)
		switch i := slices.IndexFunc(blocked, func(s stranded) bool { return slices.Equal(s.zones(), m.zones) }); {
		case i >= 0:
			blocked[i].mounts = append(blocked[i].mounts, m)
		case allClosed(nodes) && decides(world, pod, m):
			blocked = append(blocked, stranded{pod: pod, mounts: []mount{m}, nodes: nodes})
		}
	}
	if len(blocked) == 0 && slices.IndexFunc(zonal, func(m mount) bool { return allClosed(nodesOf(world, pod, m)) }) < 0 {
		return []stranded{{pod: pod, mounts: zonal, apart: true}}
	}
	return blocked
}

// open says whether a node's own state and the volumes allow the pod there.
func open(pod *corev1.Pod, node *corev1.Node, mounts []mount) bool {
	return len(obstacles(pod, node)) == 0 &&
		!slices.ContainsFunc(mounts, func(m mount) bool { return !m.allows(node) })
}

// nodesOf are the nodes that stand in the mount's zones or that its volume allows, with what closes each to the pod.
func nodesOf(world *cluster.Snapshot, pod *corev1.Pod, m mount) []closedNode {
	var nodes []closedNode
	for _, node := range world.Nodes() {
		allowed := m.allows(node)
		if !allowed && !slices.Contains(m.zones, cluster.Zone(node)) {
			continue
		}
		closed := closedNode{node: node, obstacles: obstacles(pod, node)}
		if !allowed {
			closed.obstacles = append(closed.obstacles, lacksLabel(world, node))
		}
		nodes = append(nodes, closed)
	}
	return nodes
}

// lacksLabel is the obstacle of a node in the right zone whose labels do not say so in the volume's words: such a label
// comes from the CSI driver, once it has registered on the node.
func lacksLabel(world *cluster.Snapshot, node *corev1.Node) obstacle {
	value := "no driver registered"
	if csi := world.CSINode(node.Name); csi != nil && len(csi.Spec.Drivers) > 0 {
		var names []string
		for _, driver := range csi.Spec.Drivers {
			names = append(names, driver.Name)
		}
		value = strings.Join(names, ", ")
	}
	return obstacle{message.ObstacleLabel, fact(refTo(cluster.CSINode, node), "spec.drivers", value)}
}

func allClosed(nodes []closedNode) bool {
	return !slices.ContainsFunc(nodes, func(n closedNode) bool { return len(n.obstacles) == 0 })
}

// decides says whether the volume is what keeps the pod from running: a node elsewhere is open to it but for the volume,
// or a new node of a kind that exists would be open to it in the zone.
func decides(world *cluster.Snapshot, pod *corev1.Pod, m mount) bool {
	return slices.ContainsFunc(world.Nodes(), func(node *corev1.Node) bool {
		return len(obstacles(pod, node)) == 0 || suits(pod, siblingIn(m.zones[0], node))
	})
}

// waitsForNode says whether the pod is in the scheduler's hands.
func waitsForNode(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil &&
		len(pod.Spec.SchedulingGates) == 0
}
