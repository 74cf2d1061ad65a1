package rules

import (
	"context"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// StuckAttachment finds N104: a VolumeAttachment that is not removed, and why deleting it does not help.
type StuckAttachment struct{}

var _ query.Rule = StuckAttachment{}

// Codes of StuckAttachment.
func (StuckAttachment) Codes() []finding.Code { return []finding.Code{finding.N104} }

// RequiredKinds of StuckAttachment.
func (StuckAttachment) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.VolumeAttachment, cluster.Node, cluster.PersistentVolume, cluster.PersistentVolumeClaim}
}

// Applies to everything but pods that wait for a node, since attaching comes after that, and pods without a claim.
func (StuckAttachment) Applies(q query.Query) bool {
	pod := q.Pod()
	return query.BeyondScheduling(q) && (pod == nil || facts.MountsClaim(pod))
}

// detachTime is how long a detachment may take before it counts as stuck; clouds detach within seconds.
const detachTime = time.Minute

// Find examines each attachment.
func (rule StuckAttachment) Find(_ context.Context, q query.Query) []finding.Finding {
	if !q.Known(rule.RequiredKinds()...) {
		return nil
	}
	var found []finding.Finding
	for _, a := range q.World.VolumeAttachments() {
		if s, ok := readAttachment(q.World, a); ok {
			found = append(found, s.describe(q))
		}
	}
	return q.AboutSubject(found)
}

// stuckAttachment is an attachment with what keeps it and the pods that wait for it.
type stuckAttachment struct {
	*storagev1.VolumeAttachment
	volume *corev1.PersistentVolume
	// there are the pods that still count as using the volume on the attachment's node.
	there []change.Ref
	// waiting are pods that have a node and cannot start; unplaced pods have none, so that they do not wait for the
	// attachment.
	waiting, unplaced []change.Ref
}

func readAttachment(world *cluster.Snapshot, a *storagev1.VolumeAttachment) (stuckAttachment, bool) {
	s := stuckAttachment{VolumeAttachment: a}
	if name := a.Spec.Source.PersistentVolumeName; name != nil {
		s.volume = world.Volume(*name)
	}
	if s.volume == nil || s.volume.Spec.ClaimRef == nil {
		return s, false
	}
	claim := s.volume.Spec.ClaimRef
	for _, pod := range world.PodsUsing(claim.Namespace, claim.Name) {
		switch {
		case pod.Spec.NodeName == a.Spec.NodeName && !cluster.Ended(pod):
			s.there = append(s.there, facts.RefTo(cluster.Pod, pod))
		case !facts.IsActive(pod) || pod.Status.Phase != corev1.PodPending:
		case pod.Spec.NodeName == "":
			s.unplaced = append(s.unplaced, facts.RefTo(cluster.Pod, pod))
		default:
			s.waiting = append(s.waiting, facts.RefTo(cluster.Pod, pod))
		}
	}
	going := a.DeletionTimestamp != nil && world.Taken().Sub(a.DeletionTimestamp.Time) > detachTime
	lost := query.NodeUnavailable(world, a.Spec.NodeName)
	idle := len(s.there) == 0 || len(s.waiting)+len(s.unplaced) > 0
	return s, going || lost && idle
}

