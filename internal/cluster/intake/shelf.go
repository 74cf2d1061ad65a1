package intake

import "sync"

// mostShelved bounds the parts that are looked for: where nearly each differs, as addresses do, sharing saves nothing.
const mostShelved = 50_000

// shelf holds what was decoded, by the bytes it was decoded from.
type shelf[T any] struct {
	mu    sync.RWMutex
	parts map[string]T
}

// get is what the bytes stand for, made once. What it returns must not be changed.
func (s *shelf[T]) get(from []byte, decode func([]byte) (T, error)) (T, error) {
	s.mu.RLock()
	part, ok := s.parts[string(from)]
	s.mu.RUnlock()
	if ok {
		return part, nil
	}
	part, err := decode(from)
	if err != nil {
		return part, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.parts[string(from)]; ok {
		return other, nil
	}
	if s.parts == nil {
		s.parts = map[string]T{}
	}
	if len(s.parts) < mostShelved {
		s.parts[string(from)] = part
	}
	return part, nil
}

// as decodes a message by itself.
func as[T any, P interface {
	*T
	Unmarshal(data []byte) error
}](from []byte) (T, error) {
	var part T
	err := P(&part).Unmarshal(from)
	return part, err
}

func asString(from []byte) (string, error) { return string(from), nil }
