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
)

// noProvisioner is the provisioner of classes whose volumes a person makes.
const noProvisioner = "kubernetes.io/no-provisioner"

// claim says whether a claim has its volume, and why not.
func (s *Status) claim(ctx context.Context, claim *corev1.PersistentVolumeClaim) {
	users := s.World.PodsUsing(claim.Namespace, claim.Name)
	if claim.DeletionTimestamp != nil {
		users = slices.DeleteFunc(slices.Clone(users), func(p *corev1.Pod) bool { return p.Spec.NodeName == "" })
	}
	args := message.Args{"claim": s.ref, "pods": s.Some(facts.PodRefs(users)), "n": len(users), "finalizers": claim.Finalizers}
	volume := s.World.Volume(claim.Spec.VolumeName)
	args["volume"] = ""
	if claim.Spec.VolumeName != "" {
		args["volume"] = change.Ref{Kind: string(cluster.PersistentVolume), Name: claim.Spec.VolumeName}
	}
	switch {
	case claim.DeletionTimestamp != nil:
		s.is("Terminating", finding.Warning, message.ClaimLeaving, args)
		s.leaving(claim, message.ClaimProtected, pvcProtection)
	case claim.Status.Phase == corev1.ClaimLost, claim.Status.Phase == corev1.ClaimBound && volume == nil && s.Knows(cluster.PersistentVolume):
		s.is("Lost", finding.Critical, message.ClaimLost, args)
		s.because(message.ClaimLost, args, facts.Fact(s.ref, "spec.volumeName", claim.Spec.VolumeName))
	case claim.Status.Phase == corev1.ClaimBound:
		s.is("Bound", "", message.ClaimBound, args)
		s.because(message.ClaimUsed, args, facts.Fact(s.ref, "spec.volumeName", claim.Spec.VolumeName))
		s.resizing(claim)
	default:
		s.unbound(ctx, claim, args)
	}
}

// pvcProtection keeps a claim as long as a pod uses it that has a node
// (pkg/controller/volume/pvcprotection, podUsesPVCForDeletion), pvProtection a volume as long as it is bound
// (pkg/controller/volume/pvprotection, isBeingUsed).
const (
	pvcProtection = "kubernetes.io/pvc-protection"
	pvProtection  = "kubernetes.io/pv-protection"
)

// leaving says which finalizers keep an object that is being deleted: Kubernetes' own, and those of others.
func (s *Status) leaving(o metav1.Object, protected message.ID, own string) {
	since := facts.FactSince(s.ref, "metadata.deletionTimestamp", o.GetDeletionTimestamp().UTC().Format(time.RFC3339), *o.GetDeletionTimestamp())
	for _, name := range o.GetFinalizers() {
		id := message.FinalizerKeeps
		if name == own {
			id = protected
		}
		s.because(id, message.Args{"finalizer": name}, since, facts.Fact(s.ref, "metadata.finalizers", name))
	}
}

// resizing tells of a claim whose volume is being made larger.
func (s *Status) resizing(claim *corev1.PersistentVolumeClaim) {
	for _, c := range claim.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			s.because(message.ClaimResizes, message.Args{"condition": string(c.Type), "why": c.Message},
				facts.FactSince(s.ref, "status.conditions["+string(c.Type)+"]", strings.TrimSpace(c.Reason+" "+c.Message), c.LastTransitionTime))
		}
	}
}

