package cluster

// Overlaid is how many objects of a kind the Snapshot holds beside those it shares with others, or has taken away from
// them.
func (s *Snapshot) Overlaid() int { return s.tables[Pod].(interface{ overlaid() int }).overlaid() }

func (t *table[T]) overlaid() int { return t.over.len() }
