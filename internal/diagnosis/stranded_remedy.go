package diagnosis

import (
	"strings"

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
	for _, group := range c.suited {
		if way := resize(v, group, s.zones()[0]); way.Command != "" && len(ways) < mostRemedies {
			ways = append(ways, way)
		}
	}
	return ways
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

// groupGaps are what the Kubernetes API does not tell of the groups that a remedy rests on.
func groupGaps(v View, s stranded, c candidates) []finding.Gap {
	var gaps []finding.Gap
	for _, group := range c.suited[:min(len(c.suited), mostRemedies)] {
		about := groupRef(group).String()
		if group.Provider == change.Karpenter {
			gaps = append(gaps, finding.Gap{About: about, Message: v.Say.Text(message.UnknownNodePool, message.Args{
				"group": about, "zones": s.zones(),
			})})
			continue
		}
		gaps = append(gaps,
			finding.Gap{About: about, Message: v.Say.Text(message.UnknownGroupZones, message.Args{"group": about, "zones": s.zones()})},
			finding.Gap{About: about, Message: v.Say.Text(message.UnknownGroupBounds, message.Args{"group": about})})
	}
	if c.stray != nil {
		node := refTo(cluster.Node, c.stray).String()
		gaps = append(gaps, finding.Gap{About: node, Message: v.Say.Text(message.UnknownGroup, message.Args{"node": node})})
	}
	return append(gaps, finding.Gap{
		About: strings.ToLower("Group"), Message: v.Say.Text(message.UnknownEmptyGroups, nil),
	})
}
