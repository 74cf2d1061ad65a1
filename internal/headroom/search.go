package headroom

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
)

const (
	// mostEnlarged bounds how often each trial is played until a room survives all.
	mostEnlarged = 8
	// mostExtensions bounds how often placeholders are added for the pods that a case still harms.
	mostExtensions = 16
	// mostFilled bounds the placeholders of a room that holds all that is free.
	mostFilled = 2_000
	// manyDisplaced is from how many displaced pods on a room gets placeholders for all of them at once.
	manyDisplaced = 500
)

// sizeFor finds the room that survives all of the cases, beginning with one, and writes it into the answer.
func (s *sizer) sizeFor(ctx context.Context, cases []failureCase, a *Answer, begin room) error {
	if err := s.prepare(ctx, cases); err != nil {
		return err
	}
	for i, one := range cases {
		if slices.Equal(one.nodes, a.Worst.Nodes) {
			a.Room.Helpless = 0
			for _, n := range s.present[i].harms {
				a.Room.Helpless += n
			}
		}
	}
	a.Room.Bound = s.bound()
	r, result, err := s.find(ctx, begin)
	if err != nil || result == NotSized {
		return err
	}
	a.Room.Result, a.Room.Placeholders, a.Room.Cost = result, append([]Placeholder{}, r.sorted(s.size)...), s.share(r)
	if price, known := s.priceOf(r); known {
		a.Room.Price = &price
	}
	return nil
}

// find is the smallest room that was found, beginning with one that the demanding cases need, if there is one.
func (s *sizer) find(ctx context.Context, begin room) (room, Result, error) {
	defer s.unfill()
	if err := s.fill(); err != nil {
		return nil, NotSized, err
	}
	if begin != nil {
		s.activate(func(t trial) bool { return s.cases[t.i].demanding })
		return s.reduceAll(ctx, begin)
	}
	first := len(s.trials)
	if s.large {
		first = len(s.cases) // With placeholders, once they are few.
	}
	r, held, err := s.enlarge(ctx, nil, first)
	if err != nil || !held {
		return s.findFilled(ctx, err)
	}
	return s.reduceAll(ctx, r)
}

// activate has trials be those that a smaller room must survive.
func (s *sizer) activate(which func(trial) bool) {
	for _, t := range s.trials {
		if which(t) && !slices.Contains(s.active, t) {
			s.active = append(s.active, t)
		}
	}
}

// putFirst has a trial be the next to try, but no preemption before what is free, which takes less time.
func (s *sizer) putFirst(t trial) {
	s.active = slices.DeleteFunc(s.active, func(other trial) bool { return other == t })
	at := 0
	if s.large && !t.open {
		at = s.opened()
	}
	s.active = slices.Insert(s.active, at, t)
}

// opened is how many of the active trials are open: they come first.
func (s *sizer) opened() int {
	if at := slices.IndexFunc(s.active, func(t trial) bool { return !t.open }); at >= 0 {
		return at
	}
	return len(s.active)
}

// enlarge has a room survive the trials in turn, the most demanding first, and reports whether it does. Where that takes more room, it goes on until the
// room has survived all of them as it is, but for no more than so many trials.
func (s *sizer) enlarge(ctx context.Context, r room, most int) (room, bool, error) {
	for at, survived := 0, 0; survived < len(s.trials) && at < most; at++ {
		t := s.trials[at%len(s.trials)]
		held, err := s.survives(ctx, r, t)
		if err != nil {
			return r, false, err
		}
		if held {
			survived++
			continue
		}
		s.putFirst(t)
		s.cases[t.i].demanding = true
		if r, held, err = s.extend(ctx, r, t); err != nil || !held {
			return r, false, err
		}
		survived = 1
	}
	return r, true, nil
}

// extend adds placeholders until a room survives a trial: for the pods that it harms, where they would run if all that is free were there for them, or
// on another node; else for all pods that it displaces.
func (s *sizer) extend(ctx context.Context, r room, t trial) (room, bool, error) {
	all := s.present[t.i].landing
	begins := []room{r, r.including(all)}
	if s.large {
		begins[1] = s.add(r, all.lacking(r), s.cases[t.i].nodes)
	}
	if s.displaced[t.i] >= manyDisplaced {
		begins = begins[1:]
	}
	for _, begin := range begins {
		if extended, held, err := s.extendFrom(ctx, begin, t); err != nil || held {
			return extended, held, err
		}
	}
	return r, false, nil
}

