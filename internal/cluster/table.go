package cluster

import (
	"cmp"
	"reflect"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/third_party/forked/golang/btree"
)

// table holds the objects of one kind: a base that snapshots share, and the changes since. It is immutable once it is part of a Snapshot.
type table[T metav1.Object] struct {
	base *layer[T]
	over overlay[types.NamespacedName, T] // removed objects are the zero T

	once   sync.Once
	merged []T
}

// layer is sorted by namespace and name.
type layer[T metav1.Object] struct {
	sorted []T

	once   sync.Once
	byName map[types.NamespacedName]T
}

// rows is a table of any kind.
type rows interface {
	holds() reflect.Type
	// with returns a table in which the objects are put or removed; the receiver stays as it is. There is one edit for
	// each name.
	with(edits []Edit) rows
	// compact is the table with a new base; false if it has changed too little for that.
	compact() (rows, bool)
	// size is about how many objects there are.
	size() int
}

func empty[T metav1.Object]() rows {
	return &table[T]{base: &layer[T]{}, over: newOverlay[types.NamespacedName, T](compareNames)}
}

func (t *table[T]) size() int { return len(t.base.sorted) + t.over.len() }

func (*table[T]) holds() reflect.Type { return reflect.TypeFor[T]() }

// rebase is the share of a table, as a divisor, that may change at once before it gets a new base.
const rebase = 8

// with costs as much as the number of edits, whatever the number of earlier ones; or the size of the table, if much changes.
func (t *table[T]) with(edits []Edit) rows {
	if t.size() == 0 && inOrder(edits) {
		return tableOf[T](edits)
	}
	edited := &table[T]{base: t.base, over: t.over.clone()}
	for _, e := range edits {
		var object T
		if !e.remove {
			object = e.object.(T)
		}
		edited.over.put(nameOf(e.object), object)
	}
	if len(edits)*rebase > len(t.base.sorted) {
		return edited.rebased()
	}
	return edited
}

// tableOf is a table with a base of what edits in order put.
func tableOf[T metav1.Object](edits []Edit) *table[T] {
	sorted := make([]T, 0, len(edits))
	for _, e := range edits {
		if !e.remove {
			sorted = append(sorted, e.object.(T))
		}
	}
	return &table[T]{base: &layer[T]{sorted: sorted}, over: newOverlay[types.NamespacedName, T](compareNames)}
}

func (t *table[T]) rebased() *table[T] {
	return &table[T]{base: &layer[T]{sorted: t.all()}, over: newOverlay[types.NamespacedName, T](compareNames)}
}

func (t *table[T]) compact() (rows, bool) {
	if t.over.len()*rebase <= len(t.base.sorted) {
		return t, false
	}
	return t.rebased(), true
}

// all is sorted by namespace and name.
func (t *table[T]) all() []T {
	if t.over.len() == 0 {
		return t.base.sorted
	}
	t.once.Do(func() {
		rest := t.base.sorted
		t.merged = make([]T, 0, len(rest)+t.over.len())
		t.over.each(func(name types.NamespacedName, object T) {
			before, replaced := slices.BinarySearchFunc(rest, name, func(o T, name types.NamespacedName) int {
				return compareNames(nameOf(o), name)
			})
			t.merged, rest = append(t.merged, rest[:before]...), rest[before:]
			if replaced {
				rest = rest[1:]
			}
			if !reflect.ValueOf(object).IsNil() {
				t.merged = append(t.merged, object)
			}
		})
		t.merged = append(t.merged, rest...)
	})
	return t.merged
}

// get returns nil, T's zero value, for what is not there.
func (t *table[T]) get(name types.NamespacedName) T {
	if o, ok := t.over.get(name); ok {
		return o
	}
	return t.base.get(name)
}

func (l *layer[T]) get(name types.NamespacedName) T {
	l.once.Do(func() {
		l.byName = make(map[types.NamespacedName]T, len(l.sorted))
		for _, o := range l.sorted {
			l.byName[nameOf(o)] = o
		}
	})
	return l.byName[name]
}

func nameOf(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

func compareNames(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// overlay is a sorted map whose copies share their nodes (copy-on-write).
type overlay[K, V any] struct {
	mu   *sync.Mutex // a copy marks the original as shared
	tree *btree.BTree[entry[K, V]]
}

type entry[K, V any] struct {
	key   K
	value V
}

func newOverlay[K, V any](compare func(a, b K) int) overlay[K, V] {
	const degree = 16
	return overlay[K, V]{&sync.Mutex{}, btree.New(degree, func(a, b entry[K, V]) bool { return compare(a.key, b.key) < 0 })}
}

// clone takes constant time.
func (o overlay[K, V]) clone() overlay[K, V] {
	o.mu.Lock()
	defer o.mu.Unlock()
	return overlay[K, V]{&sync.Mutex{}, o.tree.Clone()}
}

func (o overlay[K, V]) len() int { return o.tree.Len() }

func (o overlay[K, V]) put(key K, value V) { o.tree.ReplaceOrInsert(entry[K, V]{key, value}) }

func (o overlay[K, V]) get(key K) (V, bool) {
	found, ok := o.tree.Get(entry[K, V]{key: key})
	return found.value, ok
}

func (o overlay[K, V]) each(do func(K, V)) {
	o.tree.Ascend(func(e entry[K, V]) bool {
		do(e.key, e.value)
		return true
	})
}
