package store

import fwk "k8s.io/kube-scheduler/framework"

// nodeList is a list of some nodes that plugins can be given as it is. Adding, dropping and replacing take constant time; it is
// not ordered.
type nodeList struct {
	infos   []fwk.NodeInfo
	entries []*Node
	// indexOf is where an entry keeps its position in this list.
	indexOf func(*Node) *int
}

// refresh puts the entry's present info into the list if it is a member, and drops it otherwise.
func (r *nodeList) refresh(s *Node, member bool) {
	switch at := *r.indexOf(s); {
	case member && at == Absent:
		*r.indexOf(s) = len(r.infos)
		r.infos, r.entries = append(r.infos, s.Info), append(r.entries, s)
	case member:
		r.infos[at] = s.Info
	case at != Absent:
		r.drop(s)
	}
}

func (r *nodeList) drop(s *Node) {
	i, last := *r.indexOf(s), len(r.infos)-1
	r.infos[i], r.entries[i] = r.infos[last], r.entries[last]
	*r.indexOf(r.entries[i]) = i
	*r.indexOf(s) = Absent
	r.infos[last], r.entries[last] = nil, nil
	r.infos, r.entries = r.infos[:last], r.entries[:last]
}
