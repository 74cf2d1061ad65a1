package cluster

import (
	"cmp"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// lookup finds objects by keys, such as the name of a pod's node. It is built at the first use. Snapshots after edits share it, and update only
// what changed.
type lookup[T metav1.Object] struct {
	// keys are those of an object.
	keys func(T) []string

	mu   sync.Mutex
	base map[string][]T // nil until it is built
	over overlay[string, []T]
}

func newLookup[T metav1.Object](keys func(T) []string) *lookup[T] { return &lookup[T]{keys: keys} }

// find returns the objects with a key, sorted by namespace and name. all returns those of the Snapshot.
func (l *lookup[T]) find(key string, all func() []T) []T {
	l.mu.Lock()
	if l.base == nil {
		l.make(all())
	}
	l.mu.Unlock()
	return l.get(key)
}

func (l *lookup[T]) make(all []T) {
	l.base = map[string][]T{}
	l.over = newOverlay[string, []T](cmp.Compare[string])
	for _, o := range all {
		for _, key := range l.keys(o) {
			l.base[key] = append(l.base[key], o)
		}
	}
}

func (l *lookup[T]) get(key string) []T {
	if found, ok := l.over.get(key); ok {
		return found
	}
	return l.base[key]
}

// replaced is an object that an edit removes and the one that it adds; either may be nil, T's zero value.
type replaced[T metav1.Object] struct{ before, after T }

// with is the lookup after edits. It is to be built anew if l was not built, or if much changes.
func (l *lookup[T]) with(edits []replaced[T], of int) *lookup[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	edited := newLookup(l.keys)
	if l.base == nil || len(edits)*rebase > of {
		return edited
	}
	edited.base, edited.over = l.base, l.over.clone()
	var none T
	for _, e := range edits {
		if metav1.Object(e.before) != metav1.Object(none) {
			for _, key := range l.keys(e.before) {
				edited.over.put(key, without(edited.get(key), e.before))
			}
		}
		if metav1.Object(e.after) != metav1.Object(none) {
			for _, key := range l.keys(e.after) {
				edited.over.put(key, including(edited.get(key), e.after))
			}
		}
	}
	return edited
}

func without[T metav1.Object](sorted []T, o T) []T {
	i, ok := position(sorted, o)
	if !ok {
		return sorted
	}
	return slices.Concat(sorted[:i], sorted[i+1:])
}

func including[T metav1.Object](sorted []T, o T) []T {
	i, _ := position(sorted, o)
	return slices.Concat(sorted[:i], []T{o}, sorted[i:])
}

func position[T metav1.Object](sorted []T, o T) (int, bool) {
	return slices.BinarySearchFunc(sorted, o, func(a, b T) int { return compareNames(nameOf(a), nameOf(b)) })
}
