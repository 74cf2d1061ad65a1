package diagnosis

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// nodesLink says which nodes the zone has and what closes them.
func nodesLink(v View, s stranded) finding.Link {
	if len(s.nodes) == 0 {
		return finding.Link{
			Message:  v.Say.Text(message.CauseNoNode, message.Args{"zones": s.zones()}),
			Evidence: nodesByZone(v.World),
		}
	}
	link := finding.Link{Message: v.Say.Text(message.CauseNodesUnusable, message.Args{
		"zones": s.zones(), "nodes": len(s.nodes), "why": countObstacles(v, s.nodes),
	})}
	selector := false
	for _, node := range s.nodes {
		for _, o := range node.obstacles {
			selector = selector || o.kind == message.ObstacleSelector
			if len(link.Evidence) < mostListed {
				link.Evidence = append(link.Evidence, o.evidence)
			}
		}
	}
	if selector {
		link.Evidence = append(selectorFacts(s.pod), link.Evidence...)
	}
	return link
}

// nodesByZone is how many nodes stand in each zone that has any.
func nodesByZone(world *cluster.Snapshot) []finding.Evidence {
	counts := map[string]int{}
	for _, node := range world.Nodes() {
		counts[cluster.Zone(node)]++
	}
	var evidence []finding.Evidence
	for _, zone := range slices.Sorted(maps.Keys(counts)) {
		evidence = append(evidence, fact(zoneRef(zone), "nodes", strconv.Itoa(counts[zone])))
	}
	return evidence
}

// countObstacles counts nodes by the gravest thing that closes each.
func countObstacles(v View, nodes []closedNode) []string {
	counts := map[message.ID]int{}
	for _, node := range nodes {
		for _, kind := range gravest {
			if slices.ContainsFunc(node.obstacles, func(o obstacle) bool { return o.kind == kind }) {
				counts[kind]++
				break
			}
		}
	}
	return sayCounts(v, counts)
}

func sayCounts(v View, counts map[message.ID]int) []string {
	var said []string
	for _, kind := range gravest {
		if n := counts[kind]; n > 0 {
			said = append(said, v.Say.Text(kind, message.Args{"n": n}))
		}
	}
	return said
}

// groupsLink says which node groups could give the zone a node.
func groupsLink(v View, s stranded, c candidates) finding.Link {
	args := message.Args{"total": len(v.World.Groups()), "zones": s.zones(), "excluded": sayCounts(v, c.excluded)}
	link := finding.Link{Evidence: selectorFacts(s.pod)}
	if len(c.suited) == 0 {
		link.Message = v.Say.Text(message.CauseGroupNone, args)
		return link
	}
	var names []string
	for _, group := range c.suited[:min(len(c.suited), mostListed)] {
		counts := standing(group)
		zones := slices.Sorted(maps.Keys(counts))
		names = append(names, v.Say.Text(message.GroupStands, message.Args{
			"group": groupRef(group), "nodes": len(group.Nodes), "zones": zones,
		}))
		var each []string
		for _, zone := range zones {
			each = append(each, zone+": "+strconv.Itoa(counts[zone]))
		}
		link.Evidence = append(link.Evidence, fact(groupRef(group), group.Label, strings.Join(each, ", ")))
	}
	args["suited"], args["groups"] = len(c.suited), names
	link.Message = v.Say.Text(message.CauseGroup, args)
	return link
}
