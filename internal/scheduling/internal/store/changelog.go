package store

// changeLog lists the node entries that have changed, the latest last, for caches to catch up. Old changes are dropped.
type changeLog struct {
	entries []*Node
	dropped int
}

// keptChanges is how many changes are kept at least. A cache that has missed more looks at every node.
const keptChanges = 4096

func (n *changeLog) add(s *Node) {
	if len(n.entries) == 2*keptChanges {
		n.dropped += keptChanges
		n.entries = n.entries[:copy(n.entries, n.entries[keptChanges:])]
	}
	n.entries = append(n.entries, s)
}

// Forget drops all changes.
func (n *changeLog) Forget() { n.dropped, n.entries = n.dropped+len(n.entries)+1, nil }

// Cursor is a position in the changeLog. The zero Cursor is before all changes.
type Cursor struct{ read int }

// Next returns the entries that have changed since the last time, or false if any may have.
func (l *Cursor) Next(n *changeLog) ([]*Node, bool) {
	before := l.read
	l.read = n.dropped + len(n.entries)
	if before == 0 || before < n.dropped {
		return nil, false
	}
	return n.entries[before-n.dropped:], true
}
