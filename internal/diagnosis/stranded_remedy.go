package diagnosis

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// mostRemedies is how many groups are offered for resizing; one is enough, and more only ask the reader to choose.
const mostRemedies = 3

// remedies are what gives the zone a node that is open to the pod, the least intrusive first.
func remedies(v View, s stranded, c candidates) []finding.Remedy {
	var ways []finding.Remedy
	for _, n := range s.nodes {
		if len(n.obstacles) == 1 && n.obstacles[0].kind == message.ObstacleCordoned {
			ways = append(ways, uncordon(v, n))
			break
		}
	}
	if len(unlabelled(s)) > 0 {
		return ways // A new node would have to get the same label, and the one there has not got it.
	}
	for _, group := range c.suited {
		if way := resize(v, group, s.zones()[0]); way.Command != "" && len(ways) < mostRemedies {
			ways = append(ways, way)
		}
	}
	return ways
}

// unlabelled are nodes that only lack the label that the volume's driver should have put on them.
func unlabelled(s stranded) []closedNode {
	return slices.DeleteFunc(slices.Clone(s.nodes), func(n closedNode) bool {
		return len(n.obstacles) != 1 || n.obstacles[0].kind != message.ObstacleLabel
	})
}

func uncordon(v View, n closedNode) finding.Remedy {
	uncordoned := change.Uncordon{Node: n.node.Name}
	args := message.Args{"node": uncordoned.Subject(), "zone": cluster.Zone(n.node)}
	return finding.Remedy{
		Message: v.Say.Text(message.RemedyUncordon, args),
		Change:  uncordoned,
		Command: uncordoned.Command(),
		Cost:    v.Say.Text(message.RemedyUncordonCost, nil),
		Risk:    v.Say.Text(message.RemedyUncordonRisk, nil),
	}
}

// groupGaps are what the Kubernetes API does not tell of what would bring the zone a node.
func groupGaps(v View, s stranded, c candidates) []finding.Gap {
	var gaps []finding.Gap
	missing := unlabelled(s)
	for _, n := range missing {
		node := refTo(cluster.Node, n.node).String()
		gaps = append(gaps, finding.Gap{About: node, Message: v.Say.Text(message.UnknownDriver, message.Args{
			"node": node, "driver": s.mounts[0].driver(),
		})})
	}
	if len(missing) == 0 {
		for _, group := range c.suited[:min(len(c.suited), mostRemedies)] {
			gaps = append(gaps, sizeGaps(v, s, group)...)
		}
	}
	if c.stray != nil {
		node := refTo(cluster.Node, c.stray).String()
		gaps = append(gaps, finding.Gap{About: node, Message: v.Say.Text(message.UnknownGroup, message.Args{"node": node})})
	}
	return append(gaps, finding.Gap{
		About: "groups", Message: v.Say.Text(message.UnknownEmptyGroups, nil),
	})
}

// sizeGaps are what the Kubernetes API does not tell of one group's size.
func sizeGaps(v View, s stranded, group cluster.Group) []finding.Gap {
	about := groupRef(group).String()
	args := message.Args{"group": about, "zones": s.zones()}
	if group.Provider == change.Karpenter {
		return []finding.Gap{{About: about, Message: v.Say.Text(message.UnknownNodePool, args)}}
	}
	return []finding.Gap{
		{About: about, Message: v.Say.Text(message.UnknownGroupZones, args)},
		{About: about, Message: v.Say.Text(message.UnknownGroupBounds, args)},
	}
}
