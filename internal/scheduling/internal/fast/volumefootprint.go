package fast

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// volumeFootprint is a pod's volumes as NodeVolumeLimits sees them: how many of which drivers. The plugin cannot tell pods with
// the same footprint apart on a node where none of these volumes is mounted yet
// (pkg/scheduler/framework/plugins/nodevolumelimits/csi.go).
type volumeFootprint struct {
	drivers string
	claims  []string // through which pods mount these volumes, as NodeInfo.PVCRefCounts has them
}

// volumeFootprint is nil if it is not known: if the pod mounts something other than bound claims, or if there are volumes without
// a CSI driver, which may be the same ones under another name.
func (f *Scheduler) volumeFootprint(pod *corev1.Pod) *volumeFootprint {
	f.boundVolumes.update(f.store.Objects)
	c, seen := &volumeFootprint{}, sets.New[string]()
	var drivers []string
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if isNodeLocal(v) {
			continue
		}
		if v.PersistentVolumeClaim == nil || f.boundVolumes.nonCSI {
			return nil
		}
		source := f.boundVolumes.byClaim[framework.GetNamespacedName(pod.Namespace, v.PersistentVolumeClaim.ClaimName)]
		if source == nil {
			return nil
		}
		if handle := handleOf(source); !seen.Has(handle) {
			seen.Insert(handle)
			drivers, c.claims = append(drivers, source.Driver), append(c.claims, f.boundVolumes.claims[handle]...)
		}
	}
	slices.Sort(drivers)
	c.drivers = strings.Join(drivers, "\x00")
	return c
}

// unusedOn says that no pod on a node mounts any of the volumes, as far as claims tell.
func (c *volumeFootprint) unusedOn(at *store.Node, mounted *filteredNode) bool {
	for _, pod := range mounted.pods {
		volumes := pod.GetPod().Spec.Volumes
		for i := range volumes {
			if volumes[i].PersistentVolumeClaim == nil && !isNodeLocal(&volumes[i]) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(c.claims, func(claim string) bool { return at.Info.PVCRefCounts[claim] > 0 })
}

// boundVolumes are the volumes that claims are bound to.
type boundVolumes struct {
	// asOf is the RelationsVersion for which this was computed.
	asOf    int
	known   bool
	byClaim map[string]*corev1.CSIPersistentVolumeSource
	claims  map[string][]string // by the volume's handle
	nonCSI  bool                // there are volumes without a CSI driver
}

func (b *boundVolumes) update(s *store.Objects) {
	if b.known && b.asOf == s.RelationsVersion.Now {
		return
	}
	*b = boundVolumes{asOf: s.RelationsVersion.Now, known: true, byClaim: map[string]*corev1.CSIPersistentVolumeSource{}, claims: map[string][]string{}}
	volumes := s.Kinds[reflect.TypeFor[*corev1.PersistentVolume]()]
	for _, o := range s.Kinds[reflect.TypeFor[*corev1.PersistentVolumeClaim]()].GetIndexer().List() {
		claim := o.(*corev1.PersistentVolumeClaim)
		volume, ok := volumes.Held(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName}}).(*corev1.PersistentVolume)
		switch {
		case !ok:
		case volume.Spec.CSI == nil:
			b.nonCSI = true
		default:
			name, handle := framework.GetNamespacedName(claim.Namespace, claim.Name), handleOf(volume.Spec.CSI)
			b.byClaim[name], b.claims[handle] = volume.Spec.CSI, append(b.claims[handle], name)
		}
	}
}

// handleOf is a volume's name, unique among drivers.
func handleOf(v *corev1.CSIPersistentVolumeSource) string { return v.Driver + "/" + v.VolumeHandle }
