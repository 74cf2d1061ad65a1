package scheduling

import (
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// store is the objects of a Snapshot, and what was edited since. It is not safe for concurrent use.
type store struct {
	journal journal
	objects *objectStore
	nodes   *nodeStore
	pods    *assignedPods
}

// newStore holds a Snapshot. The client is what the informers would list with if they were run, which they never are.
func newStore(client kubernetes.Interface, snapshot *cluster.Snapshot) *store {
	s := &store{}
	s.objects = newObjectStore(client, snapshot, &s.journal)
	s.nodes = newNodeStore(&s.journal)
	s.pods = newAssignedPods(&s.journal, s.nodes, s.objects)
	for _, node := range snapshot.Nodes() {
		s.nodes.put(node)
	}
	s.pods.addAll(snapshot.Pods())
	return s
}

// fork begins edits that revert takes back. Forks nest.
func (s *store) fork() { s.journal.fork() }

// revert takes back every edit since the last fork. It costs what those edits changed.
func (s *store) revert() { s.journal.revert() }

// apply makes an edit. An error is an object without a name.
func (s *store) apply(e cluster.Edit) error {
	o := e.Object()
	if o.GetName() == "" {
		return fmt.Errorf("editing the world: a %T without a name", o)
	}
	switch o := o.(type) {
	case *corev1.Pod:
		s.pods.remove(o)
		if !e.Removes() {
			s.pods.add(o)
		}
	case *corev1.Node:
		if e.Removes() {
			s.nodes.remove(o.Name)
		} else {
			s.nodes.put(o)
		}
	default:
		s.applyObject(e)
	}
	return nil
}

// applyObject edits what plugins read through listers; other kinds do not bear on scheduling.
func (s *store) applyObject(e cluster.Edit) {
	kind, ok := s.objects.kinds[reflect.TypeOf(e.Object())]
	if !ok {
		return
	}
	var after metav1.Object
	if !e.Removes() {
		after = e.Object()
	}
	before := kind.held(e.Object())
	kind.swap(before, after)
	s.journal.did(func() { kind.swap(after, before) })
	switch e.Object().(type) {
	case *policyv1.PodDisruptionBudget:
		s.objects.budgets.update(before, after)
	case *schedulingv1.PriorityClass: // it is read anew each time
	case *storagev1.VolumeAttachment, *storagev1.CSINode:
		s.objects.storageVersion.raise()
	default:
		s.objects.storageVersion.raise()
		s.objects.relationsVersion.raise()
	}
	s.pods.priorityClassChanged(e.Object())
}
