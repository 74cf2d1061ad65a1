package netfilter

import (
	"fmt"
	"slices"
	"strings"
)

// Range is the ports from First to Last.
type Range struct{ First, Last uint16 }

func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprint(r.First)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// Ports are ranges of destination ports, sorted and neither overlapping nor adjacent. Nil: all ports.
type Ports []Range

// Has reports whether the ranges contain a port.
func (p Ports) Has(port uint16) bool {
	return p == nil || slices.ContainsFunc(p, func(r Range) bool { return r.First <= port && port <= r.Last })
}

func (p Ports) String() string {
	texts := make([]string, len(p))
	for i, r := range p {
		texts[i] = r.String()
	}
	return strings.Join(texts, " ")
}

const lastPort = 1<<16 - 1

// portsOf returns the ports of ranges in any order.
func portsOf(ranges []Range) Ports {
	slices.SortFunc(ranges, func(a, b Range) int { return int(a.First) - int(b.First) })
	all := Ports{}
	for _, r := range ranges {
		if n := len(all); n > 0 && int(r.First) <= int(all[n-1].Last)+1 {
			all[n-1].Last = max(all[n-1].Last, r.Last)
		} else if r.First <= r.Last {
			all = append(all, r)
		}
	}
	return all
}

// but returns all ports except these.
func but(these Ports) Ports {
	rest, next := Ports{}, 0
	for _, r := range these {
		if next < int(r.First) {
			rest = append(rest, Range{First: uint16(next), Last: r.First - 1})
		}
		next = int(r.Last) + 1
	}
	if next <= lastPort {
		rest = append(rest, Range{First: uint16(next), Last: lastPort})
	}
	return rest
}

// and returns the ports that are in both.
func (p Ports) and(q Ports) Ports {
	if p == nil {
		return q
	}
	both := Ports{}
	for _, a := range p {
		for _, b := range q {
			if first, last := max(a.First, b.First), min(a.Last, b.Last); first <= last {
				both = append(both, Range{First: first, Last: last})
			}
		}
	}
	return both
}
