package query

import (
	"maps"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// zoneSize is the size of a group with which a zone is certain to gain a node.
type zoneSize struct {
	// sizes are those that the group has now, if known.
	sizes cluster.GroupSizes
	known bool
	// before is the number of its nodes, to the size, and each the number of nodes that each of the zones then has at least.
	before, to, each int
	zones            []string
	// highest is the number of nodes of the zone that has the most, or of the one that gains a node.
	highest int
}

// zoneSizeOf computes it from the zones that the group launches nodes in if they are known, and otherwise from those of its nodes. Nodes in other zones stay
// there.
func (q Query) zoneSizeOf(group cluster.Group, zone string) zoneSize {
	counts := NodesByZone(group)
	s := zoneSize{highest: counts[zone] + 1}
	s.sizes, s.known = q.World.SizesOf(group.Nodes)
	for _, n := range counts {
		s.before += n
		s.highest = max(s.highest, n)
	}
	elsewhere := 0
	if len(s.sizes.Zones) > 0 {
		elsewhere = s.before
		all := counts
		counts = map[string]int{}
		for _, launch := range s.sizes.Zones {
			counts[launch] = all[launch]
			elsewhere -= all[launch]
		}
	}
	s.to, s.each = SizeFor(counts, zone, 1)
	s.to += elsewhere
	counts[zone] = s.each
	s.zones = slices.Sorted(maps.Keys(counts))
	return s
}

// isRequested says that the group already has the size, but not as many nodes: a larger one may not be needed.
func (s zoneSize) isRequested() bool { return s.known && s.sizes.Desired >= s.to }

// Bounded is a resize of a group with the maximum that it needs, if that is higher than the group's, and with its cluster. The group's maximum is 0 if it
// suffices or is not known.
func (q Query) Bounded(resize change.ResizeGroup, group cluster.Group) (bounded change.ResizeGroup, lower int) {
	sizes, known := q.World.SizesOf(group.Nodes)
	if !known {
		return resize, 0
	}
	if resize.Cluster == "" {
		resize.Cluster = sizes.Cluster
	}
	if resize.To <= sizes.Max {
		return resize, 0
	}
	resize.Max = resize.To
	return resize, sizes.Max
}

// HasSizes says whether the cloud told the sizes of a group.
func (q Query) HasSizes(group cluster.Group) bool {
	_, known := q.World.SizesOf(group.Nodes)
	return known
}

// SizesLinks are the sizes of a group as its cloud tells them, and what they mean for a node in a zone; none if they are not known.
func (q Query) SizesLinks(group cluster.Group, zone string) []finding.Link {
	s := q.zoneSizeOf(group, zone)
	if !s.known {
		return nil
	}
	ref := facts.GroupRef(group)
	links := []finding.Link{{
		Message:  sentence.CauseGroupSizes(ref, message.ListOf(s.sizes.Zones), s.sizes.Min, s.sizes.Desired, s.sizes.Max),
		Evidence: append(zonesEvidence(s.sizes), sizesEvidence(s.sizes)...),
	}}
	switch {
	case s.isRequested() && s.before < s.sizes.Desired:
		links = append(links, finding.Link{Message: sentence.CauseGroupStarting(ref, s.before, s.sizes.Desired)})
	case s.to > s.sizes.Max:
		links = append(links, finding.Link{Message: sentence.CauseGroupMaximum(ref, zone, s.to, s.sizes.Max)})
	}
	return links
}

func autoScalingGroup(sizes cluster.GroupSizes) change.Ref {
	return change.Ref{Kind: string(cluster.AutoScalingGroup), Name: sizes.Name}
}

// zonesEvidence is where a group launches nodes, if that is known.
func zonesEvidence(sizes cluster.GroupSizes) []finding.Evidence {
	if len(sizes.Zones) == 0 {
		return nil
	}
	return []finding.Evidence{facts.Evidence(autoScalingGroup(sizes), "vpcZoneIdentifier", strings.Join(sizes.Zones, ", "))}
}

func sizesEvidence(sizes cluster.GroupSizes) []finding.Evidence {
	ref := autoScalingGroup(sizes)
	return []finding.Evidence{
		facts.Evidence(ref, "minSize", FormatInt(sizes.Min)), facts.Evidence(ref, "desiredCapacity", FormatInt(sizes.Desired)), facts.Evidence(ref, "maxSize", FormatInt(sizes.Max)),
	}
}

// launchesIn says whether a group launches nodes in one of some zones, as far as that is known.
func (q Query) launchesIn(group cluster.Group, zones []string) bool {
	sizes, _ := q.World.SizesOf(group.Nodes)
	return len(sizes.Zones) == 0 || slices.ContainsFunc(zones, func(zone string) bool { return slices.Contains(sizes.Zones, zone) })
}

// ElsewhereSentences name the groups that would suit but have no subnet in the zone, with the evidence.
func (q Query) ElsewhereSentences(c GroupCandidates) (message.List, []finding.Evidence) {
	var says message.List
	var evidence []finding.Evidence
	for _, group := range c.Elsewhere[:min(len(c.Elsewhere), MaxListed)] {
		sizes, _ := q.World.SizesOf(group.Nodes)
		says = append(says, sentence.GroupElsewhere(facts.GroupRef(group), message.ListOf(sizes.Zones)))
		evidence = append(evidence, zonesEvidence(sizes)...)
	}
	return says, evidence
}

// SizeGaps are facts about a group's sizes that are not known, for a node in one of the zones.
func (q Query) SizeGaps(zones []string, group cluster.Group) []finding.Gap {
	about := facts.GroupRef(group).String()
	if group.Provider == change.Karpenter {
		return []finding.Gap{{About: about, Message: sentence.UnknownNodePool(about, message.ListOf(zones))}}
	}
	var gaps []finding.Gap
	sizes, known := q.World.SizesOf(group.Nodes)
	if len(sizes.Zones) == 0 {
		gaps = append(gaps, finding.Gap{About: about, Message: sentence.UnknownGroupZones(about, message.ListOf(zones))})
	}
	if !known {
		gaps = append(gaps, finding.Gap{About: about, Message: sentence.UnknownGroupBounds(about)})
	}
	return gaps
}

// EmptyGroupGaps say what is not known of groups without nodes: whether there are any, or whether new nodes of those with a subnet in the zones would suit.
func (q Query) EmptyGroupGaps(zones []string) []finding.Gap {
	empty, known := q.World.EmptyGroups()
	if !known {
		return []finding.Gap{{About: "groups", Message: sentence.UnknownEmptyGroups()}}
	}
	var names []string
	for _, group := range empty {
		if slices.ContainsFunc(zones, func(zone string) bool { return slices.Contains(group.Zones, zone) }) || len(group.Zones) == 0 {
			names = append(names, nameOf(group))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []finding.Gap{{About: "groups", Message: sentence.UnknownGroupsAtZero(len(names), message.ListOf(names[:min(len(names), MaxListed)]), message.ListOf(zones))}}
}

// nameOf is how messages refer to a group without nodes: by its node group if it is made for one.
func nameOf(group cluster.GroupSizes) string {
	if group.NodeGroup != "" {
		return change.Ref{Kind: "Group", Name: group.NodeGroup}.String()
	}
	return autoScalingGroup(group).String()
}

// UnreadSizes are why a cloud that was asked about node groups did not tell everything.
func (q Query) UnreadSizes() []finding.Gap {
	if !q.World.HasScalingGroups() {
		return nil
	}
	return UnreadGaps(q.World.Network().Unread, cloud.ScalingGroupParts)
}

// UnreadGaps say why some parts of a network could not be read. One reason is stated once: without credentials, nothing was read.
func UnreadGaps(unread map[cloud.NetworkPart]cloud.Unread, of []cloud.NetworkPart) []finding.Gap {
	parts := map[cloud.Unread][]string{}
	var order []cloud.Unread
	for _, part := range of {
		why, missing := unread[part]
		if !missing {
			continue
		}
		if parts[why] == nil {
			order = append(order, why)
		}
		parts[why] = append(parts[why], string(part))
	}
	var gaps []finding.Gap
	for _, why := range order {
		gaps = append(gaps, finding.Gap{About: "aws", Message: sentence.AddressPartUnread(message.ListOf(parts[why]), why.Permission, why.Why())})
	}
	return gaps
}
