package scheduling

// changeLog lists the node entries that have changed, the latest last, for caches to catch up. Old changes are dropped.
type changeLog struct {
	entries []*nodeEntry
	dropped int
}

// keptChanges is how many changes are kept at least. A cache that has missed more looks at every node.
const keptChanges = 4096

func (n *changeLog) add(s *nodeEntry) {
	if len(n.entries) == 2*keptChanges {
		n.dropped += keptChanges
		n.entries = n.entries[:copy(n.entries, n.entries[keptChanges:])]
	}
	n.entries = append(n.entries, s)
}

// forget drops all changes.
func (n *changeLog) forget() { n.dropped, n.entries = n.dropped+len(n.entries)+1, nil }

// changeCursor is a position in the changeLog. The zero changeCursor is before all changes.
type changeCursor struct{ read int }

// next returns the entries that have changed since the last time, or false if any may have.
func (l *changeCursor) next(n *changeLog) ([]*nodeEntry, bool) {
	before := l.read
	l.read = n.dropped + len(n.entries)
	if before == 0 || before < n.dropped {
		return nil, false
	}
	return n.entries[before-n.dropped:], true
}
