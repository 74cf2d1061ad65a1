package simulation

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// pods are the pods of the initial snapshot with all changes. They are not kept in a Snapshot, because pods change with every step
// and its indexes would be built anew each time.
type pods struct {
	initial *cluster.Snapshot
	// current are the pods that have changed, nil for those that were removed.
	current map[types.NamespacedName]*corev1.Pod
	// byNode are the names of changed pods by node, byController by controller.
	byNode       map[string]map[types.NamespacedName]bool
	byController map[types.UID]map[types.NamespacedName]bool
	// byClaim are the names of changed pods by the claims that they mount.
	byClaim map[types.NamespacedName]map[types.NamespacedName]bool
}

func newPods(present *cluster.Snapshot) pods {
	return pods{
		initial: present, current: map[types.NamespacedName]*corev1.Pod{},
		byNode: map[string]map[types.NamespacedName]bool{}, byController: map[types.UID]map[types.NamespacedName]bool{},
		byClaim: map[types.NamespacedName]map[types.NamespacedName]bool{},
	}
}

func (p *pods) put(pod *corev1.Pod) {
	name := nameOf(pod)
	p.current[name] = pod
	addToIndex(p.byNode, pod.Spec.NodeName, name)
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		addToIndex(p.byController, owner.UID, name)
	}
	for i := range pod.Spec.Volumes {
		if claim := cluster.ClaimName(pod, &pod.Spec.Volumes[i]); claim != "" {
			addToIndex(p.byClaim, types.NamespacedName{Namespace: pod.Namespace, Name: claim}, name)
		}
	}
}

func addToIndex[K comparable](index map[K]map[types.NamespacedName]bool, key K, name types.NamespacedName) {
	if index[key] == nil {
		index[key] = map[types.NamespacedName]bool{}
	}
	index[key][name] = true
}

func (p *pods) remove(pod *corev1.Pod) { p.current[nameOf(pod)] = nil }

// get is the pod of that name, nil if there is none.
func (p *pods) get(namespace, name string) *corev1.Pod {
	if pod, changed := p.current[types.NamespacedName{Namespace: namespace, Name: name}]; changed {
		return pod
	}
	return p.initial.Pod(namespace, name)
}

// onNode are the pods bound to a node, by name.
func (p *pods) onNode(node string) []*corev1.Pod {
	return p.withChanges(p.initial.PodsOn(node), p.byNode[node], func(pod *corev1.Pod) bool { return pod.Spec.NodeName == node })
}

// ownedBy are the pods of a controller, by name.
func (p *pods) ownedBy(controller types.UID) []*corev1.Pod {
	return p.withChanges(p.initial.PodsOf(controller), p.byController[controller], func(*corev1.Pod) bool { return true })
}

// firstOwned is the first of a controller's pods, by name, that suits; nil if none does.
func (p *pods) firstOwned(controller types.UID, suits func(*corev1.Pod) bool) *corev1.Pod {
	var first *corev1.Pod
	for _, pod := range p.initial.PodsOf(controller) {
		if _, changed := p.current[nameOf(pod)]; !changed && suits(pod) {
			first = pod
			break // The initial snapshot's pods are sorted.
		}
	}
	for name := range p.byController[controller] {
		if pod := p.current[name]; pod != nil && suits(pod) && (first == nil || compareNames(name, nameOf(first)) < 0) {
			first = pod
		}
	}
	return first
}

// usingClaim are the pods that mount a claim, by name.
func (p *pods) usingClaim(namespace, claim string) []*corev1.Pod {
	changed := p.byClaim[types.NamespacedName{Namespace: namespace, Name: claim}]
	return p.withChanges(p.initial.PodsUsing(namespace, claim), changed, func(*corev1.Pod) bool { return true })
}

func (p *pods) withChanges(before []*corev1.Pod, changed map[types.NamespacedName]bool, belongs func(*corev1.Pod) bool) []*corev1.Pod {
	var merged []*corev1.Pod
	for _, pod := range before {
		if _, changed := p.current[nameOf(pod)]; !changed {
			merged = append(merged, pod)
		}
	}
	for name := range changed {
		if pod := p.current[name]; pod != nil && belongs(pod) {
			merged = append(merged, pod)
		}
	}
	slices.SortFunc(merged, func(a, b *corev1.Pod) int { return compareNames(nameOf(a), nameOf(b)) })
	return merged
}

// inNamespace are a namespace's pods, by name.
func (p *pods) inNamespace(namespace string) []*corev1.Pod {
	changed := map[types.NamespacedName]bool{}
	for name := range p.current {
		if name.Namespace == namespace {
			changed[name] = true
		}
	}
	return p.withChanges(ofNamespace(p.initial.Pods(), namespace), changed, func(*corev1.Pod) bool { return true })
}

// ofNamespace is the part of a list, sorted by namespace, that is of one namespace.
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
