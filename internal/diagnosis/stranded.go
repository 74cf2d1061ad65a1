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
// It finds only what the volume decides: a pod that no node outside the zone could take either, and no new one inside,
// is pending for a reason of its own.
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
	return slices.ContainsFunc(v.Pods(), func(pod *corev1.Pod) bool { return waitsForNode(pod) && mountsClaim(pod) })
}

// Find looks at each pending pod.
func (StrandedVolume) Find(ctx context.Context, v View) []finding.Finding {
	if !v.knows(cluster.PersistentVolumeClaim, cluster.PersistentVolume, cluster.Node) {
		return nil
	}
	var found []finding.Finding
	for _, pod := range v.Pods() {
		if !waitsForNode(pod) || !mountsClaim(pod) {
			continue
		}
		all := mounts(v.World, pod)
		for _, s := range v.strandedBy(ctx, pod, all) {
			found = append(found, v.describeStranded(ctx, s, all))
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
	// groups could, or could not, give the zone a node for the pod.
	groups candidates
}

func (s stranded) zones() []string { return s.mounts[0].zones }

// strandedBy finds the mounts that leave the pod no node, those of the same zones together. If each has one but no node
// serves all, they are returned as apart.
func (v View) strandedBy(ctx context.Context, pod *corev1.Pod, all []mount) []stranded {
	zonal := slices.DeleteFunc(slices.Clone(all), func(m mount) bool { return m.tie != tiedToZone })
	if len(zonal) == 0 {
		return nil
	}
	d := v.judged(ctx, pod)
	if d == nil {
		d = v.plain(zonal)
	}
	if d.runs() {
		return nil
	}
	var blocked []stranded
	alone := false
	for _, m := range zonal {
		nodes := d.nodesFor(v.World, m)
		if i := slices.IndexFunc(blocked, func(s stranded) bool { return slices.Equal(s.zones(), m.zones) }); i >= 0 {
			blocked[i].mounts = append(blocked[i].mounts, m)
			continue
		}
		if slices.ContainsFunc(nodes, func(n closedNode) bool { return len(n.obstacles) == 0 }) {
			continue
		}
		alone = true
		if groups := v.groupsFor(ctx, pod, &m); d.opens() || len(groups.suited) > 0 || groups.stray != nil {
			blocked = append(blocked, stranded{pod: pod, mounts: []mount{m}, nodes: nodes, groups: groups})
		}
	}
	if !alone && !d.serves(zonal) {
		return []stranded{{pod: pod, mounts: zonal, apart: true}}
	}
	return blocked
}

// nodesFor are the nodes that stand in the mount's zones or that its volume allows, with what closes each to the pod apart
// from other volumes.
func (d *verdict) nodesFor(world *cluster.Snapshot, m mount) []closedNode {
	var nodes []closedNode
	for _, n := range d.all() {
		allowed := m.allows(n.node)
		if !allowed && !slices.Contains(m.zones, cluster.Zone(n.node)) {
			continue
		}
		n.obstacles = n.beside(message.ObstacleVolume)
		if !allowed {
			n.obstacles = append(n.obstacles, obstacle{kind: message.ObstacleLabel, reasons: []string{driversOn(world, n.node)}})
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// opens says whether some node is open to the pod but for its volumes.
func (d *verdict) opens() bool {
	return slices.ContainsFunc(d.all(), func(n closedNode) bool { return len(n.beside(message.ObstacleVolume)) == 0 })
}

// serves says whether some node is allowed by all of the volumes.
func (d *verdict) serves(mounts []mount) bool {
	return slices.ContainsFunc(d.all(), func(n closedNode) bool {
		return !slices.ContainsFunc(mounts, func(m mount) bool { return !m.allows(n.node) })
	})
}

// driversOn are the CSI drivers that have registered on a node. A volume's zone label comes from its driver, once it has.
func driversOn(world *cluster.Snapshot, node *corev1.Node) string {
	csi := world.CSINode(node.Name)
	if csi == nil || len(csi.Spec.Drivers) == 0 {
		return "no driver registered"
	}
	var names []string
	for _, driver := range csi.Spec.Drivers {
		names = append(names, driver.Name)
	}
	return strings.Join(names, ", ")
}

// waitsForNode says whether the pod is in the scheduler's hands.
func waitsForNode(pod *corev1.Pod) bool {
	return unplaced(pod) && len(pod.Spec.SchedulingGates) == 0
}

// unplaced says whether the pod should have a node and has none.
func unplaced(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil
}

func mountsClaim(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(source corev1.Volume) bool { return claimName(pod, source) != "" })
}
