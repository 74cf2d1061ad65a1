package unschedulable

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// describeStranded puts a stranded pod into words.
func describeStranded(ctx context.Context, v query.View, s stranded, all []facts.Mount) finding.Finding {
	f := finding.Finding{Code: finding.N101, Severity: finding.Critical, Subjects: []change.Ref{facts.RefTo(cluster.Pod, s.pod)}}
	f.Causes = append(f.Causes, unscheduled(v, s.pod))
	for _, m := range s.mounts {
		f.Subjects = append(f.Subjects, refs(m)...)
		f.Causes = append(f.Causes, links(m, v, s.pod)...)
	}
	f.RuledOut = ruledOut(v, s, all)
	if s.apart {
		f.Message = v.Say.Text(message.StrandedApart, message.Args{"pod": facts.RefTo(cluster.Pod, s.pod), "claims": placed(s.mounts)})
		f.Causes = append(f.Causes, finding.Link{Message: v.Say.Text(message.CauseApart, nil)})
		return f
	}
	f.Message = strandedMessage(v, s)
	f.Causes = append(f.Causes, nodesLink(v, s))
	if link, ok := severalLink(v, s); ok {
		f.Causes = append(f.Causes, link)
	}
	if s.groups.Asked {
		f.Causes = append(f.Causes, groupsLink(v, s.pod, s.zones(), s.groups))
	}
	f.Causes = append(f.Causes, query.ScalingLinks(v, s.pod)...)
	if said := query.ScalingHeadline(v, s.pod); said != "" {
		f.Message = v.Say.Text(message.UnplacedAlso, message.Args{"said": f.Message, "also": said})
	}
	f.Remedies = append(v.ScalingRemedies(s.pod, s.groups), v.Proven(ctx, strandedWays(v, s), s.pod)...)
	f.Unknown = append(extraGaps(v), groupGaps(v, s)...)
	return f
}

// extraGaps are kinds that would only have added to the finding.
func extraGaps(v query.View) []finding.Gap {
	var gaps []finding.Gap
	for _, kind := range []cluster.Kind{cluster.VolumeAttachment, cluster.CSINode, cluster.Event} {
		gaps = append(gaps, v.Gap(finding.N101, kind)...)
	}
	return gaps
}

func strandedMessage(v query.View, s stranded) string {
	claims, made := []string{}, false
	for _, m := range s.mounts {
		claims = append(claims, facts.RefTo(cluster.PersistentVolumeClaim, m.Claim).String())
		made = made || m.Volume != nil
	}
	id := message.StrandedUnusable
	switch {
	case !made:
		id = message.StrandedUnmade
	case len(s.nodes) == 0:
		id = message.StrandedNoNode
	}
	return v.Say.Text(id, message.Args{
		"pod": facts.RefTo(cluster.Pod, s.pod), "claims": claims, "zones": s.zones(), "why": query.TallyOf(s.nodes).Said(v.Say),
	})
}

// unscheduled is the symptom, in the scheduler's words.
func unscheduled(v query.View, pod *corev1.Pod) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CauseUnscheduled, nil)}
	if c := facts.PodCondition(pod, corev1.PodScheduled); c != nil {
		link.Evidence = append(link.Evidence, facts.FactSince(facts.RefTo(cluster.Pod, pod), "status.conditions[PodScheduled]", c.Message, c.LastTransitionTime))
	}
	return link
}

// refs are the claim, its volume if it has one, and the zones.
func refs(m facts.Mount) []change.Ref {
	refs := []change.Ref{facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)}
	if m.Volume != nil {
		refs = append(refs, facts.RefTo(cluster.PersistentVolume, m.Volume))
	}
	return refs
}

// links lead from the pod's mount to the zone.
func links(m facts.Mount, v query.View, pod *corev1.Pod) []finding.Link {
	claim := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)
	mounted := facts.MountFact(pod, m.Source)
	if m.Volume == nil {
		class := facts.RefTo(cluster.StorageClass, m.Class)
		return []finding.Link{
			{
				Message:  v.Say.Text(message.CauseClaimUnmade, message.Args{"claim": claim}),
				Evidence: []finding.Evidence{mounted, facts.Fact(class, "volumeBindingMode", string(*m.Class.VolumeBindingMode))},
			},
			{
				Message:  v.Say.Text(message.CauseClassZone, message.Args{"class": class, "zones": m.Zones}),
				Evidence: []finding.Evidence{facts.Fact(class, m.Field, m.Value)},
			},
		}
	}
	volume := facts.RefTo(cluster.PersistentVolume, m.Volume)
	evidence := []finding.Evidence{facts.Fact(volume, m.Field, m.Value)}
	if csi := m.Volume.Spec.CSI; csi != nil {
		evidence = append(evidence, facts.Fact(volume, "spec.csi", csi.Driver+" "+csi.VolumeHandle))
	}
	return []finding.Link{
		{
			Message:  v.Say.Text(message.CauseClaim, message.Args{"claim": claim, "volume": volume}),
			Evidence: []finding.Evidence{mounted, facts.Fact(claim, "spec.volumeName", m.Volume.Name)},
		},
		{Message: v.Say.Text(message.CauseVolumeZone, message.Args{"zones": m.Zones}), Evidence: evidence},
	}
}

// placed names each mount's claim, with the zones of its volume.
func placed(mounts []facts.Mount) []string {
	var names []string
	for _, m := range mounts {
		claim := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)
		names = append(names, claim.String()+" ("+strings.Join(m.Zones, ", ")+")")
	}
	return names
}
