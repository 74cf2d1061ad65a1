package headroom

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Reserve is the room that survives each of the failures, one at a time, and what is free beside it.
type Reserve struct {
	Status ReserveStatus `json:"status"`
	// Room survives each of the failures; nil unless the Status is Computed.
	Room *Room `json:"room,omitempty"`
	// Free is what the pods of ready nodes leave, with what placeholders hold, and Held what placeholders hold of it.
	Free corev1.ResourceList `json:"free"`
	Held corev1.ResourceList `json:"held"`
	// GiveBack is what is free beside the Room, added up over all nodes; nil unless the Status is Computed.
	GiveBack corev1.ResourceList `json:"giveBack,omitempty"`
}

// ReserveStatus says whether it is known how much could be given back.
type ReserveStatus string

const (
	// Computed is a reserve that is known.
	Computed ReserveStatus = "computed"
	// MoreNodes is a reserve that today's nodes do not have: a failure needs more of them, and nothing can be given back.
	MoreNodes ReserveStatus = "more-nodes"
	// UnknownReserve is one that is not known, because the cost or the room of a failure is not.
	UnknownReserve ReserveStatus = "unknown"
)

// reserve is the Reserve of the failures that were answered.
func (c *computation) reserve(ctx context.Context, answers []Answer) (*Reserve, error) {
	if !c.o.Sized {
		return nil, nil
	}
	s := newSizer(c)
	var free, held amounts
	for _, node := range c.ready {
		free = free.plus(s.free[node.Name])
	}
	for _, pod := range s.placeholders {
		held = held.plus(requestsOf(pod))
	}
	r := &Reserve{Status: Computed, Free: free.list(), Held: held.list()}
	var cases []failureCase
	for _, a := range answers {
		switch {
		case a.Room == nil || a.Room.Result == NotSized && a.Room.Needs == nil:
			r.Status = UnknownReserve
		case a.Room.Needs != nil && r.Status == Computed:
			r.Status = MoreNodes
		}
		cases = append(cases, a.sized...)
	}
	if r.Status != Computed || len(cases) == 0 {
		return r, nil
	}
	sortByDemand(cases)
	found, err := s.all(ctx, cases, s.union(answers))
	if err != nil || found.Result == NotSized {
		r.Status = UnknownReserve
		return r, err
	}
	held = room(found.Placeholders).total()
	r.Room, r.GiveBack = found, free.minus(held).list()
	return r, nil
}

// union is a room with the placeholders of all answers, in a large cluster, as far as there is room for them.
func (s *sizer) union(answers []Answer) room {
	var all room
	for _, a := range answers {
		if a.Room != nil && s.large {
			all = s.add(all, room(a.Room.Placeholders).lacking(all), nil)
		}
	}
	return all
}

// all is the room that survives each of the cases.
func (s *sizer) all(ctx context.Context, cases []failureCase, begin room) (*Room, error) {
	a := Answer{Room: &Room{Result: NotSized, Placeholders: []Placeholder{}}}
	return a.Room, s.sizeFor(ctx, cases, &a, begin)
}
