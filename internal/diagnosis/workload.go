package diagnosis

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// workload is the topmost object that keeps pods running, and the pods it keeps.
type workload struct {
	object metav1.Object
	ref    change.Ref
	// pods run or are about to; those that have ended or are being deleted are not among them.
	pods []*corev1.Pod
}

// workloads are those of the given kinds that have pods, by namespace and name.
func workloads(world *cluster.Snapshot, kinds ...cluster.Kind) []workload {
	byUID := map[types.UID]*workload{}
	for _, pod := range world.Pods() {
		if !alive(pod) {
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
			w = &workload{object: object, ref: refTo(kind, object)}
			byUID[object.GetUID()] = w
		}
		w.pods = append(w.pods, pod)
	}
	all := make([]workload, 0, len(byUID))
	for _, w := range byUID {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b workload) int { return compareRefs(a.ref, b.ref) })
	return all
}

// podsOfWorkload are the pods that a workload keeps in a world, which may be a future one.
func podsOfWorkload(world *cluster.Snapshot, ref change.Ref) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range world.Pods() {
		if pod.Namespace == ref.Namespace && alive(pod) && refOfWorkload(world, pod) == ref {
			pods = append(pods, pod)
		}
	}
	return pods
}

// alive says whether a pod counts: it has not ended and nobody has deleted it.
func alive(pod *corev1.Pod) bool { return !ended(pod) && pod.DeletionTimestamp == nil }

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// template is what the workload makes pods from, nil if its kind has none.
func (w workload) template() *corev1.PodTemplateSpec { return templateOf(w.object) }

func templateOf(object metav1.Object) *corev1.PodTemplateSpec {
	switch o := object.(type) {
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *appsv1.ReplicaSet:
		return &o.Spec.Template
	case *appsv1.StatefulSet:
		return &o.Spec.Template
	case *appsv1.DaemonSet:
		return &o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template
	default:
		return nil
	}
}

// refOfWorkload is the topmost controller of a pod, or the pod itself if there is none to be seen.
func refOfWorkload(world *cluster.Snapshot, pod *corev1.Pod) change.Ref {
	object := world.Workload(pod)
	if object == nil {
		return refTo(cluster.Pod, pod)
	}
	kind, _ := cluster.KindOf(object)
	return refTo(kind, object)
}

// isOneOf says whether a pod's direct controller is of such a kind. It needs no more than the pod.
func isOneOf(pod *corev1.Pod, kind cluster.Kind) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	return owner != nil && owner.Kind == string(kind)
}

// isStatic says whether the kubelet made the pod from a file; the API server only shows its mirror.
func isStatic(pod *corev1.Pod) bool {
	_, ok := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return ok
}

// zoneMounts are the volumes that tie a pod to zones.
func zoneMounts(world *cluster.Snapshot, pod *corev1.Pod) []mount {
	return slices.DeleteFunc(mounts(world, pod), func(m mount) bool { return m.tie != tiedToZone || m.volume == nil })
}

// onceMounts are the volumes of a pod that one node at a time may attach.
func onceMounts(world *cluster.Snapshot, pod *corev1.Pod) []mount {
	return slices.DeleteFunc(mounts(world, pod), func(m mount) bool {
		return m.volume == nil || m.volume.Spec.CSI == nil || slices.Contains(m.volume.Spec.AccessModes, corev1.ReadWriteMany) ||
			slices.Contains(m.volume.Spec.AccessModes, corev1.ReadOnlyMany)
	})
}

func compareRefs(a, b change.Ref) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// some names things for a sentence: the first few, and how many more there are.
func (v View) some(refs []change.Ref) []string {
	names := refStrings(refs[:min(len(refs), mostListed)])
	if more := len(refs) - len(names); more > 0 {
		names = append(names, v.Say.Text(message.AndMore, message.Args{"n": more}))
	}
	return names
}

// uniqueRefs sorts and drops what is there twice.
func uniqueRefs(refs []change.Ref) []change.Ref {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, compareRefs)
	return slices.Compact(refs)
}
