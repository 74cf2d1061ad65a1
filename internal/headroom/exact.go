package headroom

import (
	"context"
	"math"
	"slices"
)

const (
	// exactNodes and exactCandidates are up to how many nodes and candidates all smaller rooms are tried.
	exactNodes      = 8
	exactCandidates = 2_000
)

// exact tries all rooms that cost less than one, or as much with fewer placeholders, the cheapest first, in small clusters.
func (s *sizer) exact(ctx context.Context, r room) (room, Result, error) {
	if len(r) == 0 || len(r) == 1 && compareFloats(s.cost(r), s.leastCost()) <= 0 {
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
	for _, candidate := range candidates {
		if s.spent() {
			return nil, false, nil
		}
		if held, err := s.survives(ctx, candidate, s.trials...); err != nil || held {
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
	least := s.leastCost()
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
