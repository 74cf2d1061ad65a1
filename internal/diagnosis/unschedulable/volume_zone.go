package unschedulable

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// VolumeZoneConflict finds N101: a pod that is Pending because of a volume in a zone without a suitable node.
//
// It finds only pods for which the volume is decisive: if no node outside the zone could run the pod without the volume, and
// no new node inside it, the pod is Pending for another reason.
type VolumeZoneConflict struct{}

var _ query.Rule = VolumeZoneConflict{}

// Codes of VolumeZoneConflict.
func (VolumeZoneConflict) Codes() []finding.Code { return []finding.Code{finding.N101} }

// RequiredKinds of VolumeZoneConflict. StorageClasses are needed only for volumes that are not provisioned yet; without the
// others, it finds nothing.
func (VolumeZoneConflict) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.PersistentVolumeClaim, cluster.PersistentVolume, cluster.Node, cluster.StorageClass}
}

// Applies to pods that wait for a node and mount a claim.
func (VolumeZoneConflict) Applies(q query.Query) bool {
	return slices.ContainsFunc(q.Pods(), func(pod *corev1.Pod) bool { return facts.WaitsForNode(pod) && facts.MountsClaim(pod) })
}

// Find looks at each pending pod.
func (VolumeZoneConflict) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(cluster.PersistentVolumeClaim, cluster.PersistentVolume, cluster.Node) {
		return nil
	}
	var found []finding.Finding
	for _, pod := range q.Pods() {
		if !facts.WaitsForNode(pod) || !facts.MountsClaim(pod) {
			continue
		}
		all := facts.Mounts(q.World, pod)
		for _, s := range zoneConflicts(ctx, q, pod, all) {
			found = append(found, describeZoneConflict(ctx, q, s, all))
		}
	}
	return found
}

// zoneConflict is a pod and the mounts that, combined, leave it no node.
type zoneConflict struct {
	pod *corev1.Pod
	// mounts are those of one zone, or of zones without a common node if apart is set.
	mounts   []facts.Mount
	disjoint bool
	// nodes are those in the zone, with their obstacles.
	nodes []query.NodeObstacles
	// groups are the node groups that could, or could not, add a suitable node in the zone.
	groups query.GroupCandidates
}

func (s zoneConflict) zones() []string { return s.mounts[0].Zones }

// zoneConflicts finds the mounts that leave the pod no node, grouped by zones. If each mount has a node but none suits all,
// they are returned as apart.
func zoneConflicts(ctx context.Context, q query.Query, pod *corev1.Pod, all []facts.Mount) []zoneConflict {
	zonal := slices.DeleteFunc(slices.Clone(all), func(m facts.Mount) bool { return m.Scope != facts.ScopeZone })
	if len(zonal) == 0 {
		return nil
	}
	d := q.Verdict(ctx, pod)
	if d == nil {
		d = q.VolumeVerdict(zonal)
	}
	if d.Schedulable() {
		return nil
	}
	var blocked []zoneConflict
	alone := false
	for _, m := range zonal {
		nodes := nodesOfMount(d, q.World, m)
		if i := slices.IndexFunc(blocked, func(s zoneConflict) bool { return slices.Equal(s.zones(), m.Zones) }); i >= 0 {
			blocked[i].mounts = append(blocked[i].mounts, m)
			continue
		}
		if slices.ContainsFunc(nodes, func(n query.NodeObstacles) bool { return len(n.Obstacles) == 0 }) {
			continue
		}
		alone = true
		if groups := q.GroupsFor(ctx, pod, &m); feasibleWithoutVolumes(d) || len(groups.Suitable)+len(groups.Elsewhere) > 0 || groups.UngroupedNode != nil {
			blocked = append(blocked, zoneConflict{pod: pod, mounts: []facts.Mount{m}, nodes: nodes, groups: groups})
		}
	}
	if !alone && !anyNodeAllows(d, zonal) {
		return []zoneConflict{{pod: pod, mounts: zonal, disjoint: true}}
	}
	return blocked
}

// nodesOfMount are the nodes in the mount's zones or that its volume allows, with their obstacles except other volumes.
func nodesOfMount(d *query.Verdict, world *cluster.Snapshot, m facts.Mount) []query.NodeObstacles {
	var nodes []query.NodeObstacles
	for _, n := range d.AllNodes() {
		allowed := m.Allows(n.Node)
		if !allowed && !slices.Contains(m.Zones, cluster.Zone(n.Node)) {
			continue
		}
		n.Obstacles = n.Except(message.ObstacleVolume)
		if !allowed {
			n.Obstacles = append(n.Obstacles, query.Obstacle{Kind: message.ObstacleLabel, Reasons: []string{driversOn(world, n.Node)}})
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// feasibleWithoutVolumes reports whether some node would be feasible for the pod without its volumes.
func feasibleWithoutVolumes(d *query.Verdict) bool {
	return slices.ContainsFunc(d.AllNodes(), func(n query.NodeObstacles) bool { return len(n.Except(message.ObstacleVolume)) == 0 })
}

// anyNodeAllows reports whether all of the volumes can be used on some node.
func anyNodeAllows(d *query.Verdict, mounts []facts.Mount) bool {
	return slices.ContainsFunc(d.AllNodes(), func(n query.NodeObstacles) bool {
		return !slices.ContainsFunc(mounts, func(m facts.Mount) bool { return !m.Allows(n.Node) })
	})
}

// driversOn are the CSI drivers that are registered on a node. A driver sets its topology label when it registers.
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
