package pods

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
)

// Index are the pods of the initial snapshot with all changes. They are not kept in a Snapshot, because pods change with every step
// and its indexes would be built anew each time.
type Index struct {
	Initial *cluster.Snapshot
	// current are the pods that have changed, nil for those that were removed.
	current map[types.NamespacedName]*corev1.Pod
	// byNode are the names of changed pods by node, byController by controller.
	byNode       map[string]map[types.NamespacedName]bool
	byController map[types.UID]map[types.NamespacedName]bool
	// byClaim are the names of changed pods by the claims that they mount.
	byClaim map[types.NamespacedName]map[types.NamespacedName]bool
}

// New indexes the pods of a snapshot.
func New(present *cluster.Snapshot) Index {
	return Index{
		Initial: present, current: map[types.NamespacedName]*corev1.Pod{},
		byNode: map[string]map[types.NamespacedName]bool{}, byController: map[types.UID]map[types.NamespacedName]bool{},
		byClaim: map[types.NamespacedName]map[types.NamespacedName]bool{},
	}
}

// Put adds a pod, in place of one with the same name.
func (p *Index) Put(pod *corev1.Pod) {
	name := names.Of(pod)
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

// Remove removes the pod of that name.
func (p *Index) Remove(pod *corev1.Pod) { p.current[names.Of(pod)] = nil }

// Get is the pod of that name, nil if there is none.
func (p *Index) Get(namespace, name string) *corev1.Pod {
	if pod, changed := p.current[types.NamespacedName{Namespace: namespace, Name: name}]; changed {
		return pod
	}
	return p.Initial.Pod(namespace, name)
}

// OnNode are the pods bound to a node, by name.
func (p *Index) OnNode(node string) []*corev1.Pod {
	return p.withChanges(p.Initial.PodsOn(node), p.byNode[node], func(pod *corev1.Pod) bool { return pod.Spec.NodeName == node })
}

// OwnedBy are the pods of a controller, by name.
func (p *Index) OwnedBy(controller types.UID) []*corev1.Pod {
	return p.withChanges(p.Initial.PodsOf(controller), p.byController[controller], func(*corev1.Pod) bool { return true })
}

// FirstOwned is the first of a controller's pods, by name, that suits; nil if none does.
func (p *Index) FirstOwned(controller types.UID, suits func(*corev1.Pod) bool) *corev1.Pod {
	var first *corev1.Pod
	for _, pod := range p.Initial.PodsOf(controller) {
		if _, changed := p.current[names.Of(pod)]; !changed && suits(pod) {
			first = pod
			break // The initial snapshot's pods are sorted.
		}
	}
	for name := range p.byController[controller] {
		if pod := p.current[name]; pod != nil && suits(pod) && (first == nil || names.Compare(name, names.Of(first)) < 0) {
			first = pod
		}
	}
	return first
}

// UsingClaim are the pods that mount a claim, by name.
func (p *Index) UsingClaim(namespace, claim string) []*corev1.Pod {
	changed := p.byClaim[types.NamespacedName{Namespace: namespace, Name: claim}]
	return p.withChanges(p.Initial.PodsUsing(namespace, claim), changed, func(*corev1.Pod) bool { return true })
}

func (p *Index) withChanges(before []*corev1.Pod, changed map[types.NamespacedName]bool, belongs func(*corev1.Pod) bool) []*corev1.Pod {
	var merged []*corev1.Pod
	for _, pod := range before {
		if _, changed := p.current[names.Of(pod)]; !changed {
			merged = append(merged, pod)
		}
	}
	for name := range changed {
		if pod := p.current[name]; pod != nil && belongs(pod) {
			merged = append(merged, pod)
		}
	}
	slices.SortFunc(merged, func(a, b *corev1.Pod) int { return names.Compare(names.Of(a), names.Of(b)) })
	return merged
}

// InNamespace are a namespace's pods, by name.
func (p *Index) InNamespace(namespace string) []*corev1.Pod {
	changed := map[types.NamespacedName]bool{}
	for name := range p.current {
		if name.Namespace == namespace {
			changed[name] = true
		}
	}
	return p.withChanges(names.InNamespace(p.Initial.Pods(), namespace), changed, func(*corev1.Pod) bool { return true })
}

// Changed are the pods that have a node and differ from the initial snapshot, by name.
func (p *Index) Changed() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, name := range slices.SortedFunc(maps.Keys(p.current), names.Compare) {
		if pod := p.current[name]; pod != nil && pod.Spec.NodeName != "" {
			pods = append(pods, pod)
		}
	}
	return pods
}
