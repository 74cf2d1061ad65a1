package status

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestVolumeMismatch begins with a volume that suits the claim, and changes one thing about either.
func TestVolumeMismatch(t *testing.T) {
	block := corev1.PersistentVolumeBlock
	for name, tc := range map[string]struct {
		edit func(*corev1.PersistentVolumeClaim, *corev1.PersistentVolume)
		want string
	}{
		"it suits": {func(*corev1.PersistentVolumeClaim, *corev1.PersistentVolume) {}, ""},
		"it is larger": {func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.Capacity[corev1.ResourceStorage] = resource.MustParse("1Ti")
		}, ""},
		"1Gi is more than 1G": {func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.Capacity[corev1.ResourceStorage] = resource.MustParse("1G")
		}, "spec.capacity.storage"},
		"it has more modes": {func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.AccessModes = append(v.Spec.AccessModes, corev1.ReadWriteMany)
		}, ""},
		"it lacks one of the modes": {func(c *corev1.PersistentVolumeClaim, _ *corev1.PersistentVolume) {
			c.Spec.AccessModes = append(c.Spec.AccessModes, corev1.ReadWriteMany)
		}, "spec.accessModes"},
		"another class":                   {func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) { v.Spec.StorageClassName = "slow" }, "spec.storageClassName"},
		"no class is not the empty claim": {func(c *corev1.PersistentVolumeClaim, _ *corev1.PersistentVolume) { c.Spec.StorageClassName = new("") }, "spec.storageClassName"},
		"a block device":                  {func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) { v.Spec.VolumeMode = &block }, "spec.volumeMode"},
		"it was released": {func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Status.Phase = corev1.VolumeReleased
		}, "status.phase"},
		"held for another claim": {func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "shop", Name: "other"}
		}, "spec.claimRef"},
		"held for this one by name": {func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "shop", Name: "data"}
		}, ""},
		"held for an earlier of the name": {func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "shop", Name: "data", UID: "earlier"}
		}, "spec.claimRef"},
		"the selector does not match": {func(c *corev1.PersistentVolumeClaim, _ *corev1.PersistentVolume) {
			c.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "a"}}
		}, "metadata.labels"},
		"an empty selector is every one": {func(c *corev1.PersistentVolumeClaim, _ *corev1.PersistentVolume) {
			c.Spec.Selector = &metav1.LabelSelector{}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			claim := &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "data", UID: "data"},
				Spec: corev1.PersistentVolumeClaimSpec{
					StorageClassName: new("fast"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
				},
			}
			volume := &corev1.PersistentVolume{
				ObjectMeta: metav1.ObjectMeta{Name: "v"},
				Spec: corev1.PersistentVolumeSpec{
					StorageClassName: "fast", AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				},
				Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
			}
			tc.edit(claim, volume)
			field, has, wants := volumeMismatch(claim, volume)
			if field != tc.want {
				t.Errorf("got %q (has %q, wants %q), want %q", field, has, wants, tc.want)
			}
		})
	}
}
