package diagnosis

import (
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/message"
)

// tally counts nodes, or groups, by the gravest thing that closes each to a pod.
type tally map[message.ID]*count

type count struct {
	n int
	// of are the resources that are short, if that is the obstacle.
	of []string
}

func (t tally) add(o obstacle) {
	c := t[o.kind]
	if c == nil {
		c = &count{}
		t[o.kind] = c
	}
	c.n++
	for _, resource := range o.resources() {
		if !slices.Contains(c.of, resource) {
			c.of = append(c.of, resource)
		}
	}
}

func tallyOf(nodes []closedNode) tally {
	t := tally{}
	for _, n := range nodes {
		t.add(n.gravest())
	}
	return t
}

// said is the count of each kind, the gravest first.
func (t tally) said(say message.Printer) []string {
	var said []string
	for _, kind := range gravest {
		if c := t[kind]; c != nil {
			slices.Sort(c.of)
			said = append(said, say.Text(kind, message.Args{"n": c.n, "of": c.of}))
		}
	}
	return said
}

// resources are those that the scheduler finds too little of on a node.
//
// Source: plugins/noderesources/fit.go (1.36), which says "Insufficient" and the resource, or "Too many pods".
func (o obstacle) resources() []string {
	if o.kind != message.ObstacleFull {
		return nil
	}
	var names []string
	for _, reason := range o.reasons {
		if name, ok := strings.CutPrefix(reason, "Insufficient "); ok {
			names = append(names, name)
		} else {
			names = append(names, "pods")
		}
	}
	return names
}