func (s stuckAttachment) describe(q query.Query) finding.Finding {
	node := change.Ref{Kind: string(cluster.Node), Name: s.Spec.NodeName}
	claim := change.Ref{Kind: string(cluster.PersistentVolumeClaim), Namespace: s.volume.Spec.ClaimRef.Namespace, Name: s.volume.Spec.ClaimRef.Name}
	ref := facts.RefTo(cluster.VolumeAttachment, s)
	gone, up := q.World.Node(node.Name) == nil, !query.NodeUnavailable(q.World, node.Name)
	f := finding.Finding{Code: finding.N104, Severity: finding.Warning, Subjects: []change.Ref{ref, facts.RefTo(cluster.PersistentVolume, s.volume), claim, node}}
	if len(s.waiting) > 0 {
		f.Severity = finding.Critical
	}
	f.Subjects = append(append(append(f.Subjects, s.waiting...), s.unplaced...), s.there...)
	f.Message = sentence.AttachmentStuck(ref, claim, node, gone, up, q.Enumerate(s.waiting))
	f.Causes = append(f.Causes, s.tieLink(node), s.nodeLink(q, node))
	if len(s.there) > 0 {
		f.Causes = append(f.Causes, s.usedLink(q))
	}
	f.Causes = append(f.Causes, s.returnsLink(), finding.Link{Message: sentence.CauseForceDetach(up, node, gone)})
	if len(s.unplaced) > 0 {
		f.RuledOut = append(f.RuledOut, finding.Link{
			Message:  sentence.NotWaitingForAttachment(q.Enumerate(s.unplaced)),
			Evidence: []finding.Evidence{facts.Evidence(s.unplaced[0], "spec.nodeName", "")},
		})
	}
	if there := q.World.Node(node.Name); there != nil && !kube.IsNodeReady(there) {
		f.Remedies = proposeOutOfService(there)
		f.Unknown = append(f.Unknown, finding.Gap{About: node.String(), Message: sentence.UnknownMachine(node)})
	}
	f.Unknown = append(f.Unknown, finding.Gap{About: "kube-controller-manager", Message: sentence.UnknownDetachSince()})
	return f
}

func (s stuckAttachment) tieLink(node change.Ref) finding.Link {
	ref := facts.RefTo(cluster.VolumeAttachment, s)
	link := finding.Link{Message: sentence.CauseAttached(facts.RefTo(cluster.PersistentVolume, s.volume), node), Evidence: []finding.Evidence{
		facts.EvidenceSince(ref, "spec.nodeName", s.Spec.NodeName, s.CreationTimestamp),
		facts.Evidence(ref, "status.attached", strconv.FormatBool(s.Status.Attached)),
	}}
	if s.DeletionTimestamp != nil {
		link.Evidence = append(link.Evidence, facts.EvidenceSince(ref, "metadata.deletionTimestamp", s.DeletionTimestamp.UTC().Format(time.RFC3339), *s.DeletionTimestamp))
	}
	if e := s.Status.DetachError; e != nil && e.Message != "" {
		link.Evidence = append(link.Evidence, facts.EvidenceSince(ref, "status.detachError.message", e.Message, e.Time))
	}
	return link
}

func (s stuckAttachment) nodeLink(q query.Query, ref change.Ref) finding.Link {
	node := q.World.Node(s.Spec.NodeName)
	if node == nil {
		return finding.Link{Message: sentence.CauseNodeGone(ref)}
	}
	ready, _ := facts.Readiness(node)
	said := sentence.CauseNodeUp(ref)
	if ready.Status != corev1.ConditionTrue {
		said = sentence.CauseNodeSilent(ref)
	}
	return finding.Link{Message: said, Evidence: []finding.Evidence{
		facts.EvidenceSince(ref, "status.conditions[Ready]", strings.TrimSpace(string(ready.Status)+" "+ready.Reason), ready.LastTransitionTime),
	}}
}

func (s stuckAttachment) usedLink(q query.Query) finding.Link {
	link := finding.Link{Message: sentence.CauseStillUsed(q.Enumerate(s.there), len(s.there))}
	for _, ref := range s.there[:min(len(s.there), query.MaxListed)] {
		link.Evidence = append(link.Evidence, facts.Evidence(ref, "spec.nodeName", s.Spec.NodeName))
	}
	return link
}

// returnsLink explains why deleting the object does not detach the volume: the CSI attacher's finalizer keeps it until
// the driver has detached the volume, and the controller recreates it as long as the volume counts as attached.
//
// Sources: kubernetes-csi/external-attacher, pkg/controller/csi_handler.go; pkg/volume/csi/csi_attacher.go.
func (s stuckAttachment) returnsLink() finding.Link {
	link := finding.Link{Message: sentence.CauseAttachmentReturns(facts.RefTo(cluster.VolumeAttachment, s))}
	if len(s.Finalizers) > 0 {
		link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.VolumeAttachment, s), "metadata.finalizers", strings.Join(s.Finalizers, ", ")))
	}
	return link
}
