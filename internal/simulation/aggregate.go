package simulation

import (
	"maps"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
)

// roll is one pod's kind of fate, which the dice may or may not bring.
type fateKey struct {
	pod  change.Ref
	kind Kind
}

func fateKeyOf(f Fate) fateKey { return fateKey{f.Pod, f.Kind} }

// place is a kind of fate with the node that it ends on.
type placementKey struct {
	fateKey
	node string
}

// rolls counts the futures that bring a kind of fate.
type fateCounts map[fateKey]int

// count counts a future in, whose fates these are.
func (r fateCounts) count(fates []Fate) {
	for one := range distinct(fates, fateKeyOf) {
		r[one]++
	}
}

// tally gathers what several futures bring. What stands in no row of the first future may come all the same.
type aggregate struct {
	seeds      int
	counts     fateCounts
	placements map[placementKey]int
	// fates are what futures bring, each as the last one has it that was added.
	fates      map[fateKey]Fate
	violations map[change.Ref]Violation
	violated   map[change.Ref]int
	gaps       map[gapKey]Gap
}

// gapKind tells gaps apart whose numbers may differ between futures.
type gapKey struct {
	about string
	id    message.ID
}

func newAggregate(seeds int) *aggregate {
	return &aggregate{
		seeds: seeds, counts: fateCounts{}, placements: map[placementKey]int{}, fates: map[fateKey]Fate{},
		violations: map[change.Ref]Violation{}, violated: map[change.Ref]int{}, gaps: map[gapKey]Gap{},
	}
}

// add adds a future at its end.
func (t *aggregate) add(e *engine) {
	fates := e.fates.list()
	e.noteAutoscaling(fates)
	e.noteAdmissionControllers()
	t.counts.count(fates)
	for one := range distinct(fates, placementKeyOf) {
		t.placements[one]++
	}
	for _, fate := range fates {
		t.fates[fateKeyOf(fate)] = fate
	}
	for _, v := range e.budgets.violations() {
		t.violated[v.Budget]++
		t.violations[v.Budget] = worseViolation(t.violations[v.Budget], v)
	}
	for _, gap := range e.gaps.list() {
		t.gaps[gapKey{gap.About, gap.Why.ID}] = gap
	}
}

// outcome is that of all futures, in the world of the one that was added last.
func (t *aggregate) outcome(last *engine) Outcome {
	o := Outcome{World: last.judge.World(), NotModelled: t.notModelled(last), Seeds: t.seeds}
	for _, fate := range t.fates {
		fate.Chance = t.fraction(t.counts[fateKeyOf(fate)])
		fate.NodeChance = t.fraction(t.placements[placementKeyOf(fate)])
		o.Fates = append(o.Fates, fate)
	}
	slices.SortFunc(o.Fates, compareFates)
	for _, v := range t.violations {
		v.Chance = t.fraction(t.violated[v.Budget])
		o.Violations = append(o.Violations, v)
	}
	slices.SortFunc(o.Violations, func(a, b Violation) int { return compareRefs(a.Budget, b.Budget) })
	return o
}

// notModelled are a future's gaps, and those that only others have.
func (t *aggregate) notModelled(of *engine) []Gap {
	all := maps.Clone(of.gaps)
	for _, gap := range of.gaps.list() {
		delete(t.gaps, gapKey{gap.About, gap.Why.ID})
	}
	for _, gap := range t.gaps {
		all.note(gap.About, gap.Why)
	}
	return all.list()
}

func (t *aggregate) fraction(futures int) float64 { return float64(futures) / float64(t.seeds) }

func placementKeyOf(f Fate) placementKey { return placementKey{fateKeyOf(f), f.To} }

// distinct are the keys of fates: a future may bring one more than once, to a pod and to another of its name.
func distinct[K comparable](fates []Fate, key func(Fate) K) map[K]bool {
	keys := map[K]bool{}
	for _, fate := range fates {
		keys[key(fate)] = true
	}
	return keys
}

// worse is the violation of a budget that more pods are too many of.
func worseViolation(a, b Violation) Violation {
	if a.Disrupted-a.Allowed > b.Disrupted-b.Allowed {
		return a
	}
	return b
}

// outcome is that of this future alone.
func (e *engine) outcome() Outcome {
	return Outcome{World: e.judge.World(), Fates: e.fates.list(), Violations: e.budgets.violations(), NotModelled: e.gaps.list(), Seeds: 1}
}
