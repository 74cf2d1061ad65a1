package cluster

import "sync"

// memo holds what was computed from a Snapshot, by key.
type memo struct {
	mu     sync.Mutex
	values map[any]any
}

// Memoize is what compute computes from the Snapshot. It is computed once for each key, since a Snapshot is immutable; so must be what compute
// returns. compute must not call Memoize.
func Memoize[T any](s *Snapshot, key any, compute func() T) T {
	s.memo.mu.Lock()
	defer s.memo.mu.Unlock()
	if value, known := s.memo.values[key]; known {
		return value.(T)
	}
	value := compute()
	if s.memo.values == nil {
		s.memo.values = map[any]any{}
	}
	s.memo.values[key] = value
	return value
}
