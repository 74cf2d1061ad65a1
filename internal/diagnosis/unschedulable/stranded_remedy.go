package unschedulable

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// strandedWays may give the zone a node that is open to the pod, the least intrusive first.
func strandedWays(v query.View, s stranded) []query.Way {
	ways := v.Uncordon(s.nodes)
	if len(unlabelled(s)) > 0 {
		return ways // A new node would have to get the same label, and the one there has not got it.
	}
	ways = append(ways, v.Sizable(s.pod, v.ByGroups(s.groups))...)
	return append(append(ways, v.Tolerate(s.pod, s.nodes)...), v.Untaint(s.pod, s.nodes)...)
}

// unlabelled are nodes that only lack the label that the volume's driver should have put on them.
func unlabelled(s stranded) []query.ClosedNode {
	return slices.DeleteFunc(slices.Clone(s.nodes), func(n query.ClosedNode) bool {
		return !n.Only(message.ObstacleLabel)
	})
}

// groupGaps are what the Kubernetes API does not tell of what would bring the zone a node.
func groupGaps(v query.View, s stranded) []finding.Gap {
	var gaps []finding.Gap
	missing := unlabelled(s)
	for _, n := range missing {
		node := facts.RefTo(cluster.Node, n.Node).String()
		gaps = append(gaps, finding.Gap{About: node, Message: v.Say.Text(message.UnknownDriver, message.Args{
			"node": node, "driver": s.mounts[0].Driver(),
		})})
	}
	if len(missing) == 0 {
		for _, group := range s.groups.Suited[:min(len(s.groups.Suited), query.MostRemedies)] {
			gaps = append(gaps, sizeGaps(v, s.zones(), group.Group)...)
		}
	}
	if s.groups.Stray != nil {
		node := facts.RefTo(cluster.Node, s.groups.Stray).String()
		gaps = append(gaps, finding.Gap{About: node, Message: v.Say.Text(message.UnknownGroup, message.Args{"node": node})})
	}
	return append(gaps, finding.Gap{
		About: "groups", Message: v.Say.Text(message.UnknownEmptyGroups, nil),
	})
}

// sizeGaps are what the Kubernetes API does not tell of one group's size.
func sizeGaps(v query.View, zones []string, group cluster.Group) []finding.Gap {
	about := facts.GroupRef(group).String()
	args := message.Args{"group": about, "zones": zones}
	if group.Provider == change.Karpenter {
		return []finding.Gap{{About: about, Message: v.Say.Text(message.UnknownNodePool, args)}}
	}
	return []finding.Gap{
		{About: about, Message: v.Say.Text(message.UnknownGroupZones, args)},
		{About: about, Message: v.Say.Text(message.UnknownGroupBounds, args)},
	}
}
