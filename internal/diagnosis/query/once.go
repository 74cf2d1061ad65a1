package query

import "github.com/naosu-dev/naosu/internal/cluster"

// computed are values that were computed of worlds, by key.
type computed map[computedKey]any

type computedKey struct {
	world *cluster.Snapshot
	key   any
}

// WithOnce returns a Query for which Once computes each value only once, also if several questions are derived from it.
func (q Query) WithOnce() Query {
	if q.computed == nil {
		q.computed = computed{}
	}
	return q
}

// Once is what compute computes of the Query's world: with WithOnce, once for each key.
func Once[T any](q Query, key any, compute func() T) T {
	at := computedKey{q.World, key}
	if value, known := q.computed[at]; known {
		return value.(T)
	}
	value := compute()
	if q.computed != nil {
		q.computed[at] = value
	}
	return value
}
