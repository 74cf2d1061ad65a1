package scheduling

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// cargo is what a pod brings along as NodeVolumeLimits sees it: how many volumes of which drivers. It cannot tell pods with
// the same cargo apart on a node where nobody mounts one of these volumes yet
// (pkg/scheduler/framework/plugins/nodevolumelimits/csi.go).
type cargo struct {
	drivers string
	claims  []string // through which pods mount these volumes, as NodeInfo.PVCRefCounts has them
}

// cargo is nil if it is not known: if the pod mounts something other than claims that have their volume, or if there are
// volumes of an older form, which may be the same ones under another name.
func (s *shelf) cargo(pod *corev1.Pod) *cargo {
	s.bonds.follow(s)
	c, seen := &cargo{}, sets.New[string]()
	var drivers []string
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if own(v) {
			continue
		}
		if v.PersistentVolumeClaim == nil || s.bonds.older {
			return nil
		}
		source := s.bonds.byClaim[framework.GetNamespacedName(pod.Namespace, v.PersistentVolumeClaim.ClaimName)]
		if source == nil {
			return nil
		}
		if handle := handleOf(source); !seen.Has(handle) {
			seen.Insert(handle)
			drivers, c.claims = append(drivers, source.Driver), append(c.claims, s.bonds.claims[handle]...)
		}
	}
	slices.Sort(drivers)
	c.drivers = strings.Join(drivers, "\x00")
	return c
}

// unknownTo says that nobody on a node mounts any of the volumes, as far as claims tell.
func (c *cargo) unknownTo(at *slot, mounted *counted) bool {
	for _, pod := range mounted.pods {
		volumes := pod.GetPod().Spec.Volumes
		for i := range volumes {
			if volumes[i].PersistentVolumeClaim == nil && !own(&volumes[i]) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(c.claims, func(claim string) bool { return at.info.PVCRefCounts[claim] > 0 })
}

// bonds are the volumes that claims are bound to.
type bonds struct {
	// asOf is the state of the relations in which this was found out.
	asOf    int
	known   bool
	byClaim map[string]*corev1.CSIPersistentVolumeSource
	claims  map[string][]string // by the volume's handle
	older   bool                // there are volumes without a CSI driver
}

func (b *bonds) follow(s *shelf) {
	if b.known && b.asOf == s.relations.now {
		return
	}
	*b = bonds{asOf: s.relations.now, known: true, byClaim: map[string]*corev1.CSIPersistentVolumeSource{}, claims: map[string][]string{}}
	volumes := s.kinds[reflect.TypeFor[*corev1.PersistentVolume]()]
	for _, o := range s.kinds[reflect.TypeFor[*corev1.PersistentVolumeClaim]()].GetIndexer().List() {
		claim := o.(*corev1.PersistentVolumeClaim)
		volume, ok := volumes.held(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName}}).(*corev1.PersistentVolume)
		switch {
		case !ok:
		case volume.Spec.CSI == nil:
			b.older = true
		default:
			name, handle := framework.GetNamespacedName(claim.Namespace, claim.Name), handleOf(volume.Spec.CSI)
			b.byClaim[name], b.claims[handle] = volume.Spec.CSI, append(b.claims[handle], name)
		}
	}
}

// handleOf names a volume as nobody else does.
func handleOf(v *corev1.CSIPersistentVolumeSource) string { return v.Driver + "/" + v.VolumeHandle }
