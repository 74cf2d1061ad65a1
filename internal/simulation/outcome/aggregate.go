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

// FateCounts gathers the fates of futures and counts the futures that bring each.
type FateCounts struct {
	futures int
	byFate  map[fateKey]*countedFate
}

// countedFate is a pod's fate as in the future that was counted last, the number of futures that bring it, and by node those in which the pod ends there.
type countedFate struct {
	fate  Fate
	count futureCount
	nodes map[string]*futureCount
}

// futureCount is a number of futures, and the last of them. A future may bring a fate more than once: to a pod and to a later pod of the same name.
type futureCount struct{ futures, last int }

func (c *futureCount) add(future int) {
	if c.last != future {
		c.futures, c.last = c.futures+1, future
	}
}

// NewFateCounts counts no future yet.
func NewFateCounts() *FateCounts { return &FateCounts{byFate: map[fateKey]*countedFate{}} }

// Add adds a future with these fates.
func (c *FateCounts) Add(fates []Fate) {
	c.futures++
	for _, fate := range fates {
		counted := c.byFate[fateKeyOf(fate)]
		if counted == nil {
			counted = &countedFate{nodes: map[string]*futureCount{}}
			c.byFate[fateKeyOf(fate)] = counted
		}
		node := counted.nodes[fate.To]
		if node == nil {
			node = &futureCount{}
			counted.nodes[fate.To] = node
		}
		counted.fate = fate
		counted.count.add(c.futures)
		node.add(c.futures)
	}
}

// Of is the number of futures that bring a fate.
func (c *FateCounts) Of(f Fate) int {
	counted := c.byFate[fateKeyOf(f)]
	if counted == nil {
		return 0
	}
	return counted.count.futures
}

// Aggregate gathers the results of several futures, also those that the first future does not have.
type Aggregate struct {
	seeds      int
	fates      *FateCounts
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
		seeds: seeds, fates: NewFateCounts(), violations: map[change.Ref]Violation{}, violated: map[change.Ref]int{}, gaps: map[gapKey]Gap{},
	}
}

// Add adds the outcome of one future.
func (a *Aggregate) Add(o Outcome) {
	a.fates.Add(o.Fates)
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
	for _, counted := range a.fates.byFate {
		fate := counted.fate
		fate.Chance, fate.NodeChance = a.fraction(counted.count.futures), a.fraction(counted.nodes[fate.To].futures)
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

// worseViolation is the one of two violations with more disruptions above what the budget allowed.
func worseViolation(a, b Violation) Violation {
	if a.Disrupted-a.Allowed > b.Disrupted-b.Allowed {
		return a
	}
	return b
}
