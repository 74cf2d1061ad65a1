package cluster

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Contents is what a Snapshot is built from.
type Contents struct {
	// Objects of the kinds above; others are left out.
	Objects []runtime.Object
	// Knowledge of each kind. A kind not named is Absent.
	Knowledge map[Kind]Knowledge
	// Taken is when the objects were read.
	Taken time.Time
}

// Snapshot is a cluster at one moment. It never changes, and what it returns must not be changed.
type Snapshot struct {
	taken     time.Time
	knowledge map[Kind]Knowledge

	nodes       table[*corev1.Node]
	pods        table[*corev1.Pod]
	claims      table[*corev1.PersistentVolumeClaim]
	volumes     table[*corev1.PersistentVolume]
	classes     table[*storagev1.StorageClass]
	attachments table[*storagev1.VolumeAttachment]
	csiNodes    table[*storagev1.CSINode]
	events      table[*corev1.Event]

	attachmentsOf map[string][]*storagev1.VolumeAttachment // by the name of the volume
	eventsOf      map[types.UID][]*corev1.Event            // by the object they are about
	groups        []Group
	groupOf       map[string]int // by node, index into groups
}

// New builds a Snapshot. It keeps the objects; the caller must not change them any more.
func New(c Contents) *Snapshot {
	s := &Snapshot{taken: c.Taken, knowledge: c.Knowledge}
	for _, object := range c.Objects {
		switch o := object.(type) {
		case *corev1.Node:
			s.nodes.add(o)
		case *corev1.Pod:
			s.pods.add(o)
		case *corev1.PersistentVolumeClaim:
			s.claims.add(o)
		case *corev1.PersistentVolume:
			s.volumes.add(o)
		case *storagev1.StorageClass:
			s.classes.add(o)
		case *storagev1.VolumeAttachment:
			s.attachments.add(o)
		case *storagev1.CSINode:
			s.csiNodes.add(o)
		case *corev1.Event:
			s.events.add(o)
		}
	}
	s.index()
	return s
}

func (s *Snapshot) index() {
	s.nodes.sort()
	s.pods.sort()
	s.claims.sort()
	s.volumes.sort()
	s.classes.sort()
	s.attachments.sort()
	s.csiNodes.sort()
	s.events.sort()
	s.attachmentsOf = map[string][]*storagev1.VolumeAttachment{}
	for _, a := range s.attachments.all {
		if name := a.Spec.Source.PersistentVolumeName; name != nil {
			s.attachmentsOf[*name] = append(s.attachmentsOf[*name], a)
		}
	}
	s.eventsOf = map[types.UID][]*corev1.Event{}
	for _, e := range s.events.all {
		s.eventsOf[e.InvolvedObject.UID] = append(s.eventsOf[e.InvolvedObject.UID], e)
	}
	s.groups, s.groupOf = inferGroups(s.nodes.all)
}

// Taken is when the Snapshot was read.
func (s *Snapshot) Taken() time.Time { return s.taken }

// Knowledge says how much of a kind the Snapshot holds.
func (s *Snapshot) Knowledge(k Kind) Knowledge {
	if known, ok := s.knowledge[k]; ok {
		return known
	}
	return Absent
}

// Nodes are sorted by name.
func (s *Snapshot) Nodes() []*corev1.Node { return s.nodes.all }

// Node is nil if there is none of that name.
func (s *Snapshot) Node(name string) *corev1.Node { return s.nodes.get("", name) }

// Pods are sorted by namespace and name.
func (s *Snapshot) Pods() []*corev1.Pod { return s.pods.all }

// Pod is nil if there is none of that name.
func (s *Snapshot) Pod(namespace, name string) *corev1.Pod { return s.pods.get(namespace, name) }

// Claim is nil if there is none of that name.
func (s *Snapshot) Claim(namespace, name string) *corev1.PersistentVolumeClaim {
	return s.claims.get(namespace, name)
}

// Volumes are the PersistentVolumes, sorted by name.
func (s *Snapshot) Volumes() []*corev1.PersistentVolume { return s.volumes.all }

// Volume is nil if there is no PersistentVolume of that name.
func (s *Snapshot) Volume(name string) *corev1.PersistentVolume { return s.volumes.get("", name) }

// Class is nil if there is no StorageClass of that name.
func (s *Snapshot) Class(name string) *storagev1.StorageClass { return s.classes.get("", name) }

// CSINode is nil if no driver has registered on the node.
func (s *Snapshot) CSINode(node string) *storagev1.CSINode { return s.csiNodes.get("", node) }

// Attachments are those of a PersistentVolume, by name.
func (s *Snapshot) Attachments(volume string) []*storagev1.VolumeAttachment {
	return s.attachmentsOf[volume]
}

// Events are those about the object with that UID: a pod's successor of the same name has its own.
func (s *Snapshot) Events(about types.UID) []*corev1.Event { return s.eventsOf[about] }

// table holds the objects of one kind, sorted and by name.
type table[T metav1.Object] struct {
	all    []T
	byName map[types.NamespacedName]T
}

func (t *table[T]) add(o T) { t.all = append(t.all, o) }

func (t *table[T]) sort() {
	slices.SortFunc(t.all, func(a, b T) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	t.byName = make(map[types.NamespacedName]T, len(t.all))
	for _, o := range t.all {
		t.byName[types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}] = o
	}
}

// get returns nil, T's zero value, for what is not there.
func (t *table[T]) get(namespace, name string) T {
	return t.byName[types.NamespacedName{Namespace: namespace, Name: name}]
}
