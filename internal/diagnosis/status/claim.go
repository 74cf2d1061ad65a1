package status

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	volumehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// noProvisioner is the provisioner of classes whose volumes are created manually.
const noProvisioner = "kubernetes.io/no-provisioner"

// claim reports whether a claim is bound, and why not.
func (s *Status) claim(ctx context.Context, claim *corev1.PersistentVolumeClaim) {
	users := s.World.PodsUsing(claim.Namespace, claim.Name)
	if claim.DeletionTimestamp != nil {
		users = slices.DeleteFunc(slices.Clone(users), func(p *corev1.Pod) bool { return p.Spec.NodeName == "" })
	}
	pods, volume := s.Enumerate(facts.PodRefs(users)), change.Ref{Kind: string(cluster.PersistentVolume), Name: claim.Spec.VolumeName}
	switch {
	case claim.DeletionTimestamp != nil:
		s.set("Terminating", finding.Warning, sentence.ClaimLeaving(s.ref, len(users), pods, message.ListOf(claim.Finalizers)))
		s.explainFinalizers(claim, sentence.ClaimProtected(), pvcProtection)
	case claim.Status.Phase == corev1.ClaimLost, claim.Status.Phase == corev1.ClaimBound && s.World.Volume(volume.Name) == nil && s.Known(cluster.PersistentVolume):
		s.set("Lost", finding.Critical, sentence.ClaimLost(s.ref, volume))
		s.addCause(sentence.ClaimLost(s.ref, volume), facts.Evidence(s.ref, "spec.volumeName", claim.Spec.VolumeName))
	case claim.Status.Phase == corev1.ClaimBound:
		s.set("Bound", "", sentence.ClaimBound(s.ref, volume, len(users), pods))
		s.addCause(sentence.ClaimUsed(volume), facts.Evidence(s.ref, "spec.volumeName", claim.Spec.VolumeName))
		s.resizing(claim)
	default:
		s.explainUnbound(ctx, claim)
	}
}

// pvcProtection protects a claim while a pod with a node uses it (pkg/controller/volume/pvcprotection,
// podUsesPVCForDeletion), pvProtection a volume while it is bound (pkg/controller/volume/pvprotection, isBeingUsed).
const (
	pvcProtection = "kubernetes.io/pvc-protection"
	pvProtection  = "kubernetes.io/pv-protection"
)

// explainFinalizers lists the finalizers that block the deletion of an object: those of Kubernetes, and others.
func (s *Status) explainFinalizers(o metav1.Object, protected message.Sentence, own string) {
	since := facts.EvidenceSince(s.ref, "metadata.deletionTimestamp", o.GetDeletionTimestamp().UTC().Format(time.RFC3339), *o.GetDeletionTimestamp())
	for _, name := range o.GetFinalizers() {
		said := sentence.FinalizerKeeps(name)
		if name == own {
			said = protected
		}
		s.addCause(said, since, facts.Evidence(s.ref, "metadata.finalizers", name))
	}
}

// resizing explains a claim whose volume is being expanded.
func (s *Status) resizing(claim *corev1.PersistentVolumeClaim) {
	for _, c := range claim.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			s.addCause(sentence.ClaimResizes(string(c.Type), c.Message),
				facts.EvidenceSince(s.ref, "status.conditions["+string(c.Type)+"]", strings.TrimSpace(c.Reason+" "+c.Message), c.LastTransitionTime))
		}
	}
}

// explainUnbound explains a claim that has no volume yet: what must happen first, and why it does not.
func (s *Status) explainUnbound(ctx context.Context, claim *corev1.PersistentVolumeClaim) {
	name := volumehelpers.GetPersistentVolumeClaimClass(claim)
	class := s.World.Class(name)
	classRef := change.Ref{Kind: string(cluster.StorageClass), Name: name}
	asked := facts.Evidence(s.ref, "spec.storageClassName", name)
	switch {
	case s.Known(cluster.PersistentVolume) && s.volumeReleased(claim):
	case claim.Spec.VolumeName != "":
		volume := change.Ref{Kind: string(cluster.PersistentVolume), Name: claim.Spec.VolumeName}
		s.set("Pending", finding.Critical, sentence.ClaimNamesVolume(s.ref, volume))
		s.addCause(sentence.ClaimNamesVolume(s.ref, volume), facts.Evidence(s.ref, "spec.volumeName", claim.Spec.VolumeName))
		s.explainMismatches(claim)
	case claim.Spec.StorageClassName == nil && name == "":
		s.set("Pending", finding.Critical, sentence.ClaimNoDefault(s.ref))
		s.addCause(sentence.ClaimNoDefault(s.ref), asked)
		s.explainMismatches(claim)
		s.explainDefaultClass()
	case name != "" && class == nil && s.Known(cluster.StorageClass):
		s.set("Pending", finding.Critical, sentence.ClaimNoClass(s.ref, classRef))
		s.addCause(sentence.ClaimNoClass(s.ref, classRef), asked)
	case name != "" && class == nil:
		s.set("Pending", finding.Critical, sentence.ClaimUntold(s.ref, classRef))
		s.AddUnknownKinds(cluster.StorageClass)
	case s.waitsForFirstConsumer(claim, class):
		s.explainFirstConsumer(ctx, claim, class)
	case class == nil || class.Provisioner == noProvisioner:
		s.set("Pending", finding.Critical, sentence.ClaimNoVolume(s.ref))
		s.addCause(sentence.ClaimByHand(), asked)
		s.explainMismatches(claim)
	default:
		s.explainProvisioning(claim, class)
	}
}

