package simulation

import (
	"maps"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
)

// fateKey is a pod with a kind of fate, which a future may or may not bring.
type fateKey struct {
	pod  change.Ref
	kind Kind
}

func fateKeyOf(f Fate) fateKey { return fateKey{f.Pod, f.Kind} }

// placementKey is a kind of fate with the node that the pod ends on.
type placementKey struct {
	fateKey
	node string
}

// fateCounts counts the futures that bring a pod a kind of fate.
type fateCounts map[fateKey]int

// count adds a future with these fates.
func (r fateCounts) count(fates []Fate) {
	for one := range distinct(fates, fateKeyOf) {
		r[one]++
	}
}

// aggregate gathers the results of several futures, also those that the first future does not have.
type aggregate struct {
	seeds      int
	counts     fateCounts
	placements map[placementKey]int
	// fates are what the futures bring, each as in the future that was added last.
	fates      map[fateKey]Fate
	violations map[change.Ref]Violation
	violated   map[change.Ref]int
	gaps       map[gapKey]Gap
}

// gapKey identifies a gap. Its numbers may differ between futures.
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
func (a *aggregate) add(e *engine) {
	fates := e.fates.list()
	e.noteAutoscaling(fates)
	e.noteAdmissionControllers()
	a.counts.count(fates)
	for one := range distinct(fates, placementKeyOf) {
		a.placements[one]++
	}
	for _, fate := range fates {
		a.fates[fateKeyOf(fate)] = fate
	}
	for _, v := range e.budgets.violations() {
		a.violated[v.Budget]++
		a.violations[v.Budget] = worseViolation(a.violations[v.Budget], v)
	}
	for _, gap := range e.gaps.list() {
		a.gaps[gapKey{gap.About, gap.Why.ID}] = gap
	}
}

// outcome is that of all futures, with the world of the one that was added last.
func (a *aggregate) outcome(last *engine) Outcome {
	o := Outcome{World: last.judge.World(), NotModelled: a.notModelled(last), Seeds: a.seeds}
	for _, fate := range a.fates {
		fate.Chance = a.fraction(a.counts[fateKeyOf(fate)])
		fate.NodeChance = a.fraction(a.placements[placementKeyOf(fate)])
		o.Fates = append(o.Fates, fate)
	}
	slices.SortFunc(o.Fates, compareFates)
	for _, v := range a.violations {
		v.Chance = a.fraction(a.violated[v.Budget])
		o.Violations = append(o.Violations, v)
	}
	slices.SortFunc(o.Violations, func(a, b Violation) int { return compareRefs(a.Budget, b.Budget) })
	return o
}

// notModelled are a future's gaps, and those that only other futures have.
func (a *aggregate) notModelled(of *engine) []Gap {
	all := maps.Clone(of.gaps)
	for _, gap := range of.gaps.list() {
		delete(a.gaps, gapKey{gap.About, gap.Why.ID})
	}
	for _, gap := range a.gaps {
		all.note(gap.About, gap.Why)
	}
	return all.list()
}

func (a *aggregate) fraction(futures int) float64 { return float64(futures) / float64(a.seeds) }

func placementKeyOf(f Fate) placementKey { return placementKey{fateKeyOf(f), f.To} }

// distinct are the keys of fates. A future may bring one more than once: to a pod and to a later pod of the same name.
func distinct[K comparable](fates []Fate, key func(Fate) K) map[K]bool {
	keys := map[K]bool{}
	for _, fate := range fates {
		keys[key(fate)] = true
	}
	return keys
}

// worseViolation is the one of two violations with more disruptions above what the budget allowed.
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
