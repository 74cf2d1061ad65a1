package cluster

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Edit is one difference between a Snapshot and another.
type Edit struct {
	object metav1.Object
	remove bool
}

// Put adds an object, in place of the one of its kind and name if there is one. It must not be changed any more.
func Put(o metav1.Object) Edit { return Edit{object: o} }

// Remove takes away the object of that kind and name.
func Remove(o metav1.Object) Edit { return Edit{object: o, remove: true} }

// Object is what is put or removed.
func (e Edit) Object() metav1.Object { return e.object }

// Removes says whether the object is taken away.
func (e Edit) Removes() bool { return e.remove }

// With is the Snapshot with some differences, later ones counting. It shares with s whatever did not change, and takes
// time with the number of edits, not with the size of the cluster. Objects of kinds that a Snapshot does not hold are left
// out.
func (s *Snapshot) With(edits ...Edit) *Snapshot {
	edited := *s
	edited.tables = maps.Clone(s.tables)
	for kind, edits := range lastOfEach(edits) {
		edited.tables[kind] = s.tables[kind].with(edits)
		edited.index = edited.index.with(s, kind, edits)
	}
	return &edited
}

// lastOfEach are the edits by kind, of several for one name the last.
func lastOfEach(edits []Edit) map[Kind][]Edit {
	byKind := map[Kind][]Edit{}
	for _, e := range edits {
		if kind, ok := KindOf(e.object); ok {
			byKind[kind] = append(byKind[kind], e)
		}
	}
	for kind, edits := range byKind {
		last := make(map[types.NamespacedName]int, len(edits))
		for i, e := range edits {
			last[nameOf(e.object)] = i
		}
		kept := edits[:0]
		for i, e := range edits {
			if last[nameOf(e.object)] == i {
				kept = append(kept, e)
			}
		}
		byKind[kind] = kept
	}
	return byKind
}

// compact is the same Snapshot, but what many edits have left behind is let go. It takes time with the size of the tables
// of which much has changed since they were made.
func (s *Snapshot) compact() *Snapshot {
	compacted := *s
	compacted.tables = maps.Clone(s.tables)
	for kind, table := range s.tables {
		if rebased, ok := table.compact(); ok {
			compacted.tables[kind] = rebased
			compacted.index = compacted.index.anew(kind)
		}
	}
	return &compacted
}
