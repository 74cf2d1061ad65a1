package headroom

import (
	"context"
	"maps"
	"math"
	"slices"
)

const (
	// exactNodes and exactCandidates are up to how many nodes and candidates all smaller rooms are tried.
	exactNodes      = 8
	exactCandidates = 2_000
)

// sizeFor finds the room that survives all of the cases, and writes it into the answer.
func (s *sizer) sizeFor(ctx context.Context, cases []failureCase, a *Answer) error {
	if err := s.prepare(ctx, cases); err != nil {
		return err
	}
	for i, one := range cases {
		if slices.Equal(one.nodes, a.Worst.Nodes) {
			a.Room.Helpless = 0
			for _, n := range s.allowed[i] {
				a.Room.Helpless += n
			}
		}
	}
	a.Room.Bound = s.bound()
	r, result, err := s.find(ctx, nil)
	if err != nil || result == NotSized {
		return err
	}
	a.Room.Result, a.Room.Placeholders, a.Room.Cost = result, append([]Placeholder{}, r.sorted(s.size)...), s.cost(r)
	return nil
}

// find is the smallest room that was found, beginning with one.
func (s *sizer) find(ctx context.Context, begin room) (room, Result, error) {
	s.judge.Fork()
	defer s.judge.Revert()
	if err := s.fill(); err != nil {
		return nil, NotSized, err
	}
	r, active := begin, map[int]bool{}
	for i := range s.cases { // The most demanding first.
		held, err := s.survives(ctx, r, i)
		if err != nil {
			return nil, NotSized, err
		}
		if held {
			continue
		}
		active[i] = true
		if r, held, err = s.extend(ctx, r, i); err != nil || !held {
			return s.findFilled(ctx, err)
		}
	}
	return s.reduceAll(ctx, r, active)
}

// mostExtensions bounds how often placeholders are added for the pods that a case still harms.
const mostExtensions = 8

// extend adds placeholders until a room survives a case: for the pods that it harms, where they would run if all that is free were there for them, or on
// the node with the most room; at last for all pods that it displaces.
func (s *sizer) extend(ctx context.Context, r room, i int) (room, bool, error) {
	extended := r
	for range mostExtensions {
		held, err := s.simulateRoom(ctx, extended, i)
		if err != nil || held {
			return extended, held, err
		}
		before := len(extended)
		for _, p := range s.landings[i] {
			if !slices.Contains(s.harmed, p.pod) {
				continue
			}
			if next, ok := s.add(extended, p, s.cases[i].nodes); ok {
				extended = next
			}
		}
		if len(extended) == before {
			break
		}
	}
	extended = r.including(s.landings[i])
	if !s.fits(extended) {
		return r, false, nil
	}
	held, err := s.survives(ctx, extended, i)
	return extended, held, err
}

// add adds a placeholder to a room: on its node, or on the node with the most room that is not lost.
func (s *sizer) add(r room, p Placeholder, lost []string) (room, bool) {
	best, most := "", -1.0
	for _, node := range slices.Sorted(maps.Keys(s.free)) {
		left := s.free[node].minus(r.on(node))
		if !p.size.within(left) || slices.Contains(lost, node) {
			continue
		}
		share := s.size.share(left)
		if node == p.Node {
			share = math.Inf(1)
		}
		if share > most {
			best, most = node, share
		}
	}
	if best == "" {
		return r, false
	}
	return append(slices.Clone(r), newPlaceholder(best, p.size)), true
}

// findFilled begins with as many placeholders as there is room for.
func (s *sizer) findFilled(ctx context.Context, err error) (room, Result, error) {
	if err != nil {
		return nil, NotSized, err
	}
	var r room
	for _, node := range slices.Sorted(maps.Keys(s.free)) {
		free := s.free[node]
		for _, shape := range s.shapes {
			for shape.within(free) && len(r) < mostDisplaced {
				free = free.minus(shape)
				r = append(r, newPlaceholder(node, shape))
			}
		}
	}
	r.sorted(s.size)
	all := make([]int, len(s.cases))
	active := map[int]bool{}
	for i := range all {
		all[i], active[i] = i, true
	}
	switch held, err := s.survives(ctx, r, all...); {
	case err != nil:
		return nil, NotSized, err
	case !held:
		return s.findCheapest(ctx)
	}
	return s.reduceAll(ctx, r, active)
}

// findCheapest tries all rooms of a small cluster, for cases that neither the placeholders added for them nor as many as there is room for survive: with
// more room, the scheduler may put a pod where only another could run.
func (s *sizer) findCheapest(ctx context.Context) (room, Result, error) {
	if len(s.free) > exactNodes {
		return nil, NotSized, nil
	}
	found, _, err := s.cheapest(ctx, math.Inf(1), 0)
	if err != nil || found == nil {
		return nil, NotSized, err
	}
	return found, Minimal, nil
}

// reduceAll makes a room smaller as long as it survives the cases that needed placeholders, and then looks whether it survives the others: one that it
// does not survive is added to them.
func (s *sizer) reduceAll(ctx context.Context, r room, active map[int]bool) (room, Result, error) {
	for {
		largest := r
		smaller, done, err := s.reduce(ctx, r, active)
		if err != nil {
			return nil, NotSized, err
		}
		failed := -1
		for i := range s.cases {
			if held, err := s.survives(ctx, smaller, i); err != nil {
				return nil, NotSized, err
			} else if !held {
				failed = i
				break
			}
		}
		switch {
		case failed < 0 && s.open:
			return s.confirm(ctx, smaller, done)
		case failed < 0 && !done:
			return smaller, Sufficient, nil
		case failed < 0:
			return s.exact(ctx, smaller)
		case active[failed] || s.spent():
			if s.open {
				return s.confirm(ctx, largest, false)
			}
			return largest, Sufficient, nil
		}
		active[failed] = true
	}
}