// waitsForFirstConsumer reports whether a claim gets its volume when the first pod that uses it is scheduled, and none has
// been yet.
func (s *Status) waitsForFirstConsumer(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) bool {
	return class != nil && class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer &&
		claim.Annotations[volumehelpers.AnnSelectedNode] == "" && !NoVolumeFor(s.Query, claim)
}

// explainFirstConsumer explains a claim whose volume is provisioned where its first pod is scheduled.
func (s *Status) explainFirstConsumer(ctx context.Context, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) {
	classRef, made := facts.RefTo(cluster.StorageClass, class), class.Provisioner != noProvisioner
	mode := facts.Evidence(facts.RefTo(cluster.StorageClass, class), "volumeBindingMode", string(*class.VolumeBindingMode))
	users := slices.DeleteFunc(slices.Clone(s.World.PodsUsing(claim.Namespace, claim.Name)), cluster.Ended)
	if len(users) == 0 {
		s.set("Pending", "", sentence.ClaimWaitsUnused(s.ref, classRef, made))
		s.addCause(sentence.ClaimFirstConsumer(classRef, made), mode)
		s.AddUnknownKinds(cluster.Pod)
		return
	}
	if i := slices.IndexFunc(users, func(p *corev1.Pod) bool { return s.bypassesScheduler(p, claim) }); i >= 0 {
		said := s.claimBypassed(users[i], claim)
		s.set("Pending", finding.Critical, said)
		s.addCause(said, s.bypassEvidence(users[i], claim, class)...)
		s.addCause(s.claimBypassedWay(users[i]))
		return
	}
	pod := facts.RefTo(cluster.Pod, users[0])
	s.set("Pending", finding.Critical, sentence.ClaimWaitsForPod(s.ref, pod))
	s.addCause(sentence.ClaimFirstConsumer(classRef, made), mode)
	s.addCause(sentence.PodSays(s.summaryFor(ctx, pod)),
		facts.Evidence(pod, "status.phase", string(users[0].Status.Phase)))
}

// summaryFor is the summary with another object as the subject.
func (s *Status) summaryFor(ctx context.Context, ref change.Ref) message.Sentence {
	q := s.Query
	q.PresentOnly = true
	return q.Explain(ctx, ref).Summary
}

// explainProvisioning explains a claim whose volume should have been provisioned.
func (s *Status) explainProvisioning(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) {
	evidence := []finding.Evidence{facts.Evidence(facts.RefTo(cluster.StorageClass, class), "provisioner", class.Provisioner)}
	if node := claim.Annotations[volumehelpers.AnnSelectedNode]; node != "" {
		evidence = append(evidence, facts.Evidence(s.ref, "metadata.annotations["+volumehelpers.AnnSelectedNode+"]", node))
	}
	if failed := s.Events(claim, "ProvisioningFailed"); len(failed) > 0 {
		s.set("Pending", finding.Critical, sentence.ClaimProvisionFails(s.ref, class.Provisioner, failed[0].Message))
		s.addCause(sentence.ClaimProvisionFails(s.ref, class.Provisioner, failed[0].Message), append(evidence, query.EventEvidence(failed[0]))...)
		return
	}
	s.set("Pending", finding.Critical, sentence.ClaimProvisionerSilent(s.ref, class.Provisioner, s.age(claim.CreationTimestamp)))
	for _, e := range s.Events(claim, "ExternalProvisioning", "Provisioning") {
		evidence = append(evidence, query.EventEvidence(e))
		break
	}
	s.addCause(sentence.ClaimProvisionerSilent(s.ref, class.Provisioner, s.age(claim.CreationTimestamp)), evidence...)
	if s.World.Knowledge(cluster.CSIDriver) == cluster.Complete && s.World.CSIDriver(class.Provisioner) == nil {
		s.addCause(sentence.DriverUnknown(), facts.Evidence(change.Ref{Kind: string(cluster.CSIDriver), Name: class.Provisioner}, "metadata.name", ""))
	}
	s.AddUnknownKinds(cluster.Event)
}

