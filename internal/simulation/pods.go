package simulation

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// pods are those of the present with what has become of them. A Snapshot would answer the same; but pods change with
// every step of a future, and its indexes would be made anew each time.
type pods struct {
	present *cluster.Snapshot
	// now are the pods that have changed, nil for those that are gone.
	now map[types.NamespacedName]*corev1.Pod
	// came are the names of changed pods by the nodes that they have been put on, kin by their controllers.
	came map[string]map[types.NamespacedName]bool
	kin  map[types.UID]map[types.NamespacedName]bool
	// users are the names of changed pods by the claims that they mount.
	users map[types.NamespacedName]map[types.NamespacedName]bool
}

func newPods(present *cluster.Snapshot) pods {
	return pods{
		present: present, now: map[types.NamespacedName]*corev1.Pod{},
		came: map[string]map[types.NamespacedName]bool{}, kin: map[types.UID]map[types.NamespacedName]bool{},
		users: map[types.NamespacedName]map[types.NamespacedName]bool{},
	}
}

func (p *pods) put(pod *corev1.Pod) {
	name := nameOf(pod)
	p.now[name] = pod
	note(p.came, pod.Spec.NodeName, name)
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		note(p.kin, owner.UID, name)
	}
	for i := range pod.Spec.Volumes {
		if claim := cluster.ClaimName(pod, &pod.Spec.Volumes[i]); claim != "" {
			note(p.users, types.NamespacedName{Namespace: pod.Namespace, Name: claim}, name)
		}
	}
}

func note[K comparable](index map[K]map[types.NamespacedName]bool, key K, name types.NamespacedName) {
	if index[key] == nil {
		index[key] = map[types.NamespacedName]bool{}
	}
	index[key][name] = true
}

func (p *pods) remove(pod *corev1.Pod) { p.now[nameOf(pod)] = nil }

// get is the pod of that name, nil if there is none.
func (p *pods) get(namespace, name string) *corev1.Pod {
	if pod, changed := p.now[types.NamespacedName{Namespace: namespace, Name: name}]; changed {
		return pod
	}
	return p.present.Pod(namespace, name)
}

// on are the pods that have their place on a node, by name.
func (p *pods) on(node string) []*corev1.Pod {
	return p.merged(p.present.PodsOn(node), p.came[node], func(pod *corev1.Pod) bool { return pod.Spec.NodeName == node })
}

// of are the pods of a controller, by name.
func (p *pods) of(controller types.UID) []*corev1.Pod {
	return p.merged(p.present.PodsOf(controller), p.kin[controller], func(*corev1.Pod) bool { return true })
}

// first is the first, by name, of a controller's pods that suits; nil if none does.
func (p *pods) first(controller types.UID, suits func(*corev1.Pod) bool) *corev1.Pod {
	var first *corev1.Pod
	for _, pod := range p.present.PodsOf(controller) {
		if _, changed := p.now[nameOf(pod)]; !changed && suits(pod) {
			first = pod
			break // The present's are sorted.
		}
	}
	for name := range p.kin[controller] {
		if pod := p.now[name]; pod != nil && suits(pod) && (first == nil || compareNames(name, nameOf(first)) < 0) {
			first = pod
		}
	}
	return first
}

// using are the pods that mount a claim, by name.
func (p *pods) using(namespace, claim string) []*corev1.Pod {
	changed := p.users[types.NamespacedName{Namespace: namespace, Name: claim}]
	return p.merged(p.present.PodsUsing(namespace, claim), changed, func(*corev1.Pod) bool { return true })
}

func (p *pods) merged(before []*corev1.Pod, changed map[types.NamespacedName]bool, belongs func(*corev1.Pod) bool) []*corev1.Pod {
	var merged []*corev1.Pod
	for _, pod := range before {
		if _, changed := p.now[nameOf(pod)]; !changed {
			merged = append(merged, pod)
		}
	}
	for name := range changed {
		if pod := p.now[name]; pod != nil && belongs(pod) {
			merged = append(merged, pod)
		}
	}
	slices.SortFunc(merged, func(a, b *corev1.Pod) int { return compareNames(nameOf(a), nameOf(b)) })
	return merged
}

// in are a namespace's pods, by name.
func (p *pods) in(namespace string) []*corev1.Pod {
	changed := map[types.NamespacedName]bool{}
	for name := range p.now {
		if name.Namespace == namespace {
			changed[name] = true
		}
	}
	return p.merged(ofNamespace(p.present.Pods(), namespace), changed, func(*corev1.Pod) bool { return true })
}

// ofNamespace is the part of a list, sorted by namespace, that is of one.
func ofNamespace[T metav1.Object](all []T, namespace string) []T {
	at := func(namespace string, after bool) int {
		i, _ := slices.BinarySearchFunc(all, namespace, func(o T, namespace string) int {
			if c := cmp.Compare(o.GetNamespace(), namespace); c != 0 || !after {
				return c
			}
			return -1
		})
		return i
	}
	return all[at(namespace, false):at(namespace, true)]
}
