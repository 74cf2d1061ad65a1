package rebalance

import (
	"math"
)

// limit bounds how many pods of a workload a domain may hold: a node, a zone, or whatever else the values of a label of nodes tell apart.
type limit struct {
	topology
	// most is the number of pods that a domain may hold; zero if maxSkew bounds them.
	most int
	// maxSkew is by how many pods two domains may differ, as a topology spread constraint has it.
	maxSkew int
	// why is why a pod is evicted where the limit is exceeded.
	why Why
}

// topology are the domains of the nodes that may run a workload's pods. A pod on another node counts in no domain: that node is being emptied, or
// is one that the pod has to leave anyway.
type topology struct {
	domainOf map[string]string // by node
	domains  int
}

// shareLimit lets a domain hold a share of the pods, but never less than its part of an even distribution.
func shareLimit(pods int, maxShare float64, t topology) limit {
	if t.domains == 0 {
		return limit{topology: t, most: max(pods, 1)}
	}
	even := (pods + t.domains - 1) / t.domains
	// A share such as a third has no exact value: a millionth of a pod is forgiven.
	return limit{topology: t, most: max(even, int(math.Floor(maxShare*float64(pods)+1e-6)), 1)}
}

// counts are the numbers of pods of the domains that have any.
func (t topology) counts(byNode map[string]int) map[string]int {
	counts := make(map[string]int, min(len(byNode), t.domains))
	for node, n := range byNode {
		if domain, is := t.domainOf[node]; is {
			counts[domain] += n
		}
	}
	return counts
}

// excess is the least number of pods that must move for the limit to be met.
func (l limit) excess(byNode map[string]int) int {
	counts := l.counts(byNode)
	if l.most > 0 {
		return surplus(counts, l.most)
	}
	fullest := 0
	for _, n := range counts {
		fullest = max(fullest, n)
	}
	least := math.MaxInt
	for low := range fullest + 1 { // The emptiest domain will hold so many pods.
		least = min(least, max(surplus(counts, low+l.maxSkew), shortage(counts, low)+low*(l.domains-len(counts))))
	}
	return least
}

// surplus is by how many pods domains exceed a number; shortage is by how many they fall below one.
func surplus(counts map[string]int, most int) (sum int) {
	for _, n := range counts {
		sum += max(0, n-most)
	}
	return sum
}

func shortage(counts map[string]int, least int) (sum int) {
	for _, n := range counts {
		sum += max(0, least-n)
	}
	return sum
}

// overfull reports whether pods must leave a node's domain, or may have to, for the limit to be met.
func (l limit) overfull(byNode map[string]int, node string) bool {
	domain, is := l.domainOf[node]
	if !is || l.excess(byNode) == 0 {
		return false
	}
	counts := l.counts(byNode)
	if l.most > 0 {
		return counts[domain] > l.most
	}
	emptiest := counts[domain]
	for _, n := range counts {
		emptiest = min(emptiest, n)
	}
	if len(counts) < l.domains {
		emptiest = 0
	}
	return counts[domain] > emptiest
}

// full reports whether a node's domain may hold no pod more.
func (l limit) full(byNode map[string]int, node string) bool {
	domain, is := l.domainOf[node]
	switch {
	case !is:
		return true
	case l.most > 0:
		return l.counts(byNode)[domain] >= l.most
	}
	return l.overfull(byNode, node)
}