// NoVolumeFor reports whether a claim's class provisions no volumes and no existing volume matches it, so that it cannot be
// bound on any node.
func NoVolumeFor(q query.Query, claim *corev1.PersistentVolumeClaim) bool {
	class := q.World.Class(volumehelpers.GetPersistentVolumeClaimClass(claim))
	if class == nil || class.Provisioner != noProvisioner || claim.Spec.VolumeName != "" || !q.Known(cluster.PersistentVolume) {
		return false
	}
	return !slices.ContainsFunc(q.World.Volumes(), func(volume *corev1.PersistentVolume) bool {
		field, _, _ := volumeMismatch(claim, volume)
		return field == ""
	})
}

// maxMismatches is the maximum number of volumes that are compared with a claim.
const maxMismatches = 3

// explainMismatches explains for each available volume why it does not match the claim
// (k8s.io/component-helpers/storage/volume, FindMatchingVolume).
func (s *Status) explainMismatches(claim *corev1.PersistentVolumeClaim) {
	if !s.Known(cluster.PersistentVolume) {
		s.AddUnknownKinds(cluster.PersistentVolume)
		return
	}
	told := 0
	for _, volume := range s.World.Volumes() {
		held := volume.Status.Phase == corev1.VolumeBound || volume.Spec.ClaimRef != nil && !boundTo(volume, claim)
		if claim.Spec.VolumeName != volume.Name && (held || claim.Spec.VolumeName != "") {
			continue
		}
		if told++; told > maxMismatches {
			break
		}
		field, has, wants := volumeMismatch(claim, volume)
		if field == "" {
			continue
		}
		ref := facts.RefTo(cluster.PersistentVolume, volume)
		s.addCause(sentence.VolumeMisfit(ref, field, has, wants), facts.Evidence(ref, field, has))
	}
	if told == 0 {
		s.addCause(sentence.VolumeNoneFree(claim.Spec.VolumeName != ""))
	}
}

// volumeMismatch is the first field in which a volume does not match a claim; empty if it matches.
func volumeMismatch(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) (field, has, wants string) {
	want, size := claim.Spec.Resources.Requests[corev1.ResourceStorage], volume.Spec.Capacity[corev1.ResourceStorage]
	class := volumehelpers.GetPersistentVolumeClaimClass(claim)
	switch selector, err := metav1.LabelSelectorAsSelector(claim.Spec.Selector); {
	case volume.Spec.ClaimRef != nil && !boundTo(volume, claim):
		ref := volume.Spec.ClaimRef
		return "spec.claimRef", claimRefText(ref.Namespace, ref.Name, ref.UID), claimRefText(claim.Namespace, claim.Name, claim.UID)
	case volume.Status.Phase == corev1.VolumeReleased || volume.Status.Phase == corev1.VolumeFailed:
		return "status.phase", string(volume.Status.Phase), string(corev1.VolumeAvailable)
	case volumehelpers.GetPersistentVolumeClass(volume) != class:
		return "spec.storageClassName", volumehelpers.GetPersistentVolumeClass(volume), class
	case size.Cmp(want) < 0:
		return "spec.capacity.storage", size.String(), want.String()
	case !modesContain(volume.Spec.AccessModes, claim.Spec.AccessModes):
		return "spec.accessModes", accessModes(volume.Spec.AccessModes), accessModes(claim.Spec.AccessModes)
	case modeOf(volume.Spec.VolumeMode) != modeOf(claim.Spec.VolumeMode):
		return "spec.volumeMode", string(modeOf(volume.Spec.VolumeMode)), string(modeOf(claim.Spec.VolumeMode))
	case claim.Spec.Selector != nil && (err != nil || !selector.Matches(labels.Set(volume.Labels))):
		return "metadata.labels", labels.FormatLabels(volume.Labels), metav1.FormatLabelSelector(claim.Spec.Selector)
	default:
		return "", "", ""
	}
}

// claimRefText names the claim in a volume's claimRef. A recreated claim of the same name has another UID.
func claimRefText(namespace, name string, uid types.UID) string {
	return namespace + "/" + name + " (uid " + string(uid) + ")"
}

func modesContain(has, wants []corev1.PersistentVolumeAccessMode) bool {
	return !slices.ContainsFunc(wants, func(mode corev1.PersistentVolumeAccessMode) bool { return !slices.Contains(has, mode) })
}

func modeOf(mode *corev1.PersistentVolumeMode) corev1.PersistentVolumeMode {
	if mode == nil {
		return corev1.PersistentVolumeFilesystem
	}
	return *mode
}

// boundTo reports whether a volume's claimRef refers to a claim: by name, and by UID if it has one.
func boundTo(volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name && (ref.UID == "" || ref.UID == claim.UID)
}
