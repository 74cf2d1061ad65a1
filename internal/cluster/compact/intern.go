package compact

import "sync"

// maxInterned bounds an internTable: where nearly each value differs, as addresses do, interning saves nothing.
const maxInterned = 50_000

// internTable holds decoded values by the bytes they were decoded from.
type internTable[T any] struct {
	mu      sync.RWMutex
	entries map[string]*T
}

// get sets into to the value that the bytes decode to, decoded once. What it points at is shared and must not be changed.
func (t *internTable[T]) get(from []byte, into *T, decode func([]byte) (T, error)) error {
	t.mu.RLock()
	known := t.entries[string(from)]
	t.mu.RUnlock()
	if known == nil {
		decoded, err := decode(from)
		if err != nil {
			return err
		}
		known = t.put(from, &decoded)
	}
	*into = *known
	return nil
}

// put returns the value that is held for the bytes: this one, unless there is one already.
func (t *internTable[T]) put(from []byte, decoded *T) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other, ok := t.entries[string(from)]; ok {
		return other
	}
	if t.entries == nil {
		t.entries = map[string]*T{}
	}
	if len(t.entries) < maxInterned {
		t.entries[string(from)] = decoded
	}
	return decoded
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
