package scheduling

import fwk "k8s.io/kube-scheduler/framework"

// roster is a list of some nodes that plugins can be handed as it is. Adding, dropping and replacing take constant time;
// the order means nothing.
type roster struct {
	infos []fwk.NodeInfo
	slots []*slot
	// at is where a slot keeps its position in this roster.
	at func(*slot) *int
}

// refresh shows the slot's present info if it is a member, and leaves it out otherwise.
func (r *roster) refresh(s *slot, member bool) {
	switch at := *r.at(s); {
	case member && at == nowhere:
		*r.at(s) = len(r.infos)
		r.infos, r.slots = append(r.infos, s.info), append(r.slots, s)
	case member:
		r.infos[at] = s.info
	case at != nowhere:
		r.drop(s)
	}
}

func (r *roster) drop(s *slot) {
	i, last := *r.at(s), len(r.infos)-1
	r.infos[i], r.slots[i] = r.infos[last], r.slots[last]
	*r.at(r.slots[i]) = i
	*r.at(s) = nowhere
	r.infos[last], r.slots[last] = nil, nil
	r.infos, r.slots = r.infos[:last], r.slots[:last]
}
