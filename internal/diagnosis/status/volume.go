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
)

// volume says what state a PersistentVolume is in, where it lives, where it is attached, and who uses it.
func (s *Status) volume(volume *corev1.PersistentVolume) {
	args := message.Args{"volume": s.ref, "claim": "", "policy": string(volume.Spec.PersistentVolumeReclaimPolicy), "why": volume.Status.Message}
	var claim *corev1.PersistentVolumeClaim
	if ref := volume.Spec.ClaimRef; ref != nil {
		args["claim"] = change.Ref{Kind: string(cluster.PersistentVolumeClaim), Namespace: ref.Namespace, Name: ref.Name}
		args["namespace"] = ref.Namespace
		if c := s.World.Claim(ref.Namespace, ref.Name); c != nil && c.UID == ref.UID {
			claim = c
		}
	}
	phase := facts.Evidence(s.ref, "status.phase", string(volume.Status.Phase))
	switch {
	case volume.DeletionTimestamp != nil:
		args["finalizers"], args["bound"] = volume.Finalizers, claim != nil && slices.Contains(volume.Finalizers, pvProtection)
		s.set("Terminating", finding.Warning, message.VolumeLeaving, args)
		s.explainFinalizers(volume, message.VolumeProtected, pvProtection)
	case volume.Status.Phase == corev1.VolumeReleased:
		s.set("Released", finding.Info, message.VolumeReleased, args)
		s.addCause(message.VolumeKeeps, args, phase, facts.Evidence(s.ref, "spec.persistentVolumeReclaimPolicy", args["policy"].(string)), facts.Evidence(s.ref, "spec.claimRef", heldBy(volume)))
		s.explainDeleteFailure(volume, args)
	case volume.Status.Phase == corev1.VolumeFailed:
		s.set("Failed", finding.Critical, message.VolumeFailed, args)
		s.addCause(message.VolumeFailed, args, facts.Evidence(s.ref, "status.message", volume.Status.Message))
		s.explainDeleteFailure(volume, args)
	case volume.Status.Phase == corev1.VolumeAvailable:
		s.set("Available", "", message.VolumeFree, args)
	default:
		s.set(string(volume.Status.Phase), "", message.VolumeBound, args)
	}
	s.explainVolumeZones(volume)
	s.volumeAttachments(volume)
	if claim != nil {
		if users := s.World.PodsUsing(claim.Namespace, claim.Name); len(users) > 0 {
			s.addCause(message.VolumeUsed, message.Args{"claim": args["claim"], "pods": s.Enumerate(facts.PodRefs(users))}, facts.Evidence(args["claim"].(change.Ref), "spec.volumeName", volume.Name))
		} else {
			s.addCause(message.VolumeUnused, args, facts.Evidence(args["claim"].(change.Ref), "spec.volumeName", volume.Name))
		}
	}
}

// heldBy is the claim that a volume is held for, as the volume says.
func heldBy(volume *corev1.PersistentVolume) string {
	if ref := volume.Spec.ClaimRef; ref != nil {
		return ref.Namespace + "/" + ref.Name
	}
	return ""
}

// explainDeleteFailure is the event of a volume that could not be deleted.
func (s *Status) explainDeleteFailure(volume *corev1.PersistentVolume, args message.Args) {
	if failed := s.Events(volume, "VolumeFailedDelete"); len(failed) > 0 {
		args["why"] = failed[0].Message
		s.addCause(message.VolumeDeleteFails, args, query.EventEvidence(failed[0]))
	}
}

// explainVolumeZones says to which zones the volume is tied.
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
		s.addCause(message.VolumeLives, message.Args{"zones": m.Zones, "n": nodes}, facts.Evidence(s.ref, m.Field, m.Value))
	case facts.ScopeNodes:
		s.addCause(message.VolumeTied, nil, facts.Evidence(s.ref, "spec.nodeAffinity", facts.FormatSelector(m.Selectors[0])))
	}
}

// volumeAttachments says to which nodes the volume is attached, or on its way.
func (s *Status) volumeAttachments(volume *corev1.PersistentVolume) {
	for _, a := range s.World.Attachments(volume.Name) {
		ref, args := facts.RefTo(cluster.VolumeAttachment, a), message.Args{"node": facts.NodeRef(a.Spec.NodeName), "attachment": facts.RefTo(cluster.VolumeAttachment, a), "why": ""}
		evidence := []finding.Evidence{facts.EvidenceSince(ref, "status.attached", strconv.FormatBool(a.Status.Attached), a.CreationTimestamp)}
		id := message.VolumeAttaching
		if a.Status.Attached {
			id = message.VolumeAttached
		}
		if a.DeletionTimestamp != nil {
			id = message.VolumeDetaching
		}
		if e := a.Status.AttachError; e != nil {
			args["why"] = e.Message
			evidence = append(evidence, facts.EvidenceSince(ref, "status.attachError", e.Message, e.Time))
		}
		if e := a.Status.DetachError; e != nil {
			args["why"] = e.Message
			evidence = append(evidence, facts.EvidenceSince(ref, "status.detachError", e.Message, e.Time))
		}
		s.addCause(id, args, evidence...)
	}
	s.AddUnknownKinds(cluster.VolumeAttachment)
}
