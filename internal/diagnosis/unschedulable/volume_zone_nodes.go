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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// nodesLink names the zone's nodes and their obstacles.
func nodesLink(q query.Query, s zoneConflict) finding.Link {
	if len(s.nodes) == 0 {
		return finding.Link{
			Message:  sentence.CauseNoNode(message.ListOf(s.zones())),
			Evidence: nodesByZone(q.World),
		}
	}
	link := finding.Link{Message: sentence.CauseNodesUnusable(message.ListOf(s.zones()), len(s.nodes), query.CountObstacles(s.nodes).Sentences())}
	selector := false
	for _, node := range s.nodes {
		for _, o := range node.Obstacles {
			selector = selector || o.Kind == message.ObstacleSelector
			if len(link.Evidence) < query.MaxListed {
				link.Evidence = append(link.Evidence, q.ObstacleEvidence(s.pod, node.Node, o)...)
			}
		}
	}
	if selector {
		link.Evidence = append(facts.SelectorEvidence(s.pod), link.Evidence...)
	}
	return link
}

// otherObstaclesLink names all obstacles of the zone's nodes if one has several: without the most severe, which is the one that is
// counted, the node would still not be feasible.
func otherObstaclesLink(q query.Query, s zoneConflict) (finding.Link, bool) {
	if !slices.ContainsFunc(s.nodes, func(n query.NodeObstacles) bool { return len(n.Obstacles) > 1 }) {
		return finding.Link{}, false
	}
	a := &explanation{Query: q, podClass: &podClass{representative: s.pod}}
	near := nearestNodes(q, s.pod, &query.Verdict{Infeasible: s.nodes})
	return finding.Link{Message: sentence.CauseNearest(a.describeNodes(near))}, true
}

// nodesByZone is the number of nodes in each zone that has any.
func nodesByZone(world *cluster.Snapshot) []finding.Evidence {
	counts := map[string]int{}
	for _, node := range world.Nodes() {
		counts[cluster.Zone(node)]++
	}
	var evidence []finding.Evidence
	for _, zone := range slices.Sorted(maps.Keys(counts)) {
		evidence = append(evidence, facts.Evidence(facts.ZoneRef(zone), "nodes", strconv.Itoa(counts[zone])))
	}
	return evidence
}

// groupsLink names the node groups that could add a node in the zone.
func groupsLink(q query.Query, pod *corev1.Pod, zones []string, c query.GroupCandidates) finding.Link {
	elsewhere, evidence := q.ElsewhereSentences(c)
	total, excluded := len(q.World.Groups()), append(c.Excluded.Sentences(), elsewhere...)
	link := finding.Link{Evidence: append(facts.SelectorEvidence(pod), evidence...)}
	if len(c.Suitable) == 0 {
		link.Message = sentence.CauseGroupNone(total, message.ListOf(zones), excluded)
		return link
	}
	var names message.List
	for _, group := range c.Suitable[:min(len(c.Suitable), query.MaxListed)] {
		counts := query.NodesByZone(group.Group)
		zones := slices.Sorted(maps.Keys(counts))
		names = append(names, sentence.GroupStands(facts.GroupRef(group.Group), len(group.Nodes), message.ListOf(zones)))
		var each []string
		for _, zone := range zones {
			each = append(each, zone+": "+strconv.Itoa(counts[zone]))
		}
		link.Evidence = append(link.Evidence, facts.Evidence(facts.GroupRef(group.Group), group.Label, strings.Join(each, ", ")))
	}
	link.Message = sentence.CauseGroup(total, len(c.Suitable), excluded, names)
	return link
}