// unbound is about a claim that has no volume yet: what must come first, and why it does not.
func (s *Status) unbound(ctx context.Context, claim *corev1.PersistentVolumeClaim, args message.Args) {
	name := volumehelpers.GetPersistentVolumeClaimClass(claim)
	class := s.World.Class(name)
	args["class"] = change.Ref{Kind: string(cluster.StorageClass), Name: name}
	asked := facts.Fact(s.ref, "spec.storageClassName", name)
	switch {
	case s.Knows(cluster.PersistentVolume) && s.released(claim):
	case claim.Spec.VolumeName != "":
		s.is("Pending", finding.Critical, message.ClaimNamesVolume, args)
		s.because(message.ClaimNamesVolume, args, facts.Fact(s.ref, "spec.volumeName", claim.Spec.VolumeName))
		s.misfits(claim, args)
	case claim.Spec.StorageClassName == nil && name == "":
		s.is("Pending", finding.Critical, message.ClaimNoDefault, args)
		s.because(message.ClaimNoDefault, args, asked)
		s.misfits(claim, args)
		s.defaultClass(args)
	case name != "" && class == nil && s.Knows(cluster.StorageClass):
		s.is("Pending", finding.Critical, message.ClaimNoClass, args)
		s.because(message.ClaimNoClass, args, asked)
	case name != "" && class == nil:
		s.is("Pending", finding.Critical, message.ClaimUntold, args)
		s.Needs(cluster.StorageClass)
	case s.waitsForFirst(claim, class):
		s.waitsForConsumer(ctx, claim, class, args)
	case class == nil || class.Provisioner == noProvisioner:
		s.is("Pending", finding.Critical, message.ClaimNoVolume, args)
		s.because(message.ClaimByHand, args, asked)
		s.misfits(claim, args)
	default:
		s.unprovisioned(claim, class, args)
	}
}

// waitsForFirst says whether a claim gets its volume once a pod that uses it is placed, which has not been yet.
func (s *Status) waitsForFirst(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) bool {
	return class != nil && class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer &&
		claim.Annotations[volumehelpers.AnnSelectedNode] == "" && !NoVolumeFor(s.View, claim)
}

// waitsForConsumer is about a claim whose volume is made where the first pod that uses it is placed.
func (s *Status) waitsForConsumer(ctx context.Context, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, args message.Args) {
	args["made"] = class.Provisioner != noProvisioner
	mode := facts.Fact(facts.RefTo(cluster.StorageClass, class), "volumeBindingMode", string(*class.VolumeBindingMode))
	users := slices.DeleteFunc(slices.Clone(s.World.PodsUsing(claim.Namespace, claim.Name)), cluster.Ended)
	if len(users) == 0 {
		s.is("Pending", "", message.ClaimWaitsUnused, args)
		s.because(message.ClaimFirstConsumer, args, mode)
		s.Needs(cluster.Pod)
		return
	}
	if i := slices.IndexFunc(users, func(p *corev1.Pod) bool { return s.bypassed(p, claim) }); i >= 0 {
		args = s.bypassArgs(users[i], claim)
		s.is("Pending", finding.Critical, message.ClaimBypassed, args)
		s.because(message.ClaimBypassed, args, s.bypassFacts(users[i], claim, class)...)
		s.because(message.ClaimBypassedWay, args)
		return
	}
	args["pod"] = facts.RefTo(cluster.Pod, users[0])
	s.is("Pending", finding.Critical, message.ClaimWaitsForPod, args)
	s.because(message.ClaimFirstConsumer, args, mode)
	s.because(message.PodSays, message.Args{"why": s.summaryOf(ctx, args["pod"].(change.Ref))},
		facts.Fact(args["pod"].(change.Ref), "status.phase", string(users[0].Status.Phase)))
}

// summaryOf is the answer in a sentence about another thing.
func (s *Status) summaryOf(ctx context.Context, ref change.Ref) string {
	v := s.View
	v.Now = true
	return v.Explain(ctx, ref).Summary
}

