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

// StrandedVolume finds N101: a pod pending on a volume in a zone without a usable node.
//
// It finds only what the volume decides: a pod that no node outside the zone could take either, and no new one inside,
// is pending for a reason of its own.
type StrandedVolume struct{}

var _ query.Rule = StrandedVolume{}

// Codes of StrandedVolume.
func (StrandedVolume) Codes() []finding.Code { return []finding.Code{finding.N101} }

// Needs of StrandedVolume. StorageClasses tell only of volumes not yet made; without the others it finds nothing.
func (StrandedVolume) Needs() []cluster.Kind {
	return []cluster.Kind{cluster.PersistentVolumeClaim, cluster.PersistentVolume, cluster.Node, cluster.StorageClass}
}

// Concerns pods that wait for a node and mount a claim.
func (StrandedVolume) Concerns(v query.View) bool {
	return slices.ContainsFunc(v.Pods(), func(pod *corev1.Pod) bool { return facts.WaitsForNode(pod) && facts.MountsClaim(pod) })
}

// Find looks at each pending pod.
func (StrandedVolume) Find(ctx context.Context, v query.View) []finding.Finding {
	if !v.Knows(cluster.PersistentVolumeClaim, cluster.PersistentVolume, cluster.Node) {
		return nil
	}
	var found []finding.Finding
	for _, pod := range v.Pods() {
		if !facts.WaitsForNode(pod) || !facts.MountsClaim(pod) {
			continue
		}
		all := facts.Mounts(v.World, pod)
		for _, s := range strandedBy(ctx, v, pod, all) {
			found = append(found, describeStranded(ctx, v, s, all))
		}
	}
	return found
}

// stranded is a pod and the mounts that together leave it no node.
type stranded struct {
	pod *corev1.Pod
	// mounts of one zone, or of zones that have no node in common if apart.
	mounts []facts.Mount
	apart  bool
	// nodes in the zone, with what keeps the pod off each.
	nodes []query.ClosedNode
	// groups could, or could not, give the zone a node for the pod.
	groups query.Candidates
}

func (s stranded) zones() []string { return s.mounts[0].Zones }

// strandedBy finds the mounts that leave the pod no node, those of the same zones together. If each has one but no node
// serves all, they are returned as apart.
func strandedBy(ctx context.Context, v query.View, pod *corev1.Pod, all []facts.Mount) []stranded {
	zonal := slices.DeleteFunc(slices.Clone(all), func(m facts.Mount) bool { return m.Tie != facts.TiedToZone })
	if len(zonal) == 0 {
		return nil
	}
	d := v.Judged(ctx, pod)
	if d == nil {
		d = v.Plain(zonal)
	}
	if d.Runs() {
		return nil
	}
	var blocked []stranded
	alone := false
	for _, m := range zonal {
		nodes := nodesFor(d, v.World, m)
		if i := slices.IndexFunc(blocked, func(s stranded) bool { return slices.Equal(s.zones(), m.Zones) }); i >= 0 {
			blocked[i].mounts = append(blocked[i].mounts, m)
			continue
		}
		if slices.ContainsFunc(nodes, func(n query.ClosedNode) bool { return len(n.Obstacles) == 0 }) {
			continue
		}
		alone = true
		if groups := v.GroupsFor(ctx, pod, &m); opens(d) || len(groups.Suited) > 0 || groups.Stray != nil {
			blocked = append(blocked, stranded{pod: pod, mounts: []facts.Mount{m}, nodes: nodes, groups: groups})
		}
	}
	if !alone && !serves(d, zonal) {
		return []stranded{{pod: pod, mounts: zonal, apart: true}}
	}
	return blocked
}

// nodesFor are the nodes that stand in the mount's zones or that its volume allows, with what closes each to the pod apart
// from other volumes.
func nodesFor(d *query.Verdict, world *cluster.Snapshot, m facts.Mount) []query.ClosedNode {
	var nodes []query.ClosedNode
	for _, n := range d.All() {
		allowed := m.Allows(n.Node)
		if !allowed && !slices.Contains(m.Zones, cluster.Zone(n.Node)) {
			continue
		}
		n.Obstacles = n.Beside(message.ObstacleVolume)
		if !allowed {
			n.Obstacles = append(n.Obstacles, query.Obstacle{Kind: message.ObstacleLabel, Reasons: []string{driversOn(world, n.Node)}})
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// opens says whether some node is open to the pod but for its volumes.
func opens(d *query.Verdict) bool {
	return slices.ContainsFunc(d.All(), func(n query.ClosedNode) bool { return len(n.Beside(message.ObstacleVolume)) == 0 })
}

// serves says whether some node is allowed by all of the volumes.
func serves(d *query.Verdict, mounts []facts.Mount) bool {
	return slices.ContainsFunc(d.All(), func(n query.ClosedNode) bool {
		return !slices.ContainsFunc(mounts, func(m facts.Mount) bool { return !m.Allows(n.Node) })
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
