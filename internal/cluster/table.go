package cluster

import (
	"cmp"
	"reflect"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// table holds the objects of one kind: a base that snapshots share, and what changed since. It does not change once it
// is part of a Snapshot.
type table[T metav1.Object] struct {
	base *layer[T]
	// changed are objects put (of that name) or removed (the zero value) since the base.
	changed map[types.NamespacedName]T

	once   sync.Once
	merged []T
}

// layer is sorted by namespace and name.
type layer[T metav1.Object] struct {
	sorted []T
	byName map[types.NamespacedName]T
}

// rows is a table of whatever kind.
type rows interface {
	holds() reflect.Type
	// with returns a table in which the objects are put, or removed if the flag says so; the receiver stays as it is.
	with(edits []Edit) rows
}

func empty[T metav1.Object]() rows { return &table[T]{base: &layer[T]{}} }

func (*table[T]) holds() reflect.Type { return reflect.TypeFor[T]() }

// rebase is the share of a table that may have changed before it gets a base of its own.
const rebase = 8

func (t *table[T]) with(edits []Edit) rows {
	changed := make(map[types.NamespacedName]T, len(t.changed)+len(edits))
	for name, o := range t.changed {
		changed[name] = o
	}
	for _, e := range edits {
		var object T
		if !e.remove {
			object = e.object.(T)
		}
		changed[nameOf(e.object)] = object
	}
	edited := &table[T]{base: t.base, changed: changed}
	if len(changed)*rebase > len(t.base.sorted) {
		return &table[T]{base: newLayer(edited.all())}
	}
	return edited
}

func newLayer[T metav1.Object](sorted []T) *layer[T] {
	l := &layer[T]{sorted: sorted, byName: make(map[types.NamespacedName]T, len(sorted))}
	for _, o := range sorted {
		l.byName[nameOf(o)] = o
	}
	return l
}

// all is sorted by namespace and name.
func (t *table[T]) all() []T {
	if len(t.changed) == 0 {
		return t.base.sorted
	}
	t.once.Do(func() {
		t.merged = make([]T, 0, len(t.base.sorted)+len(t.changed))
		for _, o := range t.base.sorted {
			if _, ok := t.changed[nameOf(o)]; !ok {
				t.merged = append(t.merged, o)
			}
		}
		for _, o := range t.changed {
			if !reflect.ValueOf(o).IsNil() {
				t.merged = append(t.merged, o)
			}
		}
		slices.SortFunc(t.merged, func(a, b T) int {
			return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
		})
	})
	return t.merged
}

// get returns nil, T's zero value, for what is not there.
func (t *table[T]) get(name types.NamespacedName) T {
	if o, ok := t.changed[name]; ok {
		return o
	}
	return t.base.byName[name]
}

func nameOf(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}
