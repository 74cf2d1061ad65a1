package reclaim

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// MaxObservations bounds how many interfaces are observed at a time, so that they fit into the status of an object.
const MaxObservations = 500

// Observation is that consecutive passes saw an interface of an instance that is gone. It is kept between passes.
type Observation struct {
	// ID is the interface's, Owner that of the instance that it was made for.
	ID, Owner string
	// First and Last are when the first and the last of these passes saw it.
	First, Last time.Time
}

// isOf says whether an interface is the one that was observed, for the same instance.
func (o Observation) isOf(i cloud.Interface) bool { return o.ID == i.ID && o.Owner == i.Owner() }

// broken says whether too long a time has passed for an observation to go on, or it is of the future.
func (s Scope) broken(o Observation) bool {
	return s.Now.Sub(o.Last) > s.MaxGap || s.Now.Before(o.Last) || o.Last.Before(o.First)
}

// lacksTime says whether an interface lacks nothing but time, or not even that.
func (r Reason) lacksTime() bool {
	return r == TooYoung || r == SeenOnce || r == ObservedBriefly || r == Eligible
}

// Pass decides about each interface that was listed, the oldest first, and returns the observations to be kept until the next pass: those of
// interfaces that lack nothing but time at most. One that is not listed, or no longer is as it was, begins anew.
func (s Scope) Pass(listed []cloud.Interface, earlier []Observation) ([]Decision, []Observation) {
	seen := make(map[string]*Observation, len(earlier))
	for at := range earlier {
		seen[earlier[at].ID] = &earlier[at]
	}
	listed = slices.Clone(listed)
	slices.SortStableFunc(listed, func(a, b cloud.Interface) int {
		return cmp.Or(created(a).Compare(created(b)), strings.Compare(a.ID, b.ID))
	})
	decisions := make([]Decision, 0, len(listed))
	var kept []Observation
	for _, i := range listed {
		before := seen[i.ID]
		reason := s.Decide(i, before)
		decisions = append(decisions, Decision{i, reason})
		if reason.lacksTime() {
			first := s.Now
			if before != nil && before.isOf(i) && !s.broken(*before) {
				first = before.First
			}
			kept = append(kept, Observation{i.ID, i.Owner(), first, s.Now})
		}
	}
	return decisions, bounded(kept)
}

// bounded keeps the longest observations, so that with more interfaces than fit, these are deleted first and make room.
func bounded(all []Observation) []Observation {
	slices.SortStableFunc(all, func(a, b Observation) int { return a.First.Compare(b.First) })
	return all[:min(len(all), MaxObservations)]
}

// created is when an interface was created; long after everything else if no tag says.
func created(i cloud.Interface) time.Time {
	if i.CreatedAt == nil {
		return time.Unix(1<<40, 0)
	}
	return *i.CreatedAt
}
