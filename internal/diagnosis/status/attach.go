package status

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// volumesNotReady explains why the volumes of a bound pod are not ready: each must exist, be attached to the node, and
// be mounted, in this order. It reports whether one of them keeps the pod from starting.
func (s *Status) volumesNotReady(pod *corev1.Pod) bool {
	held := false
	for _, source := range pod.Spec.Volumes {
		if name := cluster.ClaimName(pod, &source); name != "" && s.Known(cluster.PersistentVolumeClaim) && s.World.Claim(pod.Namespace, name) == nil {
			claim := change.Ref{Kind: string(cluster.PersistentVolumeClaim), Namespace: pod.Namespace, Name: name}
			s.setHeld(&held, pod, sentence.ClaimMissing(s.ref, claim), facts.MountEvidence(pod, source.Name))
		}
	}
	for _, m := range facts.Mounts(s.World, pod) {
		if s.bypassesScheduler(pod, m.Claim) {
			s.setHeld(&held, pod, s.claimBypassed(pod, m.Claim), s.bypassEvidence(pod, m.Claim, m.Class)...)
			s.addCause(s.claimBypassedWay(pod))
			s.joinLastCause()
		}
		switch {
		case m.Volume == nil || m.Volume.Spec.CSI == nil:
		case s.needsAttach(m):
			held = s.volumeNotAttached(pod, m, held) || held
		case s.driverMissing(pod, m):
			s.driverNotRegistered(&held, pod, m)
		}
	}
	if held {
		s.AddUnknownKinds(cluster.VolumeAttachment, cluster.CSINode)
		return true
	}
	if events := s.Events(pod, "FailedMount", "FailedAttachVolume", "FailedMapVolume"); len(events) > 0 {
		e := events[0]
		s.setHeld(&held, pod, sentence.MountFails(s.ref, facts.NodeRef(pod.Spec.NodeName), e.Message), query.EventEvidence(e))
		if lacks, ok := missingSource(pod, e.Message); ok {
			s.addCause(sentence.MountSourceMissing(lacks.key, lacks.Kind, lacks.Name, pod.Namespace))
			s.proposeCreate(pod, lacks)
		}
		return true
	}
	return false
}

// setHeld states what keeps a bound pod from starting; the first is the answer.
func (s *Status) setHeld(held *bool, pod *corev1.Pod, said message.Sentence, evidence ...finding.Evidence) {
	if !*held {
		s.set(PodState(pod), finding.Critical, said)
	}
	s.addCause(said, evidence...)
	*held = true
}

// needsAttach reports whether the volume's driver attaches volumes before they are mounted; most do.
func (s *Status) needsAttach(m facts.Mount) bool {
	driver := s.World.CSIDriver(m.Volume.Spec.CSI.Driver)
	return driver == nil || driver.Spec.AttachRequired == nil || *driver.Spec.AttachRequired
}

// volumeNotAttached explains a volume that is not yet attached to the pod's node. It reports whether the volume does
// not exist.
func (s *Status) volumeNotAttached(pod *corev1.Pod, m facts.Mount, held bool) bool {
	if !s.Known(cluster.VolumeAttachment) {
		return false
	}
	claim, volume := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), facts.RefTo(cluster.PersistentVolume, m.Volume)
	node, driver := facts.NodeRef(pod.Spec.NodeName), m.Volume.Spec.CSI.Driver
	attachments := s.World.Attachments(m.Volume.Name)
	here := slices.IndexFunc(attachments, func(a *storagev1.VolumeAttachment) bool { return a.Spec.NodeName == pod.Spec.NodeName })
	if here >= 0 && attachments[here].Status.Attached {
		return false
	}
	if elsewhere := attachedElsewhere(attachments, pod.Spec.NodeName); elsewhere != nil && !isMultiNode(m) {
		s.multiAttach(pod, m, elsewhere, held)
		return true
	}
	switch {
	case here < 0 && s.driverMissing(pod, m):
		s.driverNotRegistered(&held, pod, m)
	case here < 0:
		s.setHeld(&held, pod, sentence.AttachUnasked(s.ref, volume, claim, node), facts.Evidence(claim, "spec.volumeName", m.Volume.Name))
	case attachments[here].Status.AttachError != nil:
		problem := attachments[here].Status.AttachError
		said := sentence.AttachFails(s.ref, driver, volume, claim, node, problem.Message)
		if attached := s.countAttachments(pod.Spec.NodeName, driver); atAttachLimit(driver, problem.Message, attached) {
			said = sentence.AttachFull(s.ref, driver, volume, claim, node, attached, s.instanceType(pod.Spec.NodeName))
		}
		s.setHeld(&held, pod, said,
			facts.EvidenceSince(facts.RefTo(cluster.VolumeAttachment, attachments[here]), "status.attachError", problem.Message, problem.Time))
		s.reportAttachments(pod.Spec.NodeName, driver)
	default:
		a := attachments[here]
		s.setHeld(&held, pod, sentence.AttachWaits(s.ref, driver, s.age(a.CreationTimestamp), volume, claim, node),
			facts.EvidenceSince(facts.RefTo(cluster.VolumeAttachment, a), "status.attached", strconv.FormatBool(a.Status.Attached), a.CreationTimestamp))
	}
	return true
}

