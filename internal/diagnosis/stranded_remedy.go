package diagnosis

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// strandedWays may give the zone a node that is open to the pod, the least intrusive first.
func strandedWays(v View, s stranded) []way {
	ways := v.uncordon(s.nodes)
	if len(unlabelled(s)) > 0 {
		return ways // A new node would have to get the same label, and the one there has not got it.
	}
	ways = append(ways, v.byGroups(s.groups)...)
	return append(append(ways, v.tolerate(s.pod, s.nodes)...), v.untaint(s.pod, s.nodes)...)
}

// unlabelled are nodes that only lack the label that the volume's driver should have put on them.
func unlabelled(s stranded) []closedNode {
	return slices.DeleteFunc(slices.Clone(s.nodes), func(n closedNode) bool {
		return !n.only(message.ObstacleLabel)
	})
}

// groupGaps are what the Kubernetes API does not tell of what would bring the zone a node.
func groupGaps(v View, s stranded) []finding.Gap {
	var gaps []finding.Gap
	missing := unlabelled(s)
	for _, n := range missing {
		node := refTo(cluster.Node, n.node).String()
		gaps = append(gaps, finding.Gap{About: node, Message: v.Say.Text(message.UnknownDriver, message.Args{
			"node": node, "driver": s.mounts[0].driver(),
		})})
	}
	if len(missing) == 0 {
		for _, group := range s.groups.suited[:min(len(s.groups.suited), mostRemedies)] {
			gaps = append(gaps, sizeGaps(v, s.zones(), group.Group)...)
		}
	}
	if s.groups.stray != nil {
		node := refTo(cluster.Node, s.groups.stray).String()
		gaps = append(gaps, finding.Gap{About: node, Message: v.Say.Text(message.UnknownGroup, message.Args{"node": node})})
	}
	return append(gaps, finding.Gap{
		About: "groups", Message: v.Say.Text(message.UnknownEmptyGroups, nil),
	})
}

// sizeGaps are what the Kubernetes API does not tell of one group's size.
func sizeGaps(v View, zones []string, group cluster.Group) []finding.Gap {
	about := groupRef(group).String()
	args := message.Args{"group": about, "zones": zones}
	if group.Provider == change.Karpenter {
		return []finding.Gap{{About: about, Message: v.Say.Text(message.UnknownNodePool, args)}}
	}
	return []finding.Gap{
		{About: about, Message: v.Say.Text(message.UnknownGroupZones, args)},
		{About: about, Message: v.Say.Text(message.UnknownGroupBounds, args)},
	}
}
