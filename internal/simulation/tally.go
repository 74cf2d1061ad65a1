package simulation

import (
	"maps"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
)

// roll is one pod's kind of fate, which the dice may or may not bring.
type roll struct {
	pod  change.Ref
	kind Kind
}

func rollOf(f Fate) roll { return roll{f.Pod, f.Kind} }

// place is a kind of fate with the node that it ends on.
type place struct {
	roll
	node string
}

// rolls counts the futures that bring a kind of fate.
type rolls map[roll]int

// count counts a future in, whose fates these are.
func (r rolls) count(fates []Fate) {
	for one := range distinct(fates, rollOf) {
		r[one]++
	}
}

// tally gathers what several futures bring. What stands in no row of the first future may come all the same.
type tally struct {
	seeds  int
	rolls  rolls
	places map[place]int
	// fates are what futures bring, each as the last one has it that was added.
	fates      map[roll]Fate
	violations map[change.Ref]Violation
	violated   map[change.Ref]int
	gaps       map[gapKind]Gap
}

// gapKind tells gaps apart whose numbers may differ between futures.
type gapKind struct {
	about string
	id    message.ID
}

func newTally(seeds int) *tally {
	return &tally{
		seeds: seeds, rolls: rolls{}, places: map[place]int{}, fates: map[roll]Fate{},
		violations: map[change.Ref]Violation{}, violated: map[change.Ref]int{}, gaps: map[gapKind]Gap{},
	}
}

// add adds a future at its end.
func (t *tally) add(f *future) {
	fates := f.book.fates()
	f.noteAutoscaling(fates)
	f.noteAdmitters()
	t.rolls.count(fates)
	for one := range distinct(fates, placeOf) {
		t.places[one]++
	}
	for _, fate := range fates {
		t.fates[rollOf(fate)] = fate
	}
	for _, v := range f.budgets.violations() {
		t.violated[v.Budget]++
		t.violations[v.Budget] = worse(t.violations[v.Budget], v)
	}
	for _, gap := range f.gaps.list() {
		t.gaps[gapKind{gap.About, gap.Why.ID}] = gap
	}
}

// outcome is that of all futures, in the world of the one that was added last.
func (t *tally) outcome(last *future) Outcome {
	o := Outcome{World: last.judge.World(), NotModelled: t.notModelled(last), Seeds: t.seeds}
	for _, fate := range t.fates {
		fate.Chance = t.share(t.rolls[rollOf(fate)])
		fate.NodeChance = t.share(t.places[placeOf(fate)])
		o.Fates = append(o.Fates, fate)
	}
	slices.SortFunc(o.Fates, compareFates)
	for _, v := range t.violations {
		v.Chance = t.share(t.violated[v.Budget])
		o.Violations = append(o.Violations, v)
	}
	slices.SortFunc(o.Violations, func(a, b Violation) int { return compareRefs(a.Budget, b.Budget) })
	return o
}

// notModelled are a future's gaps, and those that only others have.
func (t *tally) notModelled(of *future) []Gap {
	all := maps.Clone(of.gaps)
	for _, gap := range of.gaps.list() {
		delete(t.gaps, gapKind{gap.About, gap.Why.ID})
	}
	for _, gap := range t.gaps {
		all.note(gap.About, gap.Why)
	}
	return all.list()
}

func (t *tally) share(futures int) float64 { return float64(futures) / float64(t.seeds) }

func placeOf(f Fate) place { return place{rollOf(f), f.To} }

// distinct are the keys of fates: a future may bring one more than once, to a pod and to another of its name.
func distinct[K comparable](fates []Fate, key func(Fate) K) map[K]bool {
	keys := map[K]bool{}
	for _, fate := range fates {
		keys[key(fate)] = true
	}
	return keys
}

// worse is the violation of a budget that more pods are too many of.
func worse(a, b Violation) Violation {
	if a.Disrupted-a.Allowed > b.Disrupted-b.Allowed {
		return a
	}
	return b
}

// outcome is that of this future alone.
func (f *future) outcome() Outcome {
	return Outcome{World: f.judge.World(), Fates: f.book.fates(), Violations: f.budgets.violations(), NotModelled: f.gaps.list(), Seeds: 1}
}
