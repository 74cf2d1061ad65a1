package outcome

import (
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

// Counts counts the futures that bring a pod a kind of fate.
type Counts map[fateKey]int

// Count adds a future with these fates.
func (r Counts) Count(fates []Fate) {
	for one := range distinct(fates, fateKeyOf) {
		r[one]++
	}
}

// Aggregate gathers the results of several futures, also those that the first future does not have.
type Aggregate struct {
	seeds      int
	counts     Counts
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

// NewAggregate is the aggregate of a number of futures.
func NewAggregate(seeds int) *Aggregate {
	return &Aggregate{
		seeds: seeds, counts: Counts{}, placements: map[placementKey]int{}, fates: map[fateKey]Fate{},
		violations: map[change.Ref]Violation{}, violated: map[change.Ref]int{}, gaps: map[gapKey]Gap{},
	}
}

// Add adds the outcome of one future.
func (a *Aggregate) Add(o Outcome) {
	a.counts.Count(o.Fates)
	for one := range distinct(o.Fates, placementKeyOf) {
		a.placements[one]++
	}
	for _, fate := range o.Fates {
		a.fates[fateKeyOf(fate)] = fate
	}
	for _, v := range o.Violations {
		a.violated[v.Budget]++
		a.violations[v.Budget] = worseViolation(a.violations[v.Budget], v)
	}
	for _, gap := range o.NotModelled {
		a.gaps[gapKey{gap.About, gap.Why.ID}] = gap
	}
}

// Outcome is that of all futures, with the world of the one that was added last.
func (a *Aggregate) Outcome(last Outcome) Outcome {
	o := Outcome{World: last.World, Addresses: last.Addresses, NotModelled: a.notModelled(last.NotModelled), Seeds: a.seeds}
	for _, fate := range a.fates {
		fate.Chance = a.fraction(a.counts.Of(fate))
		fate.NodeChance = a.fraction(a.placements[placementKeyOf(fate)])
		o.Fates = append(o.Fates, fate)
	}
	slices.SortFunc(o.Fates, compareFates)
	for _, v := range a.violations {
		v.Chance = a.fraction(a.violated[v.Budget])
		o.Violations = append(o.Violations, v)
	}
	slices.SortFunc(o.Violations, func(a, b Violation) int { return CompareRefs(a.Budget, b.Budget) })
	return o
}

// notModelled are the last future's gaps, and those that only other futures have.
func (a *Aggregate) notModelled(last []Gap) []Gap {
	all := Gaps{}
	for _, gap := range last {
		all.Note(gap.About, gap.Why)
		delete(a.gaps, gapKey{gap.About, gap.Why.ID})
	}
	for _, gap := range a.gaps {
		all.Note(gap.About, gap.Why)
	}
	return all.List()
}

func (a *Aggregate) fraction(futures int) float64 { return float64(futures) / float64(a.seeds) }

func placementKeyOf(f Fate) placementKey { return placementKey{fateKeyOf(f), f.To} }

// Of is the number of futures that bring a fate.
func (r Counts) Of(f Fate) int { return r[fateKeyOf(f)] }

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
