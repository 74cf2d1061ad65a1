package status

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// volume explains the state of a PersistentVolume: its topology, its attachments, and the pods that use it.
func (s *Status) volume(volume *corev1.PersistentVolume) {
	policy := string(volume.Spec.PersistentVolumeReclaimPolicy)
	var claimRef change.Ref
	var claim *corev1.PersistentVolumeClaim
	if ref := volume.Spec.ClaimRef; ref != nil {
		claimRef = change.Ref{Kind: string(cluster.PersistentVolumeClaim), Namespace: ref.Namespace, Name: ref.Name}
		if c := s.World.Claim(ref.Namespace, ref.Name); c != nil && c.UID == ref.UID {
			claim = c
		}
	}
	phase := facts.Evidence(s.ref, "status.phase", string(volume.Status.Phase))
	switch {
	case volume.DeletionTimestamp != nil:
		bound := claim != nil && slices.Contains(volume.Finalizers, pvProtection)
		s.set("Terminating", finding.Warning, sentence.VolumeLeaving(s.ref, bound, claimRef, message.ListOf(volume.Finalizers)))
		s.explainFinalizers(volume, sentence.VolumeProtected(), pvProtection)
	case volume.Status.Phase == corev1.VolumeReleased:
		s.set("Released", finding.Info, sentence.VolumeReleased(s.ref, claimRef))
		s.addCause(sentence.VolumeKeeps(policy), phase, facts.Evidence(s.ref, "spec.persistentVolumeReclaimPolicy", policy), facts.Evidence(s.ref, "spec.claimRef", heldBy(volume)))
		s.explainDeleteFailure(volume)
	case volume.Status.Phase == corev1.VolumeFailed:
		s.set("Failed", finding.Critical, sentence.VolumeFailed(s.ref, volume.Status.Message))
		s.addCause(sentence.VolumeFailed(s.ref, volume.Status.Message), facts.Evidence(s.ref, "status.message", volume.Status.Message))
		s.explainDeleteFailure(volume)
	case volume.Status.Phase == corev1.VolumeAvailable:
		s.set("Available", "", sentence.VolumeFree(s.ref))
	default:
		s.set(string(volume.Status.Phase), "", sentence.VolumeBound(s.ref, claimRef))
	}
	s.explainVolumeZones(volume)
	s.volumeAttachments(volume)
	if claim != nil {
		if users := s.World.PodsUsing(claim.Namespace, claim.Name); len(users) > 0 {
			s.addCause(sentence.VolumeUsed(s.Enumerate(facts.PodRefs(users)), claimRef), facts.Evidence(claimRef, "spec.volumeName", volume.Name))
		} else {
			s.addCause(sentence.VolumeUnused(claimRef), facts.Evidence(claimRef, "spec.volumeName", volume.Name))
		}
	}
}

// heldBy is the claim in the volume's claimRef.
func heldBy(volume *corev1.PersistentVolume) string {
	if ref := volume.Spec.ClaimRef; ref != nil {
		return ref.Namespace + "/" + ref.Name
	}
	return ""
}

// explainDeleteFailure adds the Event of a volume that could not be deleted.
func (s *Status) explainDeleteFailure(volume *corev1.PersistentVolume) {
	if failed := s.Events(volume, "VolumeFailedDelete"); len(failed) > 0 {
		s.addCause(sentence.VolumeDeleteFails(failed[0].Message), query.EventEvidence(failed[0]))
	}
}

// explainVolumeZones names the zones in which the volume can be used.
func (s *Status) explainVolumeZones(volume *corev1.PersistentVolume) {
	m := facts.Mount{Claim: &corev1.PersistentVolumeClaim{}}
	m.Claim.Spec.VolumeName = volume.Name
	m.Resolve(s.World)
	switch m.Scope {
	case facts.ScopeZone:
		nodes := 0
		for _, node := range s.World.Nodes() {
			if m.Allows(node) {
				nodes++
			}
		}
		s.addCause(sentence.VolumeLives(message.ListOf(m.Zones), nodes), facts.Evidence(s.ref, m.Field, m.Value))
	case facts.ScopeNodes:
		s.addCause(sentence.VolumeTied(), facts.Evidence(s.ref, "spec.nodeAffinity", facts.FormatSelector(m.Selectors[0])))
	}
}

// volumeAttachments names the nodes that the volume is attached to, or being attached to.
func (s *Status) volumeAttachments(volume *corev1.PersistentVolume) {
	for _, a := range s.World.Attachments(volume.Name) {
		ref, node, why := facts.RefTo(cluster.VolumeAttachment, a), facts.NodeRef(a.Spec.NodeName), ""
		evidence := []finding.Evidence{facts.EvidenceSince(ref, "status.attached", strconv.FormatBool(a.Status.Attached), a.CreationTimestamp)}
		if e := a.Status.AttachError; e != nil {
			why = e.Message
			evidence = append(evidence, facts.EvidenceSince(ref, "status.attachError", e.Message, e.Time))
		}
		if e := a.Status.DetachError; e != nil {
			why = e.Message
			evidence = append(evidence, facts.EvidenceSince(ref, "status.detachError", e.Message, e.Time))
		}
		switch {
		case a.DeletionTimestamp != nil:
			s.addCause(sentence.VolumeDetaching(node, why), evidence...)
		case a.Status.Attached:
			s.addCause(sentence.VolumeAttached(node), evidence...)
		default:
			s.addCause(sentence.VolumeAttaching(node, why), evidence...)
		}
	}
	s.AddUnknownKinds(cluster.VolumeAttachment)
}