func (s *sizer) extendFrom(ctx context.Context, r room, t trial) (room, bool, error) {
	if !s.fits(r) {
		return r, false, nil
	}
	for round := range mostExtensions {
		held, err := s.simulateRoom(ctx, r, t)
		if err != nil || held {
			return r, held, err
		}
		before := len(r)
		if r = s.addFor(r, t, 1<<(round/3)); len(r) == before {
			break
		}
	}
	return r, false, nil
}

// addFor adds so many placeholders for each of the pods that the last simulation has harmed.
func (s *sizer) addFor(r room, t trial, count int) room {
	harmed := sets.New(s.harmed...)
	var wanted room
	for _, p := range s.present[t.i].landing {
		if harmed.Has(p.pod) {
			wanted = append(wanted, slices.Repeat(room{p}, count)...)
		}
	}
	return s.add(r, wanted, s.cases[t.i].nodes)
}

// add adds placeholders, as far as there is room for them on nodes that are not lost.
func (s *sizer) add(r, wanted room, lost []string) room {
	all, left := slices.Clone(r), maps.Clone(s.free)
	for node, sum := range r.byNode() {
		left[node] = left[node].minus(sum)
	}
	for _, node := range lost {
		delete(left, node)
	}
	for _, p := range wanted {
		if node := s.nodeFor(p, left); node != "" {
			left[node] = left[node].minus(p.size)
			all = append(all, newPlaceholder(node, p.size))
		}
	}
	return all
}

// nodeFor is where a placeholder has room: on its node, on the one with the most room that is like it, or on the one with the most room.
func (s *sizer) nodeFor(p Placeholder, left map[string]amounts) string {
	if p.size.within(left[p.Node]) {
		return p.Node
	}
	best, most := "", -1.0
	for _, node := range s.nodes {
		if !p.size.within(left[node]) {
			continue
		}
		share := s.size.share(left[node])
		if s.alike[node] == s.alike[p.Node] {
			share += preferred
		}
		if share > most {
			best, most = node, share
		}
	}
	return best
}

// preferred is a share of a node's resources that no node has.
const preferred = 1e6

// findFilled begins with as many placeholders as there is room for.
func (s *sizer) findFilled(ctx context.Context, err error) (room, Result, error) {
	if err != nil {
		return nil, NotSized, err
	}
	var r room
	for _, node := range s.nodes {
		free := s.free[node]
		for _, shape := range s.shapes {
			for shape.within(free) && len(r) < mostFilled {
				free = free.minus(shape)
				r = append(r, newPlaceholder(node, shape))
			}
		}
	}
	s.activate(func(trial) bool { return true })
	switch held, err := s.survives(ctx, r, s.trials...); {
	case err != nil:
		return nil, NotSized, err
	case !held:
		return s.findCheapest(ctx)
	}
	return s.reduceAll(ctx, r)
}

// reduceAll makes a room smaller as long as it survives the trials that it was enlarged for, and enlarges it for others that it does not survive then,
// until it is as small as it may be or the search is spent.
func (s *sizer) reduceAll(ctx context.Context, r room) (room, Result, error) {
	var best room
	found := false
	for {
		next, held, done, err := s.reduceOnce(ctx, r)
		cheapest := !found || s.compare(next, best) <= 0
		switch {
		case err != nil:
			return nil, NotSized, err
		case !held && !found:
			return s.findCheapest(ctx)
		case !held:
			return best, Sufficient, nil
		case done && cheapest:
			return s.exact(ctx, next)
		case done: // The trials that came since may let the best be made smaller still.
			r = best
			continue
		case cheapest:
			best, found = next, true
		}
		if s.spent() {
			return best, Sufficient, nil
		}
		r = next
	}
}