// unprovisioned is about a claim whose volume a provisioner should have made.
func (s *Status) unprovisioned(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, args message.Args) {
	args["provisioner"], args["age"], args["zone"] = class.Provisioner, s.age(claim.CreationTimestamp), ""
	evidence := []finding.Evidence{facts.Fact(facts.RefTo(cluster.StorageClass, class), "provisioner", class.Provisioner)}
	if node := claim.Annotations[volumehelpers.AnnSelectedNode]; node != "" {
		evidence = append(evidence, facts.Fact(s.ref, "metadata.annotations["+volumehelpers.AnnSelectedNode+"]", node))
	}
	if failed := s.Events(claim, "ProvisioningFailed"); len(failed) > 0 {
		args["why"] = failed[0].Message
		s.is("Pending", finding.Critical, message.ClaimProvisionFails, args)
		s.because(message.ClaimProvisionFails, args, append(evidence, query.EventFact(failed[0]))...)
		return
	}
	s.is("Pending", finding.Critical, message.ClaimProvisionerSilent, args)
	for _, e := range s.Events(claim, "ExternalProvisioning", "Provisioning") {
		evidence = append(evidence, query.EventFact(e))
		break
	}
	s.because(message.ClaimProvisionerSilent, args, evidence...)
	if s.World.Knowledge(cluster.CSIDriver) == cluster.Complete && s.World.CSIDriver(class.Provisioner) == nil {
		s.because(message.DriverUnknown, args, facts.Fact(change.Ref{Kind: string(cluster.CSIDriver), Name: class.Provisioner}, "metadata.name", ""))
	}
	s.Needs(cluster.Event)
}

// NoVolumeFor says whether a claim's class makes no volumes, and none of those that somebody has made suits it, so that the
// claim gets none wherever its pod may go.
func NoVolumeFor(v query.View, claim *corev1.PersistentVolumeClaim) bool {
	class := v.World.Class(volumehelpers.GetPersistentVolumeClaimClass(claim))
	if class == nil || class.Provisioner != noProvisioner || claim.Spec.VolumeName != "" || !v.Knows(cluster.PersistentVolume) {
		return false
	}
	return !slices.ContainsFunc(v.World.Volumes(), func(volume *corev1.PersistentVolume) bool {
		field, _, _ := misfit(claim, volume)
		return field == ""
	})
}

// mostMisfits bounds how many volumes are compared with a claim one by one.
const mostMisfits = 3

// misfits says of the volumes that are free why each does not do for the claim
// (k8s.io/component-helpers/storage/volume, FindMatchingVolume).
func (s *Status) misfits(claim *corev1.PersistentVolumeClaim, args message.Args) {
	if !s.Knows(cluster.PersistentVolume) {
		s.Needs(cluster.PersistentVolume)
		return
	}
	told := 0
	for _, volume := range s.World.Volumes() {
		held := volume.Status.Phase == corev1.VolumeBound || volume.Spec.ClaimRef != nil && !claims(volume, claim)
		if claim.Spec.VolumeName != volume.Name && (held || claim.Spec.VolumeName != "") {
			continue
		}
		if told++; told > mostMisfits {
			break
		}
		field, has, wants := misfit(claim, volume)
		if field == "" {
			continue
		}
		ref := facts.RefTo(cluster.PersistentVolume, volume)
		s.because(message.VolumeMisfit, message.Args{"volume": ref, "field": field, "has": has, "wants": wants}, facts.Fact(ref, field, has))
	}
	if told == 0 {
		s.because(message.VolumeNoneFree, args)
	}
}

// misfit is the first field in which a volume does not do for a claim, empty if it does.
func misfit(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) (field, has, wants string) {
	want, size := claim.Spec.Resources.Requests[corev1.ResourceStorage], volume.Spec.Capacity[corev1.ResourceStorage]
	class := volumehelpers.GetPersistentVolumeClaimClass(claim)
	switch selector, err := metav1.LabelSelectorAsSelector(claim.Spec.Selector); {
	case volume.Spec.ClaimRef != nil && !claims(volume, claim):
		ref := volume.Spec.ClaimRef
		return "spec.claimRef", heldFor(ref.Namespace, ref.Name, ref.UID), heldFor(claim.Namespace, claim.Name, claim.UID)
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

// heldFor names a claim that a volume may be held for: one of the same name that was made anew is another.
func heldFor(namespace, name string, uid types.UID) string {
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

// claims says whether a volume is held for a claim, this very one or one of its name yet to come.
func claims(volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name && (ref.UID == "" || ref.UID == claim.UID)
}
