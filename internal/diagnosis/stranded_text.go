package diagnosis

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// mostListed bounds what one sentence or link enumerates.
const mostListed = 5

// describeStranded puts a stranded pod into words.
func (v View) describeStranded(ctx context.Context, s stranded, all []mount) finding.Finding {
	f := finding.Finding{Code: finding.N101, Severity: finding.Critical, Subjects: []change.Ref{refTo(cluster.Pod, s.pod)}}
	f.Causes = append(f.Causes, unscheduled(v, s.pod))
	for _, m := range s.mounts {
		f.Subjects = append(f.Subjects, m.refs()...)
		f.Causes = append(f.Causes, m.links(v, s.pod)...)
	}
	f.RuledOut = ruledOut(v, s, all)
	if s.apart {
		f.Message = v.Say.Text(message.StrandedApart, message.Args{"pod": refTo(cluster.Pod, s.pod), "claims": placed(s.mounts)})
		f.Causes = append(f.Causes, finding.Link{Message: v.Say.Text(message.CauseApart, nil)})
		return f
	}
	f.Message = strandedMessage(v, s)
	f.Causes = append(f.Causes, nodesLink(v, s))
	if s.groups.asked {
		f.Causes = append(f.Causes, groupsLink(v, s.pod, s.zones(), s.groups))
	}
	if link, ok := autoscalerLink(v, s.pod); ok {
		f.Causes = append(f.Causes, link)
	}
	f.Remedies = v.proven(ctx, strandedWays(v, s), s.pod)
	f.Unknown = append(extraGaps(v), groupGaps(v, s)...)
	return f
}

// extraGaps are kinds that would only have added to the finding.
func extraGaps(v View) []finding.Gap {
	var gaps []finding.Gap
	for _, kind := range []cluster.Kind{cluster.VolumeAttachment, cluster.CSINode, cluster.Event} {
		gaps = append(gaps, v.gap(finding.N101, kind)...)
	}
	return gaps
}

func strandedMessage(v View, s stranded) string {
	claims, made := []string{}, false
	for _, m := range s.mounts {
		claims = append(claims, refTo(cluster.PersistentVolumeClaim, m.claim).String())
		made = made || m.volume != nil
	}
	id := message.StrandedUnusable
	switch {
	case !made:
		id = message.StrandedUnmade
	case len(s.nodes) == 0:
		id = message.StrandedNoNode
	}
	return v.Say.Text(id, message.Args{
		"pod": refTo(cluster.Pod, s.pod), "claims": claims, "zones": s.zones(), "why": tallyOf(s.nodes).said(v.Say),
	})
}

// unscheduled is the symptom, in the scheduler's words.
func unscheduled(v View, pod *corev1.Pod) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CauseUnscheduled, nil)}
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
func (m mount) links(v View, pod *corev1.Pod) []finding.Link {
	claim := refTo(cluster.PersistentVolumeClaim, m.claim)
	mounted := fact(refTo(cluster.Pod, pod), "spec.volumes["+m.source+"]", m.claim.Name)
	if m.volume == nil {
		class := refTo(cluster.StorageClass, m.class)
		return []finding.Link{
			{
				Message:  v.Say.Text(message.CauseClaimUnmade, message.Args{"claim": claim}),
				Evidence: []finding.Evidence{mounted, fact(class, "volumeBindingMode", string(*m.class.VolumeBindingMode))},
			},
			{
				Message:  v.Say.Text(message.CauseClassZone, message.Args{"class": class, "zones": m.zones}),
				Evidence: []finding.Evidence{fact(class, m.field, m.value)},
			},
		}
	}
	volume := refTo(cluster.PersistentVolume, m.volume)
	evidence := []finding.Evidence{fact(volume, m.field, m.value)}
	if csi := m.volume.Spec.CSI; csi != nil {
		evidence = append(evidence, fact(volume, "spec.csi", csi.Driver+" "+csi.VolumeHandle))
	}
	return []finding.Link{
		{
			Message:  v.Say.Text(message.CauseClaim, message.Args{"claim": claim, "volume": volume}),
			Evidence: []finding.Evidence{mounted, fact(claim, "spec.volumeName", m.volume.Name)},
		},
		{Message: v.Say.Text(message.CauseVolumeZone, message.Args{"zones": m.zones}), Evidence: evidence},
	}
}

// placed names each mount's claim, with the zones of its volume.
func placed(mounts []mount) []string {
	var names []string
	for _, m := range mounts {
		claim := refTo(cluster.PersistentVolumeClaim, m.claim)
		names = append(names, claim.String()+" ("+strings.Join(m.zones, ", ")+")")
	}
	return names
}
