package compact

import "sync"

// maxInterned bounds an internTable: where nearly each value differs, as addresses do, interning saves nothing.
const maxInterned = 50_000

// internTable holds decoded values by the bytes they were decoded from.
type internTable[T any] struct {
	mu      sync.RWMutex
	entries map[string]T
}

// get returns the value that the bytes decode to, decoded once. It is shared and must not be changed.
func (t *internTable[T]) get(from []byte, decode func([]byte) (T, error)) (T, error) {
	t.mu.RLock()
	value, ok := t.entries[string(from)]
	t.mu.RUnlock()
	if ok {
		return value, nil
	}
	value, err := decode(from)
	if err != nil {
		return value, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if other, ok := t.entries[string(from)]; ok {
		return other, nil
	}
	if t.entries == nil {
		t.entries = map[string]T{}
	}
	if len(t.entries) < maxInterned {
		t.entries[string(from)] = value
	}
	return value, nil
}

// unmarshal decodes a message.
func unmarshal[T any, P interface {
	*T
	Unmarshal(data []byte) error
}](from []byte) (T, error) {
	var value T
	err := P(&value).Unmarshal(from)
	return value, err
}

func asString(from []byte) (string, error) { return string(from), nil }
