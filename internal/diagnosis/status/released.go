package status

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	volumehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// volumeReleased explains a claim whose volume, by the names of the claim or the volume, still refers to a deleted claim. It
// reports whether that is the case.
func (s *Status) volumeReleased(claim *corev1.PersistentVolumeClaim) bool {
	i := slices.IndexFunc(s.World.Volumes(), func(v *corev1.PersistentVolume) bool { return s.heldFor(claim, v) })
	if i < 0 {
		return false
	}
	volume := s.World.Volumes()[i]
	ref, holder := facts.RefTo(cluster.PersistentVolume, volume), volume.Spec.ClaimRef
	same := holder.Namespace == claim.Namespace && holder.Name == claim.Name
	holderSaid := change.Ref{Kind: string(cluster.PersistentVolumeClaim), Namespace: holder.Namespace, Name: holder.Name}
	s.set("Pending", finding.Critical, sentence.ClaimReleased(s.ref, ref, same, holderSaid))
	s.addCause(sentence.ClaimReleased(s.ref, ref, same, holderSaid), facts.Evidence(ref, "status.phase", string(volume.Status.Phase)),
		facts.Evidence(ref, "spec.claimRef.uid", string(holder.UID)), facts.Evidence(s.ref, "metadata.uid", string(claim.UID)))
	done := change.Patch{Object: ref, Patch: `{"spec":{"claimRef":null}}`}
	if same { // No other claim can be bound to the volume then.
		done.Patch = `{"spec":{"claimRef":{"uid":null,"resourceVersion":null}}}`
	}
	s.addRemedies(s.Propose(done, sentence.RemedyClearClaim(ref, same, s.ref), sentence.RemedyClearClaimCost(s.ref), sentence.RemedyClearClaimRisk()).Remedy)
	return true
}

// heldFor reports whether a volume refers to a deleted claim and would match this claim otherwise.
func (s *Status) heldFor(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) bool {
	ref := volume.Spec.ClaimRef
	if volume.Status.Phase != corev1.VolumeReleased || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain ||
		ref == nil || ref.UID == "" || ref.UID == claim.UID || volume.DeletionTimestamp != nil {
		return false
	}
	class := s.World.Class(volumehelpers.GetPersistentVolumeClaimClass(claim))
	if claim.Spec.VolumeName == "" && class != nil && class.Provisioner != noProvisioner {
		return false // A new volume is provisioned for it.
	}
	named := claim.Spec.VolumeName == volume.Name
	if !named && (claim.Spec.VolumeName != "" || ref.Namespace != claim.Namespace || ref.Name != claim.Name) {
		return false
	}
	free := volume.DeepCopy()
	free.Spec.ClaimRef, free.Status.Phase = nil, corev1.VolumeAvailable
	field, _, _ := volumeMismatch(claim, free)
	return field == ""
}

// defaultClassAnnotation is the annotation of the StorageClass that claims without one get (pkg/volume/util, storageclass.go).
const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class"

// explainDefaultClass proposes to make a class the default, most used classes first. Existing claims without a class get it, too
// (KEP-3333).
func (s *Status) explainDefaultClass() {
	used := map[string]int{}
	for _, volume := range s.World.Volumes() {
		used[volumehelpers.GetPersistentVolumeClass(volume)]++
	}
	classes := slices.DeleteFunc(slices.Clone(s.World.Classes()), func(c *storagev1.StorageClass) bool { return c.Provisioner == noProvisioner })
	if slices.ContainsFunc(classes, func(c *storagev1.StorageClass) bool { return c.Annotations[defaultClassAnnotation] == "true" }) {
		return
	}
	slices.SortStableFunc(classes, func(a, b *storagev1.StorageClass) int {
		return cmp.Or(cmp.Compare(used[b.Name], used[a.Name]), cmp.Compare(a.Name, b.Name))
	})
	for _, class := range classes[:min(len(classes), query.MaxRemedies)] {
		ref := facts.RefTo(cluster.StorageClass, class)

		done := change.Patch{Object: ref, Patch: `{"metadata":{"annotations":{"` + defaultClassAnnotation + `":"true"}}}`}
		s.addRemedies(s.Propose(done, sentence.RemedyDefaultClass(ref, class.Provisioner), sentence.RemedyDefaultClassCost(class.Provisioner), sentence.RemedyDefaultClassRisk(ref)).Remedy)
	}
}
