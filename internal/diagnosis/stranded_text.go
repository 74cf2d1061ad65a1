package diagnosis

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// mostListed bounds what one sentence or link enumerates.
const mostListed = 5

// describe puts a stranded pod into words.
func describe(v View, s stranded, all []mount) finding.Finding {
	f := finding.Finding{Code: finding.N101, Severity: finding.Critical, Subjects: []change.Ref{refTo(cluster.Pod, s.pod)}}
	f.Causes = append(f.Causes, unscheduled(v, s.pod))
	for _, m := range s.mounts {
		f.Subjects = append(f.Subjects, m.refs()...)
		f.Causes = append(f.Causes, m.links(v)...)
	}
	f.RuledOut = ruledOut(v, s, all)
	if s.apart {
		f.Message = v.Say.Text(message.StrandedApart, message.Args{"pod": refTo(cluster.Pod, s.pod), "volumes": placed(s.mounts)})
		f.Causes = append(f.Causes, finding.Link{Message: v.Say.Text(message.CauseApart, nil)})
		return f
	}
	f.Message = strandedMessage(v, s)
	c := candidatesFor(v.World, s.pod, s.mounts[0])
	f.Causes = append(f.Causes, nodesLink(v, s), groupsLink(v, s, c))
	if link, ok := autoscalerLink(v, s.pod); ok {
		f.Causes = append(f.Causes, link)
	}
	f.Remedies = remedies(v, s, c)
	f.Unknown = groupGaps(v, s, c)
	return f
}

func strandedMessage(v View, s stranded) string {
	args := message.Args{"pod": refTo(cluster.Pod, s.pod), "zones": s.zones(), "why": countObstacles(v, s.nodes)}
	var made, unmade []string
	for _, m := range s.mounts {
		if m.volume != nil {
			made = append(made, refTo(cluster.PersistentVolume, m.volume).String())
		} else {
			unmade = append(unmade, refTo(cluster.PersistentVolumeClaim, m.claim).String())
		}
	}
	args["volumes"], args["claims"] = made, unmade
	switch {
	case len(made) == 0:
		return v.Say.Text(message.StrandedUnmade, args)
	case len(s.nodes) == 0:
		return v.Say.Text(message.StrandedNoNode, args)
	default:
		return v.Say.Text(message.StrandedUnusable, args)
	}
}

// unscheduled is the symptom, in the scheduler's words.
func unscheduled(v View, pod *corev1.Pod) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CauseUnscheduled, message.Args{"pod": refTo(cluster.Pod, pod)})}
	if c := podCondition(pod, corev1.PodScheduled); c != nil {
		link.Evidence = append(link.Evidence, factSince(refTo(cluster.Pod, pod), "status.conditions[PodScheduled]", c.Message, c.LastTransitionTime))
	}
	return link
}

// refs are the claim, its volume if it has one, and the zones.
func (m mount) refs() []change.Ref {
	refs := []change.Ref{refTo(cluster.PersistentVolumeClaim, m.claim)}
	if m.volume != nil {
		refs = append(refs, refTo(cluster.PersistentVolume, m.volume))
	}
	return refs
}

// links lead from the pod's mount to the zone.
func (m mount) links(v View) []finding.Link {
	claim := refTo(cluster.PersistentVolumeClaim, m.claim)
	if m.volume == nil {
		class := refTo(cluster.StorageClass, m.class)
		return []finding.Link{
			{
				Message:  v.Say.Text(message.CauseClaimUnmade, message.Args{"claim": claim, "class": class}),
				Evidence: []finding.Evidence{fact(class, "volumeBindingMode", string(*m.class.VolumeBindingMode))},
			},
			{
				Message:  v.Say.Text(message.CauseClassZone, message.Args{"class": class, "zones": m.zones}),
				Evidence: []finding.Evidence{fact(class, m.field, formatSelector(m.selectors[0]))},
			},
		}
	}
	volume := refTo(cluster.PersistentVolume, m.volume)
	evidence := []finding.Evidence{fact(volume, m.field, formatSelector(m.selectors[0]))}
	if csi := m.volume.Spec.CSI; csi != nil {
		evidence = append(evidence, fact(volume, "spec.csi", csi.Driver+" "+csi.VolumeHandle))
	}
	return []finding.Link{
		{
			Message:  v.Say.Text(message.CauseClaim, message.Args{"claim": claim, "volume": volume}),
			Evidence: []finding.Evidence{fact(claim, "spec.volumeName", m.volume.Name)},
		},
		{Message: v.Say.Text(message.CauseVolumeZone, message.Args{"volume": volume, "zones": m.zones}), Evidence: evidence},
	}
}

// placed names each mount's volume, or claim, with its zone.
func placed(mounts []mount) []string {
	var names []string
	for _, m := range mounts {
		refs := m.refs()
		names = append(names, refs[len(refs)-1].String()+" ("+strings.Join(m.zones, ", ")+")")
	}
	return names
}

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

// autoscalerLink explains what cluster-autoscaler says, which reads as if it counted nodes.
//
// Source: sigs.k8s.io/cluster-autoscaler, core/scaleup/orchestrator and processors/status/eventing_scale_up_processor.go.
func autoscalerLink(v View, pod *corev1.Pod) (finding.Link, bool) {
	for _, event := range v.World.Events(pod.UID) {
		if event.Reason != "NotTriggerScaleUp" {
			continue
		}
		count, first, last := occurrences(event)
		value := event.Message
		if count > 1 {
			value += " (" + strconv.Itoa(count) + "×, " + duration.HumanDuration(last.Sub(first.Time)) + ")"
		}
		ref := refTo(cluster.Event, event)
		return finding.Link{
			Message:  v.Say.Text(message.CauseAutoscaler, nil),
			Evidence: []finding.Evidence{factSince(ref, event.Reason, value, last)},
		}, true
	}
	return finding.Link{}, false
}

// occurrences reads how often and when an event happened, written through either events API.
func occurrences(e *corev1.Event) (count int, first, last metav1.Time) {
	count, first, last = int(e.Count), e.FirstTimestamp, e.LastTimestamp
	if first.IsZero() {
		first = metav1.Time{Time: e.EventTime.Time}
	}
	if last.IsZero() {
		last = first
	}
	if e.Series != nil {
		count, last = int(e.Series.Count), metav1.Time{Time: e.Series.LastObservedTime.Time}
	}
	return count, first, last
}
