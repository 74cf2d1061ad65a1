package unschedulable

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// proposeZoneRemedies proposes changes after which the zone may have a feasible node, the least intrusive first.
func proposeZoneRemedies(q query.Query, s zoneConflict) []query.ProposedRemedy {
	proposals := q.Uncordon(s.nodes)
	if len(nodesWithoutDriverLabel(s)) > 0 {
		return proposals // A new node would lack the label, too.
	}
	proposals = append(proposals, q.ResizesLeft(s.pod, q.ResizeGroups(s.groups))...)
	return append(append(proposals, q.Tolerate(s.pod, s.nodes)...), q.Untaint(s.pod, s.nodes)...)
}

// nodesWithoutDriverLabel are nodes whose only obstacle is that they lack the label that the volume's driver should
// have set.
func nodesWithoutDriverLabel(s zoneConflict) []query.NodeObstacles {
	return slices.DeleteFunc(slices.Clone(s.nodes), func(n query.NodeObstacles) bool {
		return !n.Only(message.ObstacleLabel)
	})
}

// groupGaps are facts about node groups that neither the Kubernetes API nor their cloud has told.
func groupGaps(q query.Query, s zoneConflict) []finding.Gap {
	var gaps []finding.Gap
	missing := nodesWithoutDriverLabel(s)
	for _, n := range missing {
		node := facts.RefTo(cluster.Node, n.Node).String()
		gaps = append(gaps, finding.Gap{About: node, Message: sentence.UnknownDriver(s.mounts[0].Driver(), node)})
	}
	if len(missing) == 0 {
		for _, group := range s.groups.Suitable[:min(len(s.groups.Suitable), query.MaxRemedies)] {
			gaps = append(gaps, q.SizeGaps(s.zones(), group.Group)...)
		}
	}
	if s.groups.UngroupedNode != nil {
		node := facts.RefTo(cluster.Node, s.groups.UngroupedNode).String()
		gaps = append(gaps, finding.Gap{About: node, Message: sentence.UnknownGroup(node)})
	}
	return slices.Concat(gaps, q.UnreadSizes(), q.EmptyGroupGaps(s.zones()))
}
