package fast

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// volumeKeys are the labels of a node that tell whether a pod reaches its volumes from there, which VolumeBinding is then
// asked once for all nodes with the same values. That is so if every claim has its volume, and that volume names no host
// and has no older form whose meaning depends on the node (checkBoundClaims in
// pkg/scheduler/framework/plugins/volumebinding/binder.go); else it is false.
func volumeKeys(s *store.Objects, pod *corev1.Pod) (keys []string, all bool) {
	claims, volumes := s.Kinds[reflect.TypeFor[*corev1.PersistentVolumeClaim]()], s.Kinds[reflect.TypeFor[*corev1.PersistentVolume]()]
	for i := range pod.Spec.Volumes {
		name := cluster.ClaimName(pod, &pod.Spec.Volumes[i])
		if name == "" {
			continue
		}
		claim, ok := claims.Held(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: name}}).(*corev1.PersistentVolumeClaim)
		if !ok || claim.Spec.VolumeName == "" {
			return nil, false
		}
		volume, ok := volumes.Held(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName}}).(*corev1.PersistentVolume)
		if !ok || volume.Spec.CSI == nil {
			return nil, false
		}
		keys = append(keys, affinityKeys(volume)...)
	}
	slices.Sort(keys)
	return slices.Compact(keys), !slices.Contains(keys, corev1.LabelHostname)
}

func affinityKeys(volume *corev1.PersistentVolume) []string {
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil {
		return nil
	}
	var keys []string
	for _, term := range volume.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, expression := range term.MatchExpressions {
			keys = append(keys, expression.Key)
		}
	}
	return keys
}
