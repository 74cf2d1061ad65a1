package facts

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// Workload is a pod's topmost controller, and its pods.
type Workload struct {
	Object metav1.Object
	Ref    change.Ref
	// Pods are its pods, except those that have ended or are being deleted.
	Pods []*corev1.Pod
}

// Workloads are those of the given kinds that have pods, by namespace and name.
func Workloads(world *cluster.Snapshot, kinds ...cluster.Kind) []Workload {
	byUID := map[types.UID]*Workload{}
	for _, pod := range world.Pods() {
		if !IsActive(pod) {
			continue
		}
		object := world.Workload(pod)
		if object == nil {
			continue
		}
		kind, _ := cluster.KindOf(object)
		if !slices.Contains(kinds, kind) {
			continue
		}
		w, ok := byUID[object.GetUID()]
		if !ok {
			w = &Workload{Object: object, Ref: RefTo(kind, object)}
			byUID[object.GetUID()] = w
		}
		w.Pods = append(w.Pods, pod)
	}
	all := make([]Workload, 0, len(byUID))
	for _, w := range byUID {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b Workload) int { return CompareRefs(a.Ref, b.Ref) })
	return all
}

// PodsOfWorkload are the pods of a workload in a world, which may be simulated.
func PodsOfWorkload(world *cluster.Snapshot, ref change.Ref) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range world.Pods() {
		if pod.Namespace == ref.Namespace && IsActive(pod) && WorkloadRef(world, pod) == ref {
			pods = append(pods, pod)
		}
	}
	return pods
}

// IsActive reports whether a pod has neither ended nor been deleted.
func IsActive(pod *corev1.Pod) bool { return !cluster.Ended(pod) && pod.DeletionTimestamp == nil }

// Template is the workload's pod template; nil if its kind has none.
func (w Workload) Template() *corev1.PodTemplateSpec { return kube.PodTemplate(w.Object) }

// WorkloadRef is the topmost controller of a pod; the pod itself if none is known.
func WorkloadRef(world *cluster.Snapshot, pod *corev1.Pod) change.Ref {
	object := world.Workload(pod)
	if object == nil {
		return RefTo(cluster.Pod, pod)
	}
	kind, _ := cluster.KindOf(object)
	return RefTo(kind, object)
}

// ControlledBy reports whether a pod's direct controller is of this kind. It needs only the pod.
func ControlledBy(pod *corev1.Pod, kind cluster.Kind) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	return owner != nil && owner.Kind == string(kind)
}

// ZonalMounts are the volumes that restrict a pod to zones.
func ZonalMounts(world *cluster.Snapshot, pod *corev1.Pod) []Mount {
	return slices.DeleteFunc(Mounts(world, pod), func(m Mount) bool { return m.Scope != ScopeZone || m.Volume == nil })
}

// SingleNodeMounts are the volumes of a pod that can be attached to one node at a time.
func SingleNodeMounts(world *cluster.Snapshot, pod *corev1.Pod) []Mount {
	return slices.DeleteFunc(Mounts(world, pod), func(m Mount) bool {
		return m.Volume == nil || m.Volume.Spec.CSI == nil || slices.Contains(m.Volume.Spec.AccessModes, corev1.ReadWriteMany) ||
			slices.Contains(m.Volume.Spec.AccessModes, corev1.ReadOnlyMany)
	})
}

// CompareRefs orders by kind, namespace and name.
func CompareRefs(a, b change.Ref) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// UniqueRefs sorts references and removes duplicates.
func UniqueRefs(refs []change.Ref) []change.Ref {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, CompareRefs)
	return slices.Compact(refs)
}
