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

// Put adds an object, or replaces the one of its kind and name. The object must not be changed afterwards.
func Put(o metav1.Object) Edit { return Edit{object: o} }

// Remove removes the object of that kind and name.
func Remove(o metav1.Object) Edit { return Edit{object: o, remove: true} }

// Object is what is put or removed.
func (e Edit) Object() metav1.Object { return e.object }

// Removes says whether the object is removed.
func (e Edit) Removes() bool { return e.remove }

// With is the Snapshot after some edits, of which later ones take precedence. It shares with s what did not change; its cost depends on the number
// of edits, not on the size of the cluster. Objects of kinds that a Snapshot does not hold are left out.
func (s *Snapshot) With(edits ...Edit) *Snapshot {
	edited := *s
	edited.memo = &memo{}
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
		if inOrder(edits) {
			continue
		}
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

// inOrder reports whether edits are sorted by namespace and name, one for each.
func inOrder(edits []Edit) bool {
	for i := range edits {
		if i > 0 && compareNames(nameOf(edits[i-1].object), nameOf(edits[i].object)) >= 0 {
			return false
		}
	}
	return true
}

// compact is the same Snapshot with new base tables for kinds of which much was edited, so that replaced objects can be garbage-collected. Its
// cost depends on the size of these tables.
func (s *Snapshot) compact() *Snapshot {
	compacted := *s
	compacted.memo = &memo{}
	compacted.tables = maps.Clone(s.tables)
	for kind, table := range s.tables {
		if rebased, ok := table.compact(); ok {
			compacted.tables[kind] = rebased
			compacted.index = compacted.index.withoutLookup(kind)
		}
	}
	return &compacted
}
