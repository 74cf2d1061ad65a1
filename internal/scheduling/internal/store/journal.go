package store

// journal is an undo log: what was done since each fork. While nothing is forked it is empty.
type journal struct {
	undo  []func()
	marks []int
}

func (j *journal) fork() { j.marks = append(j.marks, len(j.undo)) }

// depth is how many forks are open.
func (j *journal) depth() int { return len(j.marks) }

func (j *journal) did(undo func()) {
	if len(j.marks) > 0 {
		j.undo = append(j.undo, undo)
	}
}

func (j *journal) revert() {
	last := len(j.marks) - 1
	for i := len(j.undo) - 1; i >= j.marks[last]; i-- {
		j.undo[i]()
		j.undo[i] = nil
	}
	j.undo, j.marks = j.undo[:j.marks[last]], j.marks[:last]
}

// Version numbers states: no two different states have the same number, and a revert restores the former one.
type Version struct {
	journal *journal
	Now     int
	highest int
}

func (v *Version) raise() {
	before := v.Now
	v.highest++
	v.Now = v.highest
	v.journal.did(func() { v.Now = before })
}
