package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// gaps are what bears on the future and is not modelled, each noted once.
type gaps map[string]Gap

func newGaps(judge *scheduling.Judge) gaps {
	g := gaps{}
	for _, what := range judge.Basis().NotModelled {
		g.note(what, message.Of(message.GapNotJudged, message.Args{"what": what}))
	}
	return g
}

func (g gaps) note(about string, why message.Sentence) {
	g[fmt.Sprint(about, why.ID, why.Args)] = Gap{About: about, Why: why}
}

// noteAutoscaling notes that an autoscaler outside the cluster may add nodes for unschedulable pods.
func (e *engine) noteAutoscaling(fates []Fate) {
	waits := func(fate Fate) bool { return fate.Kind == Waiting && fate.To == "" }
	if slices.ContainsFunc(fates, waits) && len(e.initial.Groups()) > 0 {
		e.gaps.note("nodes", message.Of(message.GapAutoscaling, nil))
	}
}

func (g gaps) list() []Gap {
	return slices.SortedFunc(maps.Values(g), func(a, b Gap) int {
		return cmp.Or(cmp.Compare(a.About, b.About), cmp.Compare(a.Why.ID, b.Why.ID), cmp.Compare(fmt.Sprint(a.Why.Args), fmt.Sprint(b.Why.Args)))
	})
}
