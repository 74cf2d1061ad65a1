package scheduling

import (
	"slices"
	"testing"
)

// TestNews lets listeners hear at their own pace: each hears every change once and in order, or that it has missed some.
func TestNews(t *testing.T) {
	var all []*slot
	var n news
	type hearer struct {
		ear   listener
		every int
		heard int // of all
		told  bool
	}
	hearers := []*hearer{{every: 1}, {every: 7}, {every: lasting - 1}, {every: 3*lasting + 1}}
	for i := range 10 * lasting {
		all = append(all, &slot{id: i})
		n.add(all[i])
		for _, h := range hearers {
			if i%h.every != 0 {
				continue
			}
			changed, known := h.ear.hear(&n)
			if known && !slices.Equal(changed, all[h.heard:]) {
				t.Fatalf("after %d changes, who hears every %d hears %d of %d", i+1, h.every, len(changed), len(all)-h.heard)
			}
			if want := h.told && h.every < lasting; known != want {
				t.Fatalf("after %d changes, who hears every %d: known is %t", i+1, h.every, known)
			}
			h.heard, h.told = len(all), true
		}
	}
}
