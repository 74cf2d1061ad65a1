package store

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// Pods are the pods that count for others: those bound to a node, and those nominated to one.
type Pods struct {
	journal      *journal
	nodes        *Nodes
	objects      *Objects
	classes      *informer // PriorityClasses
	byName       map[types.NamespacedName]assignedPod
	LabelClasses LabelClasses
}

type assignedPod struct {
	// original is the pod as the Snapshot holds it, info the pod as plugins see it.
	original   *corev1.Pod
	info       *framework.PodInfo
	labelClass *LabelClass
}

func newPods(j *journal, b *Nodes, s *Objects) *Pods {
	return &Pods{journal: j, nodes: b, objects: s, classes: s.Kinds[reflect.TypeFor[*schedulingv1.PriorityClass]()], byName: map[types.NamespacedName]assignedPod{}, LabelClasses: newLabelClasses(j)}
}

// addAll adds the pods of a Snapshot.
func (t *Pods) addAll(pods []*corev1.Pod) {
	for _, pod := range pods {
		t.add(pod)
	}
}

// add binds a pod to its node, or records its nomination. Pods that have ended have neither
// (pkg/scheduler/eventhandlers.go).
func (t *Pods) add(pod *corev1.Pod) {
	if cluster.Ended(pod) || pod.Spec.NodeName == "" && pod.Status.NominatedNodeName == "" {
		return
	}
	seen := t.Defaulted(pod)
	now := assignedPod{original: pod, labelClass: t.LabelClasses.of(seen)}
	now.info = now.labelClass.podInfoOf(seen)
	if node := pod.Spec.NodeName; node != "" {
		t.nodes.bind(now.info, node)
		t.LabelClasses.add(now.labelClass, now.info, t.nodes.entry(node))
	} else {
		t.nodes.Nominated.add(now.info, pod.Status.NominatedNodeName)
	}
	t.set(NameOf(pod), now)
}

// remove takes away the binding or nomination of the pod of that name.
func (t *Pods) remove(pod *corev1.Pod) {
	was, ok := t.byName[NameOf(pod)]
	if !ok {
		return
	}
	t.set(NameOf(pod), assignedPod{})
	if node := was.info.Pod.Spec.NodeName; node != "" {
		t.nodes.unbind(was.info, node)
		t.LabelClasses.remove(was.labelClass, was.info, t.nodes.entry(node))
	} else {
		t.nodes.Nominated.remove(was.info.Pod, was.info.Pod.Status.NominatedNodeName)
	}
}

func (t *Pods) set(name types.NamespacedName, now assignedPod) {
	before, had := t.byName[name]
	if now.info == nil {
		delete(t.byName, name)
	} else {
		t.byName[name] = now
	}
	t.journal.did(func() {
		if had {
			t.byName[name] = before
		} else {
			delete(t.byName, name)
		}
	})
}

// priorityClassChanged adds again the pods whose priority comes from a PriorityClass, once one has changed.
func (t *Pods) priorityClassChanged(o metav1.Object) {
	if _, ok := o.(*schedulingv1.PriorityClass); !ok {
		return
	}
	for _, assigned := range t.byName {
		if assigned.original.Spec.Priority == nil {
			t.remove(assigned.original)
			t.add(assigned.original)
		}
	}
}

// Original is the pod as the Snapshot holds it, from one that plugins were given.
func (t *Pods) Original(seen *corev1.Pod) *corev1.Pod {
	if assigned, ok := t.byName[NameOf(seen)]; ok {
		return assigned.original
	}
	return seen
}

// Defaulted is the pod as plugins see it: with the values that the API server would have set. Plugins tell pods apart by UID, and
// a manifest that is not applied yet has none.
func (t *Pods) Defaulted(pod *corev1.Pod) *corev1.Pod {
	if pod.UID != "" && pod.Spec.Priority != nil {
		return pod
	}
	c := *pod
	if c.UID == "" {
		c.UID = types.UID(pod.Namespace + "/" + pod.Name)
	}
	kube.SetPriority(&c.Spec, t)
	return &c
}

// PriorityClass is the one of that name, nil if there is none.
func (t *Pods) PriorityClass(name string) *schedulingv1.PriorityClass {
	class, _ := t.classes.Held(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}}).(*schedulingv1.PriorityClass)
	return class
}

// PriorityClasses are those of the world.
func (t *Pods) PriorityClasses() []*schedulingv1.PriorityClass {
	all := t.classes.GetIndexer().List()
	classes := make([]*schedulingv1.PriorityClass, len(all))
	for i := range all {
		classes[i] = all[i].(*schedulingv1.PriorityClass)
	}
	return classes
}

// NameOf is an object's namespace and name.
func NameOf(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}