// confirm plays the most demanding cases with placeholders that the scheduler preempts. A room that does not survive them gets all placeholders that
// they could need.
func (s *sizer) confirm(ctx context.Context, r room, done bool) (room, Result, error) {
	s.open = false
	result := Irreducible
	if !done {
		result = Sufficient
	}
	for i := range min(len(s.cases), mostConfirmed) {
		held, err := s.survives(ctx, r, i)
		if err == nil && !held {
			r, result = r.including(s.landings[i]), Sufficient
			held, err = s.survives(ctx, r, i)
		}
		if err != nil || !held || !s.fits(r) {
			return nil, NotSized, err
		}
	}
	if len(r) == 0 || len(r) == 1 && result == Irreducible && compareFloats(s.cost(r), s.bound()) <= 0 {
		result = Minimal
	}
	return r, result, nil
}

// reduce leaves out placeholders and makes them smaller, one at a time, the largest first, until nothing more can be; done is false if it gave up.
func (s *sizer) reduce(ctx context.Context, r room, active map[int]bool) (reduced room, done bool, err error) {
	var cases []int
	for i := range s.cases {
		if active[i] {
			cases = append(cases, i)
		}
	}
	r.sorted(s.size)
	for changed := true; changed; {
		changed = false
		for i := 0; i < len(r); i++ {
			for _, next := range s.smaller(r, i) {
				if s.spent() {
					return r, false, nil
				}
				held, err := s.survives(ctx, next, cases...)
				if err != nil {
					return nil, false, err
				}
				if held {
					changed = true
					if len(next) < len(r) {
						i--
					}
					r = next
					break
				}
			}
		}
	}
	return r, true, nil
}

// smaller are the room without a placeholder, and with the next smaller one in its place.
func (s *sizer) smaller(r room, i int) []room {
	all := []room{r.without(i)}
	for _, shape := range s.shapes {
		if shape.within(r[i].size) && compareFloats(s.size.share(shape), s.size.share(r[i].size)) < 0 {
			next := slices.Clone(r)
			next[i] = newPlaceholder(r[i].Node, shape)
			return append(all, next)
		}
	}
	return all
}

// cost of a room is the dominant share of its placeholders, in nodes.
func (s *sizer) cost(r room) float64 { return s.size.share(r.total()) }

// bound is what a room costs at least: in a world without anything else that is free, what a case displaces fits only into its placeholders. Nothing
// is known of a rotation, which brings nodes, nor if other pods go, whose room is free then.
func (s *sizer) bound() float64 {
	most := 0.0
	for i, one := range s.cases {
		if len(s.allowed[i]) == 0 && !one.brings() {
			most = max(most, s.cost(s.landings[i]))
		}
	}
	return most
}

// exact tries all rooms that cost less than one, or as much with fewer placeholders, the cheapest first, in small clusters.
func (s *sizer) exact(ctx context.Context, r room) (room, Result, error) {
	if len(r) == 0 || len(r) == 1 && compareFloats(s.cost(r), s.bound()) <= 0 {
		return r, Minimal, nil
	}
	if len(s.free) > exactNodes {
		return r, Irreducible, nil
	}
	switch found, all, err := s.cheapest(ctx, s.cost(r), len(r)); {
	case err != nil:
		return nil, NotSized, err
	case found != nil:
		return found, Minimal, nil
	case !all:
		return r, Irreducible, nil
	}
	return r, Minimal, nil
}

// cheapest is the room that costs least of all that survive the cases and cost less than most, or as much with fewer placeholders than count; nil if there is none.
// It tries none if there are too many, and gives up once the search is spent; then all is false.
func (s *sizer) cheapest(ctx context.Context, most float64, count int) (found room, all bool, err error) {
	candidates, all := s.candidates(most, count)
	if !all {
		return nil, false, nil
	}
	cases := make([]int, len(s.cases))
	for i := range cases {
		cases[i] = i
	}
	for _, candidate := range candidates {
		if s.spent() {
			return nil, false, nil
		}
		if held, err := s.survives(ctx, candidate, cases...); err != nil || held {
			return candidate, true, err
		}
	}
	return nil, true, nil
}

// candidates are the rooms that cost less than most, or as much with fewer placeholders than count, the cheapest first; false if there are too many.
func (s *sizer) candidates(most float64, count int) ([]room, bool) {
	var options room
	for node := range s.free {
		for _, shape := range s.shapes {
			options = append(options, newPlaceholder(node, shape))
		}
	}
	options.sorted(s.size)
	least := s.bound()
	var found []room
	tried := 0
	var extend func(chosen room, from int)
	extend = func(chosen room, from int) {
		if tried++; tried > 20*exactCandidates || len(found) > exactCandidates {
			return
		}
		cost := s.cost(chosen)
		if compareFloats(cost, most) > 0 || !s.fits(chosen) {
			return
		}
		if compareFloats(cost, least) >= 0 && (compareFloats(cost, most) < 0 || len(chosen) < count) {
			found = append(found, slices.Clone(chosen))
		}
		for i := from; i < len(options); i++ {
			extend(append(slices.Clip(chosen), options[i]), i)
		}
	}
	extend(nil, 0)
	slices.SortStableFunc(found, func(a, b room) int {
		if d := compareFloats(s.cost(a), s.cost(b)); d != 0 {
			return d
		}
		return len(a) - len(b)
	})
	return found, tried <= 20*exactCandidates && len(found) <= exactCandidates
}
