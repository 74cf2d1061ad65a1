package scheduling

// table is what a local plugin has said of each node for pods that it cannot tell apart. An answer holds until the node
// changes, which its generation tells (NodeInfo.Generation is never the same for two states of a node).
type table[T any] struct {
	number uint64    // no other table has it
	cells  []cell[T] // by the slot's id
	// setting is what else the answers follow from, nil if nothing; was is how it stood when they were given.
	setting *version
	was     int
}

type cell[T any] struct {
	generation int64
	answer     T
}

// fit makes room for every slot there is, and forgets everything if it was said in another setting.
func (t *table[T]) fit(slots int) {
	if t == nil {
		return
	}
	if t.setting != nil && t.was != t.setting.now {
		clear(t.cells)
		t.was = t.setting.now
	}
	if missing := slots - len(t.cells); missing > 0 {
		t.cells = append(t.cells, make([]cell[T], missing)...)
	}
}

// of is the answer for a slot, which is asked for if the table holds none. A nil table holds none.
func (t *table[T]) of(s *slot, ask func() T) T {
	if t == nil {
		return ask()
	}
	c, holds := t.at(s)
	if !holds {
		c.generation, c.answer = s.info.Generation, ask()
	}
	return c.answer
}

// at is the cell of a slot, and whether its answer holds.
func (t *table[T]) at(s *slot) (*cell[T], bool) {
	c := &t.cells[s.id]
	return c, c.generation == s.info.Generation
}
