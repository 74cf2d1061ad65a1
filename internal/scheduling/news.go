package scheduling

// news are the slots that have changed, the latest last, for those who keep what follows from each. Old ones are forgotten.
type news struct {
	slots     []*slot
	forgotten int
}

// lasting is how many changes are remembered at least. Who has missed more looks at every node anew.
const lasting = 4096

func (n *news) add(s *slot) {
	if len(n.slots) == 2*lasting {
		n.forgotten += lasting
		n.slots = n.slots[:copy(n.slots, n.slots[lasting:])]
	}
	n.slots = append(n.slots, s)
}

// listener is how far somebody has heard the news. The zero listener has heard nothing.
type listener struct{ heard int }

// hear returns the slots that have changed since the last time, or false if everything may have.
func (l *listener) hear(n *news) ([]*slot, bool) {
	before := l.heard
	l.heard = n.forgotten + len(n.slots)
	if before == 0 || before < n.forgotten {
		return nil, false
	}
	return n.slots[before-n.forgotten:], true
}
