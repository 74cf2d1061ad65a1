package scheduling

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// tenants are the pods that matter to others: those with room on a node, and those that a node was promised to.
type tenants struct {
	journal *journal
	board   *board
	shelf   *shelf
	classes *informer // PriorityClasses
	pods    map[types.NamespacedName]tenant
	crowds  crowds
}

type tenant struct {
	// given is the pod as the world holds it, info the pod as plugins see it.
	given *corev1.Pod
	info  *framework.PodInfo
	crowd *crowd
}

func newTenants(j *journal, b *board, s *shelf) tenants {
	return tenants{journal: j, board: b, shelf: s, classes: s.kinds[reflect.TypeFor[*schedulingv1.PriorityClass]()], pods: map[types.NamespacedName]tenant{}, crowds: newCrowds(j)}
}

// admit lets in the pods of a whole world.
func (t *tenants) admit(pods []*corev1.Pod) {
	for _, pod := range pods {
		t.enter(pod)
	}
}

// enter gives a pod its room, or keeps it the node it was promised. Pods that have ended need neither
// (pkg/scheduler/eventhandlers.go).
func (t *tenants) enter(pod *corev1.Pod) {
	if cluster.Ended(pod) || pod.Spec.NodeName == "" && pod.Status.NominatedNodeName == "" {
		return
	}
	seen := t.seen(pod)
	now := tenant{given: pod, crowd: t.crowds.of(seen)}
	now.info = now.crowd.admit(seen)
	if node := pod.Spec.NodeName; node != "" {
		t.board.bind(now.info, node)
		t.crowds.come(now.crowd, now.info, t.board.slot(node))
	} else {
		t.board.nominated.add(now.info, pod.Status.NominatedNodeName)
	}
	t.set(nameOf(pod), now)
}

// leave takes away what the pod of that name has.
func (t *tenants) leave(pod *corev1.Pod) {
	was, ok := t.pods[nameOf(pod)]
	if !ok {
		return
	}
	t.set(nameOf(pod), tenant{})
	if node := was.info.Pod.Spec.NodeName; node != "" {
		t.board.unbind(was.info, node)
		t.crowds.leave(was.crowd, was.info, t.board.slot(node))
	} else {
		t.board.nominated.remove(was.info.Pod, was.info.Pod.Status.NominatedNodeName)
	}
}

func (t *tenants) set(name types.NamespacedName, now tenant) {
	before, had := t.pods[name]
	if now.info == nil {
		delete(t.pods, name)
	} else {
		t.pods[name] = now
	}
	t.journal.did(func() {
		if had {
			t.pods[name] = before
		} else {
			delete(t.pods, name)
		}
	})
}

// reshelved looks again at the pods whose priority a class tells, once the classes have changed.
func (t *tenants) reshelved(o metav1.Object) {
	if _, ok := o.(*schedulingv1.PriorityClass); !ok {
		return
	}
	for _, tenant := range t.pods {
		if tenant.given.Spec.Priority == nil {
			t.leave(tenant.given)
			t.enter(tenant.given)
		}
	}
}

// given is the pod as the world holds it, from one that plugins were shown.
func (t *tenants) given(seen *corev1.Pod) *corev1.Pod {
	if tenant, ok := t.pods[nameOf(seen)]; ok {
		return tenant.given
	}
	return seen
}

// seen is the pod as plugins see it: with what the API server would have given it. They tell pods apart by UID, and a
// manifest that is not applied yet has none.
func (t *tenants) seen(pod *corev1.Pod) *corev1.Pod {
	if pod.UID != "" && pod.Spec.Priority != nil {
		return pod
	}
	c := *pod
	if c.UID == "" {
		c.UID = types.UID(pod.Namespace + "/" + pod.Name)
	}
	if c.Spec.Priority == nil {
		t.prioritize(&c)
	}
	return &c
}

// prioritize does as the admission plugin (plugin/pkg/admission/priority): a pod without a class has the default one's
// priority, and zero if there is none.
func (t *tenants) prioritize(pod *corev1.Pod) {
	class := t.class(pod.Spec.PriorityClassName)
	if class == nil {
		return
	}
	pod.Spec.Priority = &class.Value
	if pod.Spec.PreemptionPolicy == nil {
		pod.Spec.PreemptionPolicy = class.PreemptionPolicy
	}
}

func (t *tenants) class(name string) *schedulingv1.PriorityClass {
	if name != "" {
		class, _ := t.classes.held(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}}).(*schedulingv1.PriorityClass)
		return class
	}
	var lowest *schedulingv1.PriorityClass
	for _, o := range t.classes.GetIndexer().List() {
		if class := o.(*schedulingv1.PriorityClass); class.GlobalDefault && (lowest == nil || class.Value < lowest.Value) {
			lowest = class
		}
	}
	return lowest
}

func nameOf(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}
