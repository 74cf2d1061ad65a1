package unschedulable

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// nodesLink says which nodes the zone has and what closes them.
func nodesLink(v query.View, s stranded) finding.Link {
	if len(s.nodes) == 0 {
		return finding.Link{
			Message:  v.Say.Text(message.CauseNoNode, message.Args{"zones": s.zones()}),
			Evidence: nodesByZone(v.World),
		}
	}
	link := finding.Link{Message: v.Say.Text(message.CauseNodesUnusable, message.Args{
		"zones": s.zones(), "nodes": len(s.nodes), "why": query.TallyOf(s.nodes).Said(v.Say),
	})}
	selector := false
	for _, node := range s.nodes {
		for _, o := range node.Obstacles {
			selector = selector || o.Kind == message.ObstacleSelector
			if len(link.Evidence) < query.MostListed {
				link.Evidence = append(link.Evidence, v.FactsOf(s.pod, node.Node, o)...)
			}
		}
	}
	if selector {
		link.Evidence = append(facts.SelectorFacts(s.pod), link.Evidence...)
	}
	return link
}

// severalLink says of the zone's nodes all that closes each, if one has several obstacles: without the gravest, which is
// the one that is counted, it would still be closed.
func severalLink(v query.View, s stranded) (finding.Link, bool) {
	if !slices.ContainsFunc(s.nodes, func(n query.ClosedNode) bool { return len(n.Obstacles) > 1 }) {
		return finding.Link{}, false
	}
	a := &answer{View: v, waitingClass: &waitingClass{one: s.pod}}
	near := nearest(v, s.pod, &query.Verdict{Closed: s.nodes})
	return finding.Link{Message: v.Say.Text(message.CauseNearest, message.Args{"misses": a.missesOf(near)})}, true
}

// nodesByZone is how many nodes stand in each zone that has any.
func nodesByZone(world *cluster.Snapshot) []finding.Evidence {
	counts := map[string]int{}
	for _, node := range world.Nodes() {
		counts[cluster.Zone(node)]++
	}
	var evidence []finding.Evidence
	for _, zone := range slices.Sorted(maps.Keys(counts)) {
		evidence = append(evidence, facts.Fact(facts.ZoneRef(zone), "nodes", strconv.Itoa(counts[zone])))
	}
	return evidence
}

// groupsLink says which node groups could give the zone a node.
func groupsLink(v query.View, pod *corev1.Pod, zones []string, c query.Candidates) finding.Link {
	args := message.Args{"total": len(v.World.Groups()), "zones": zones, "excluded": c.Excluded.Said(v.Say)}
	link := finding.Link{Evidence: facts.SelectorFacts(pod)}
	if len(c.Suited) == 0 {
		link.Message = v.Say.Text(message.CauseGroupNone, args)
		return link
	}
	var names []string
	for _, group := range c.Suited[:min(len(c.Suited), query.MostListed)] {
		counts := query.Standing(group.Group)
		zones := slices.Sorted(maps.Keys(counts))
		names = append(names, v.Say.Text(message.GroupStands, message.Args{
			"group": facts.GroupRef(group.Group), "nodes": len(group.Nodes), "zones": zones,
		}))
		var each []string
		for _, zone := range zones {
			each = append(each, zone+": "+strconv.Itoa(counts[zone]))
		}
		link.Evidence = append(link.Evidence, facts.Fact(facts.GroupRef(group.Group), group.Label, strings.Join(each, ", ")))
	}
	args["suited"], args["groups"] = len(c.Suited), names
	link.Message = v.Say.Text(message.CauseGroup, args)
	return link
}
