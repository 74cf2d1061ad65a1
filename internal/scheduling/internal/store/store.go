package store

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

// Store is the objects of a Snapshot, and what was edited since. It is not safe for concurrent use.
type Store struct {
	journal journal
	Objects *Objects
	Nodes   *Nodes
	Pods    *Pods
}

// New holds a Snapshot. The client is what the informers would list with if they were run, which they never are.
func New(client kubernetes.Interface, snapshot *cluster.Snapshot) *Store {
	s := &Store{}
	s.Objects = newObjects(client, snapshot, &s.journal)
	s.Nodes = newNodes(&s.journal)
	s.Pods = newPods(&s.journal, s.Nodes, s.Objects)
	for _, node := range snapshot.Nodes() {
		s.Nodes.put(node)
	}
	s.Pods.addAll(snapshot.Pods())
	return s
}

// Fork begins edits that revert takes back. Forks nest.
func (s *Store) Fork() { s.journal.fork() }

// Revert takes back every edit since the last fork. It costs what those edits changed.
func (s *Store) Revert() { s.journal.revert() }

// Apply makes an edit. An error is an object without a name.
func (s *Store) Apply(e cluster.Edit) error {
	o := e.Object()
	if o.GetName() == "" {
		return fmt.Errorf("editing the world: a %T without a name", o)
	}
	switch o := o.(type) {
	case *corev1.Pod:
		s.Pods.remove(o)
		if !e.Removes() {
			s.Pods.add(o)
		}
	case *corev1.Node:
		if e.Removes() {
			s.Nodes.remove(o.Name)
		} else {
			s.Nodes.put(o)
		}
	default:
		s.applyObject(e)
	}
	return nil
}

// applyObject edits what plugins read through listers; other kinds do not bear on scheduling.
func (s *Store) applyObject(e cluster.Edit) {
	kind, ok := s.Objects.Kinds[reflect.TypeOf(e.Object())]
	if !ok {
		return
	}
	var after metav1.Object
	if !e.Removes() {
		after = e.Object()
	}
	before := kind.Held(e.Object())
	kind.swap(before, after)
	s.journal.did(func() { kind.swap(after, before) })
	switch e.Object().(type) {
	case *policyv1.PodDisruptionBudget:
		s.Objects.budgets.update(before, after)
	case *schedulingv1.PriorityClass: // it is read anew each time
	case *storagev1.VolumeAttachment, *storagev1.CSINode:
		s.Objects.StorageVersion.raise()
	default:
		s.Objects.StorageVersion.raise()
		s.Objects.RelationsVersion.raise()
	}
	s.Pods.priorityClassChanged(e.Object())
}
