package fast

import (
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// table caches what a local plugin has said of each node for pods that it cannot tell apart. An answer is valid until the node
// changes, which its generation tells (NodeInfo.Generation is never the same for two states of a node).
type table[T any] struct {
	number uint64    // no other table has it
	cells  []cell[T] // by the entry's id
	// version is of what else the answers depend on, nil if nothing; asOf is the one they were given at.
	version *store.Version
	asOf    int
}

type cell[T any] struct {
	generation int64
	answer     T
}

// fit makes a cell for every entry, and drops all answers if they were given at another version.
func (t *table[T]) fit(entries int) {
	if t == nil {
		return
	}
	if t.version != nil && t.asOf != t.version.Now {
		clear(t.cells)
		t.asOf = t.version.Now
	}
	if missing := entries - len(t.cells); missing > 0 {
		t.cells = append(t.cells, make([]cell[T], missing)...)
	}
}

// of is the answer for an entry, which is asked for if the table holds none. A nil table holds none.
func (t *table[T]) of(s *store.Node, ask func() T) T {
	if t == nil {
		return ask()
	}
	c, holds := t.at(s)
	if !holds {
		c.generation, c.answer = s.Info.Generation, ask()
	}
	return c.answer
}

// at is the cell of an entry, and whether its answer is valid.
func (t *table[T]) at(s *store.Node) (*cell[T], bool) {
	c := &t.cells[s.ID]
	return c, c.generation == s.Info.Generation
}
