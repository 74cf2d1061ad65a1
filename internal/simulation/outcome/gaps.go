package outcome

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/naosu-dev/naosu/internal/message"
)

// Gaps are what bears on the future and is not modelled, each noted once.
type Gaps map[string]Gap

// Note notes a gap: what it is about, and why it bears on the future.
func (g Gaps) Note(about string, why message.Sentence) {
	g[fmt.Sprint(about, why.ID, why.Args)] = Gap{About: about, Why: why}
}

// List are the gaps, by what they are about.
func (g Gaps) List() []Gap {
	return slices.SortedFunc(maps.Values(g), func(a, b Gap) int {
		return cmp.Or(cmp.Compare(a.About, b.About), cmp.Compare(a.Why.ID, b.Why.ID), cmp.Compare(fmt.Sprint(a.Why.Args), fmt.Sprint(b.Why.Args)))
	})
}