// multiAttach explains a volume that can be attached to one node only and is still attached to another.
func (s *Status) multiAttach(pod *corev1.Pod, m facts.Mount, elsewhere *storagev1.VolumeAttachment, held bool) {
	var users []change.Ref
	for _, other := range s.World.PodsUsing(m.Claim.Namespace, m.Claim.Name) {
		if other.Spec.NodeName == elsewhere.Spec.NodeName && !cluster.Ended(other) {
			users = append(users, facts.RefTo(cluster.Pod, other))
		}
	}
	down := s.Known(cluster.Node) && query.NodeUnavailable(s.World, elsewhere.Spec.NodeName)
	ref := facts.RefTo(cluster.VolumeAttachment, elsewhere)
	evidence := []finding.Evidence{
		facts.EvidenceSince(ref, "spec.nodeName", elsewhere.Spec.NodeName, elsewhere.CreationTimestamp),
		facts.Evidence(ref, "status.attached", strconv.FormatBool(elsewhere.Status.Attached)),
		facts.Evidence(facts.RefTo(cluster.PersistentVolume, m.Volume), "spec.accessModes", accessModes(m.Volume.Spec.AccessModes)),
	}
	if problem := elsewhere.Status.DetachError; problem != nil {
		evidence = append(evidence, facts.EvidenceSince(ref, "status.detachError", problem.Message, problem.Time))
	}
	rollout, ok := s.RolloutOf(pod)
	ok = ok && slices.ContainsFunc(rollout.Old, func(p *corev1.Pod) bool { return slices.Contains(users, facts.RefTo(cluster.Pod, p)) })
	first := ok && !held
	s.setHeld(&held, pod, sentence.AttachedElsewhere(s.ref, facts.RefTo(cluster.PersistentVolume, m.Volume), facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), facts.NodeRef(elsewhere.Spec.NodeName), s.Enumerate(users), down), evidence...)
	if !ok {
		return
	}

	s.addCause(sentence.RolloutKeepsOld(rollout.Ref, rollout.Evidence().Value, rollout.Replicas), rollout.Evidence())
	if first {
		s.set(s.State, s.Severity, sentence.RolloutHeld(rollout.Ref, len(rollout.Old), s.Summary))
	}
	for _, proposal := range s.ReplaceOldFirst(rollout) {
		s.addRemedies(proposal.Remedy) // The simulation schedules pods; it does not attach volumes.
	}
}

// attachedElsewhere returns the attachment of a volume to a node other than this; nil if there is none.
func attachedElsewhere(attachments []*storagev1.VolumeAttachment, node string) *storagev1.VolumeAttachment {
	for _, a := range attachments {
		if a.Spec.NodeName != node {
			return a
		}
	}
	return nil
}

// isMultiNode reports whether several nodes may use the volume at the same time.
func isMultiNode(m facts.Mount) bool {
	return slices.ContainsFunc(m.Volume.Spec.AccessModes, func(mode corev1.PersistentVolumeAccessMode) bool {
		return mode == corev1.ReadWriteMany || mode == corev1.ReadOnlyMany
	})
}

// driverMissing reports whether the volume's driver is known not to be registered on the pod's node.
func (s *Status) driverMissing(pod *corev1.Pod, m facts.Mount) bool {
	if !s.Known(cluster.CSINode) {
		return false
	}
	csi := s.World.CSINode(pod.Spec.NodeName)
	return csi == nil || !slices.ContainsFunc(csi.Spec.Drivers, func(d storagev1.CSINodeDriver) bool {
		return d.Name == m.Volume.Spec.CSI.Driver
	})
}

func driverNames(csi *storagev1.CSINode) string {
	if csi == nil {
		return ""
	}
	var names []string
	for _, d := range csi.Spec.Drivers {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

func accessModes(modes []corev1.PersistentVolumeAccessMode) string {
	var names []string
	for _, mode := range modes {
		names = append(names, string(mode))
	}
	return strings.Join(names, ", ")
}