// reduceOnce makes a room smaller, and enlarges it for the trials that it does not survive then. It reports whether it survives all, and whether it is as
// small as it may be.
func (s *sizer) reduceOnce(ctx context.Context, r room) (next room, held, done bool, err error) {
	smaller, reduced, err := s.reduce(ctx, r)
	if err != nil {
		return nil, false, false, err
	}
	next, held, err = s.enlarge(ctx, smaller, mostEnlarged*len(s.trials))
	return next, held, reduced && len(next) == len(smaller), err
}

// compare puts the room first that costs less, or has fewer placeholders.
func (s *sizer) compare(a, b room) int {
	return cmp.Or(compareFloats(s.cost(a), s.cost(b)), cmp.Compare(len(a), len(b)))
}

// reduce leaves out placeholders and makes them smaller until nothing more can be; done is false if it gave up.
func (s *sizer) reduce(ctx context.Context, r room) (reduced room, done bool, err error) {
	r = slices.Clone(r).sorted(s.size)
	for {
		steps, err := s.steps(ctx, r)
		spent := errors.Is(err, errSpent)
		if err != nil && !spent {
			return nil, false, err
		}
		if len(steps) == 0 {
			return r, !spent, nil
		}
		if r, err = s.lastSurviving(ctx, r, steps); err != nil || spent {
			return r, false, err
		}
	}
}

// steps are rooms of which each is a step smaller than the one before, the first than a given one, until no step suffices. The largest placeholders
// come first, in a large cluster many at a time.
func (s *sizer) steps(ctx context.Context, r room) ([]room, error) {
	var steps []room
	var err error
	if s.large && s.opened() == len(s.active) {
		begin := len(r)
		r, err = s.leaveOutUntaken(ctx, r)
		for count := len(r) / 2; count > 1 && err == nil; count /= 2 {
			r, err = s.leaveOut(ctx, r, count)
		}
		if len(r) < begin {
			steps = append(steps, r)
		}
	}
	for changed := true; changed && err == nil; {
		changed = false
		for i := 0; i < len(r) && err == nil; i++ {
			var next room
			if next, err = s.smaller(ctx, r, i); next == nil {
				continue
			}
			changed = true
			if len(next) < len(r) {
				i--
			}
			r = next
			steps = append(steps, r)
		}
	}
	return steps, err
}

// lastSurviving is the last of several steps that survives all trials that rooms were enlarged for, or the room before the first of them. What one step
// does not survive, those after it are taken not to survive either.
func (s *sizer) lastSurviving(ctx context.Context, r room, steps []room) (room, error) {
	low, high := -1, len(steps) // The step at low survives, the one at high does not.
	for at := high - 1; low+1 < high; at = (low + high) / 2 {
		held, err := s.survivesActive(ctx, steps[at])
		switch {
		case err != nil:
			return r, err
		case held:
			low, r = at, steps[at]
		default:
			high = at
		}
	}
	return r, nil
}

// errSpent is that the search has simulated as much as it may.
var errSpent = errors.New("the search is spent")

// leaveOut leaves out so many placeholders at a time.
func (s *sizer) leaveOut(ctx context.Context, r room, count int) (room, error) {
	for from := 0; from+count <= len(r); {
		next := r.without(from, count)
		held, err := s.suffices(ctx, next, r[from:from+count].total(), s.excess(r))
		switch {
		case err != nil:
			return r, err
		case held:
			r = next
		default:
			from += count
		}
	}
	return r, nil
}

// leaveOutUntaken leaves out placeholders of which no displaced pod has taken the place, many at a time. The scheduler may then choose other places: those
// that are taken change with the room.
func (s *sizer) leaveOutUntaken(ctx context.Context, r room) (room, error) {
	untaken := s.untaken(r)
	for count := len(untaken); count > 0; count /= 2 {
		for from := 0; from < len(untaken); {
			some := untaken[from:min(from+count, len(untaken))]
			next := r.lacking(some)
			held, err := s.suffices(ctx, next, some.total(), s.excess(r))
			switch {
			case err != nil:
				return r, err
			case held:
				r, untaken = next, s.untaken(next)
			default:
				from += count
			}
		}
	}
	return r, nil
}

