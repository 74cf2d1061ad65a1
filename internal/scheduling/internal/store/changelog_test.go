package store

import (
	"slices"
	"testing"
)

// TestChangeLog reads with cursors at different paces: each gets every change once and in order, or learns that it has missed some.
func TestChangeLog(t *testing.T) {
	var all []*Node
	var n changeLog
	type reader struct {
		cursor Cursor
		every  int
		read   int // of all
		begun  bool
	}
	readers := []*reader{{every: 1}, {every: 7}, {every: keptChanges - 1}, {every: 3*keptChanges + 1}}
	for i := range 10 * keptChanges {
		all = append(all, &Node{ID: i})
		n.add(all[i])
		for _, r := range readers {
			if i%r.every != 0 {
				continue
			}
			changed, known := r.cursor.Next(&n)
			if known && !slices.Equal(changed, all[r.read:]) {
				t.Fatalf("after %d changes, a reader of every %dth reads %d of %d", i+1, r.every, len(changed), len(all)-r.read)
			}
			if want := r.begun && r.every < keptChanges; known != want {
				t.Fatalf("after %d changes, a reader of every %dth: known is %t", i+1, r.every, known)
			}
			r.read, r.begun = len(all), true
		}
	}
}
