package facts

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// PodsIn are the pods of a namespace.
func PodsIn(world *cluster.Snapshot, namespace string) []*corev1.Pod {
	all := world.Pods() // They are sorted by namespace.
	byNamespace := func(p *corev1.Pod, namespace string) int { return cmp.Compare(p.Namespace, namespace) }
	from, _ := slices.BinarySearchFunc(all, namespace, byNamespace)
	to, _ := slices.BinarySearchFunc(all, namespace+"\x00", byNamespace)
	return all[from:to]
}

// SelectedPods are the active pods of a namespace that match a selector.
func SelectedPods(world *cluster.Snapshot, namespace string, selector labels.Selector) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range PodsIn(world, namespace) {
		if IsActive(pod) && selector.Matches(labels.Set(pod.Labels)) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// podControllers are the kinds of workloads.
var podControllers = []cluster.Kind{cluster.Deployment, cluster.StatefulSet, cluster.DaemonSet, cluster.ReplicaSet}

// WorkloadsSelectedBy are the workloads of a namespace whose pod templates match a selector, except those that another workload owns.
func WorkloadsSelectedBy(world *cluster.Snapshot, namespace string, selector labels.Selector) []metav1.Object {
	return workloadsIn(world, namespace, func(template labels.Set) bool { return selector.Matches(template) })
}

func workloadsIn(world *cluster.Snapshot, namespace string, fits func(labels.Set) bool) []metav1.Object {
	var found []metav1.Object
	for _, kind := range podControllers {
		for _, o := range world.Objects(kind) {
			if o.GetNamespace() == namespace && metav1.GetControllerOfNoCopy(o) == nil && fits(kube.PodTemplate(o).Labels) {
				found = append(found, o)
			}
		}
	}
	return found
}

// WorkloadMatchingButOne is the only workload of a namespace whose pods have all of these labels except for the value of one; ok is false
// if there is none, or several. With are the labels with the value of the workload's pods.
func WorkloadMatchingButOne(world *cluster.Snapshot, namespace string, wanted map[string]string) (near change.Ref, with map[string]string, ok bool) {
	found := workloadsIn(world, namespace, func(template labels.Set) bool {
		other := 0
		for key, value := range wanted {
			has, there := template[key]
			if !there {
				return false
			}
			if has != value {
				other++
			}
		}
		return other == 1
	})
	if len(found) != 1 {
		return change.Ref{}, nil, false
	}
	with = map[string]string{}
	for key := range wanted {
		with[key] = kube.PodTemplate(found[0]).Labels[key]
	}
	kind, _ := cluster.KindOf(found[0])
	return RefTo(kind, found[0]), with, true
}

// ScaledToZero reports whether a workload should have no pods. A DaemonSet should have one on each eligible node.
func ScaledToZero(o metav1.Object) bool {
	var replicas *int32
	switch o := o.(type) {
	case *appsv1.Deployment:
		replicas = o.Spec.Replicas
	case *appsv1.StatefulSet:
		replicas = o.Spec.Replicas
	case *appsv1.ReplicaSet:
		replicas = o.Spec.Replicas
	case *appsv1.DaemonSet:
		return o.Status.DesiredNumberScheduled == 0
	}
	return replicas != nil && *replicas == 0
}