// untaken are placeholders of a room that no displaced pod has taken the place of in an active trial, as far as these are known of this room.
func (s *sizer) untaken(r room) room {
	left := r.byNode()
	number := s.number(r)
	most := map[string]amounts{}
	for _, t := range s.active[:s.opened()] {
		taken := s.taken[t.i]
		if taken.number != number {
			return nil
		}
		for node, sum := range taken.byNode {
			most[node] = most[node].orMore(sum)
		}
	}
	for node, sum := range most {
		left[node] = left[node].minus(sum)
	}
	var all room
	for _, p := range r {
		if p.size.within(left[p.Node]) {
			left[p.Node] = left[p.Node].minus(p.size)
			all = append(all, p)
		}
	}
	return all
}

// smaller is the room without a placeholder, or with the next smaller one in its place; nil if neither will do.
func (s *sizer) smaller(ctx context.Context, r room, i int) (room, error) {
	excess := s.excess(r)
	held, err := s.suffices(ctx, r.without(i, 1), r[i].size, excess)
	if err != nil || held {
		return r.without(i, 1), err
	}
	for _, shape := range s.shapes {
		if shape.within(r[i].size) && compareFloats(s.size.share(shape), s.size.share(r[i].size)) < 0 {
			next := slices.Clone(r)
			next[i] = newPlaceholder(r[i].Node, shape)
			if held, err := s.suffices(ctx, next, r[i].size.minus(shape), excess); err != nil || !held {
				return nil, err
			}
			return next, nil
		}
	}
	return nil, nil
}

// excess is what a room requests more than the least that any must.
func (s *sizer) excess(r room) amounts { return r.total().minus(s.least) }

// suffices reports whether a room survives the trials that rooms were enlarged for, as far as that is soon found out: trials with placeholders take long
// in a large cluster, and those that are not known yet are left for lastSurviving. The room has so much less than another with an excess.
func (s *sizer) suffices(ctx context.Context, r room, less, excess amounts) (bool, error) {
	for name, value := range less {
		if s.least[name] > 0 && value > excess[name] {
			return false, nil
		}
	}
	if s.spent() {
		return false, errSpent
	}
	if !s.large {
		return s.survivesActive(ctx, r)
	}
	return s.survivesOpened(ctx, r)
}

// survivesActive reports whether a room survives the active trials.
func (s *sizer) survivesActive(ctx context.Context, r room) (bool, error) {
	return s.survivesEach(ctx, r, s.active)
}

// survivesOpened reports whether a room survives the active trials that are open, and is not known not to survive another.
func (s *sizer) survivesOpened(ctx context.Context, r room) (bool, error) {
	opened, number := s.opened(), s.number(r)
	for _, t := range s.active[opened:] {
		if held, known := s.known[knownRoom{t, number}]; known && !held {
			return false, nil
		}
	}
	return s.survivesEach(ctx, r, s.active[:opened])
}

// survivesEach reports whether a room survives some of the active trials, and has the first that it does not survive be tried first from now on: it may be
// the one that the next room does not survive either.
func (s *sizer) survivesEach(ctx context.Context, r room, trials []trial) (bool, error) {
	for _, t := range trials {
		held, err := s.survives(ctx, r, t)
		if err != nil {
			return false, err
		}
		if !held {
			s.putFirst(t)
			return false, nil
		}
	}
	return true, nil
}

// share of a room is the dominant share of its placeholders, in nodes.
func (s *sizer) share(r room) float64 { return s.size.share(r.total()) }

// cost of a room is its price, or its share if not all prices are known.
func (s *sizer) cost(r room) float64 {
	if s.priced() {
		price, _ := s.priceOf(r)
		return price
	}
	return s.share(r)
}

// leastCost is what a room costs at least.
func (s *sizer) leastCost() float64 {
	if s.priced() {
		return s.leastPrice(s.least)
	}
	return s.bound()
}

// bound is the least share of any room that survives the cases.
func (s *sizer) bound() float64 {
	most := 0.0
	for i, one := range s.cases {
		if least, known := s.leastFor(one, s.present[i]); known {
			most = max(most, s.size.share(least))
		}
	}
	return most
}
