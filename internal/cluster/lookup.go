package cluster

import (
	"cmp"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// lookup finds objects by keys, such as the name of a pod's node. It is built at the first use. Snapshots after edits share it, and update only
// what changed, at the first use too.
type lookup[T metav1.Object] struct {
	// keys are those of an object.
	keys func(T) []string

	mu   sync.Mutex
	base map[string][]T // nil until it is built
	over overlay[string, []T]
	// pending are edits that base and over lack, edited their number.
	pending *pendingEdits[T]
	edited  int
}

// replaced is an object that an edit removes and the one that it adds; either may be nil, T's zero value.
type replaced[T metav1.Object] struct{ before, after T }

// pendingEdits are edits after earlier ones, which snapshots share.
type pendingEdits[T metav1.Object] struct {
	earlier *pendingEdits[T]
	edits   []replaced[T]
}

func newLookup[T metav1.Object](keys func(T) []string) *lookup[T] { return &lookup[T]{keys: keys} }

// find returns the objects with a key, sorted by namespace and name. all returns those of the Snapshot.
func (l *lookup[T]) find(key string, all func() []T) []T {
	l.mu.Lock()
	switch {
	case l.base == nil:
		l.build(all())
	case l.pending != nil:
		l.applyPending()
	}
	l.mu.Unlock()
	return l.get(key)
}

func (l *lookup[T]) build(all []T) {
	l.base, l.over = map[string][]T{}, newOverlay[string, []T](cmp.Compare[string])
	for _, o := range all {
		for _, key := range l.keys(o) {
			l.base[key] = append(l.base[key], o)
		}
	}
}

func (l *lookup[T]) applyPending() {
	l.over = l.over.clone()
	var inOrder [][]replaced[T]
	for p := l.pending; p != nil; p = p.earlier {
		inOrder = append(inOrder, p.edits)
	}
	for _, edits := range slices.Backward(inOrder) {
		for _, e := range edits {
			l.apply(e)
		}
	}
	l.pending, l.edited = nil, 0
}

func (l *lookup[T]) apply(e replaced[T]) {
	var none T
	var before, after []string
	if metav1.Object(e.before) != metav1.Object(none) {
		before = l.keys(e.before)
	}
	if metav1.Object(e.after) != metav1.Object(none) {
		after = l.keys(e.after)
	}
	for _, key := range before {
		if !slices.Contains(after, key) {
			l.over.put(key, without(l.get(key), e.before))
		}
	}
	for _, key := range after {
		l.over.put(key, including(l.get(key), e.after))
	}
}

func (l *lookup[T]) get(key string) []T {
	if found, ok := l.over.get(key); ok {
		return found
	}
	return l.base[key]
}

// with is the lookup after edits. It is to be built anew if l was not built, or if much changes.
func (l *lookup[T]) with(edits []replaced[T], of int) *lookup[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	edited := newLookup(l.keys)
	if l.base == nil || (l.edited+len(edits))*rebase > of {
		return edited
	}
	edited.base, edited.over = l.base, l.over
	edited.pending, edited.edited = &pendingEdits[T]{l.pending, edits}, l.edited+len(edits)
	return edited
}

func without[T metav1.Object](sorted []T, o T) []T {
	i, ok := position(sorted, o)
	if !ok {
		return sorted
	}
	return slices.Concat(sorted[:i], sorted[i+1:])
}

// including replaces the object of that name, if there is one.
func including[T metav1.Object](sorted []T, o T) []T {
	i, found := position(sorted, o)
	rest := sorted[i:]
	if found {
		rest = rest[1:]
	}
	return slices.Concat(sorted[:i], []T{o}, rest)
}

func position[T metav1.Object](sorted []T, o T) (int, bool) {
	return slices.BinarySearchFunc(sorted, o, func(a, b T) int { return compareNames(nameOf(a), nameOf(b)) })
}
