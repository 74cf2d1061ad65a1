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
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// describeZoneConflict is the finding about a conflict.
func describeZoneConflict(ctx context.Context, q query.Query, s zoneConflict, all []facts.Mount) finding.Finding {
	f := finding.Finding{Code: finding.N101, Severity: finding.Critical, Subjects: []change.Ref{facts.RefTo(cluster.Pod, s.pod)}}
	f.Causes = append(f.Causes, schedulerLink(s.pod))
	for _, m := range s.mounts {
		f.Subjects = append(f.Subjects, mountRefs(m)...)
		f.Causes = append(f.Causes, mountLinks(m, s.pod)...)
	}
	f.RuledOut = ruledOut(q, s, all)
	if s.disjoint {
		f.Message = sentence.StrandedApart(facts.RefTo(cluster.Pod, s.pod), message.ListOf(claimsWithZones(s.mounts)))
		f.Causes = append(f.Causes, finding.Link{Message: sentence.CauseApart()})
		return f
	}
	f.Message = zoneConflictMessage(s)
	f.Causes = append(f.Causes, nodesLink(q, s))
	if link, ok := otherObstaclesLink(q, s); ok {
		f.Causes = append(f.Causes, link)
	}
	if s.groups.Known {
		f.Causes = append(f.Causes, groupsLink(q, s.pod, s.zones(), s.groups))
	}
	for _, group := range s.groups.Suitable[:min(len(s.groups.Suitable), query.MaxRemedies)] {
		f.Causes = append(f.Causes, q.SizesLinks(group.Group, group.Zone)...)
	}
	f.Causes = append(f.Causes, query.AutoscalerLinks(q, s.pod)...)
	if said := query.AutoscalerSummary(q, s.pod); !said.IsZero() {
		f.Message = sentence.UnplacedAlso(f.Message, said)
	}
	f.Remedies = append(q.AutoscalerRemedies(s.pod, s.groups), q.Verify(ctx, proposeZoneRemedies(q, s), s.pod)...)
	f.Unknown = append(optionalKindGaps(q), groupGaps(q, s)...)
	return f
}

// optionalKindGaps are kinds that are not known and would have added details.
func optionalKindGaps(q query.Query) []finding.Gap {
	var gaps []finding.Gap
	for _, kind := range []cluster.Kind{cluster.VolumeAttachment, cluster.CSINode, cluster.Event} {
		gaps = append(gaps, q.Gap(finding.N101, kind)...)
	}
	return gaps
}

func zoneConflictMessage(s zoneConflict) message.Sentence {
	claims, made := message.List{}, false
	for _, m := range s.mounts {
		claims = append(claims, facts.RefTo(cluster.PersistentVolumeClaim, m.Claim))
		made = made || m.Volume != nil
	}
	pod, zones, why := facts.RefTo(cluster.Pod, s.pod), message.ListOf(s.zones()), query.CountObstacles(s.nodes).Sentences()
	switch {
	case !made:
		return sentence.StrandedUnmade(pod, claims, zones, why)
	case len(s.nodes) == 0:
		return sentence.StrandedNoNode(pod, claims, zones)
	default:
		return sentence.StrandedUnusable(pod, claims, zones, why)
	}
}

// schedulerLink is the symptom, as the scheduler reports it.
func schedulerLink(pod *corev1.Pod) finding.Link {
	link := finding.Link{Message: sentence.CauseUnscheduled()}
	if c := kube.PodCondition(pod, corev1.PodScheduled); c != nil {
		link.Evidence = append(link.Evidence, facts.EvidenceSince(facts.RefTo(cluster.Pod, pod), "status.conditions[PodScheduled]", c.Message, c.LastTransitionTime))
	}
	return link
}

// mountRefs are the claim, its volume if it has one, and the zones.
func mountRefs(m facts.Mount) []change.Ref {
	refs := []change.Ref{facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)}
	if m.Volume != nil {
		refs = append(refs, facts.RefTo(cluster.PersistentVolume, m.Volume))
	}
	return refs
}

// mountLinks are the links from the pod's mount to the zone.
func mountLinks(m facts.Mount, pod *corev1.Pod) []finding.Link {
	claim := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)
	mounted := facts.MountEvidence(pod, m.Source)
	if m.Volume == nil {
		class := facts.RefTo(cluster.StorageClass, m.Class)
		return []finding.Link{
			{
				Message:  sentence.CauseClaimUnmade(claim),
				Evidence: []finding.Evidence{mounted, facts.Evidence(class, "volumeBindingMode", string(*m.Class.VolumeBindingMode))},
			},
			{
				Message:  sentence.CauseClassZone(class, message.ListOf(m.Zones)),
				Evidence: []finding.Evidence{facts.Evidence(class, m.Field, m.Value)},
			},
		}
	}
	volume := facts.RefTo(cluster.PersistentVolume, m.Volume)
	evidence := []finding.Evidence{facts.Evidence(volume, m.Field, m.Value)}
	if csi := m.Volume.Spec.CSI; csi != nil {
		evidence = append(evidence, facts.Evidence(volume, "spec.csi", csi.Driver+" "+csi.VolumeHandle))
	}
	return []finding.Link{
		{
			Message:  sentence.CauseClaim(claim, volume),
			Evidence: []finding.Evidence{mounted, facts.Evidence(claim, "spec.volumeName", m.Volume.Name)},
		},
		{Message: sentence.CauseVolumeZone(message.ListOf(m.Zones)), Evidence: evidence},
	}
}

// claimsWithZones names each mount's claim, with the zones of its volume.
func claimsWithZones(mounts []facts.Mount) []string {
	var names []string
	for _, m := range mounts {
		claim := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)
		names = append(names, claim.String()+" ("+strings.Join(m.Zones, ", ")+")")
	}
	return names
}
