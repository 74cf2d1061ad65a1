package query

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/message"
)

// Tally counts nodes, or groups, by the gravest thing that closes each to a pod.
type Tally map[message.ID]*count

type count struct {
	n int
	// of are the resources that are short, if that is the obstacle.
	of []string
}

func (t Tally) add(o Obstacle) {
	c := t[o.Kind]
	if c == nil {
		c = &count{}
		t[o.Kind] = c
	}
	c.n++
	for _, resource := range o.resources() {
		if !slices.Contains(c.of, resource) {
			c.of = append(c.of, resource)
		}
	}
}

// TallyOf counts nodes by their gravest obstacle.
func TallyOf(nodes []ClosedNode) Tally {
	t := Tally{}
	for _, n := range nodes {
		t.add(n.Gravest())
	}
	return t
}

// Said is the count of each kind, the gravest first.
func (t Tally) Said(say message.Printer) []string {
	var said []string
	for _, kind := range Gravest {
		if c := t[kind]; c != nil {
			slices.Sort(c.of)
			of := slices.Clone(c.of)
			if i := slices.Index(of, string(corev1.ResourcePods)); i >= 0 {
				of[i] = say.Text(message.PodSlots, nil)
			}
			said = append(said, say.Text(kind, message.Args{"n": c.n, "of": of}))
		}
	}
	return said
}

// resources are those that the scheduler finds too little of on a node.
//
// Source: plugins/noderesources/fit.go (1.36), which says "Insufficient" and the resource, or "Too many pods".
func (o Obstacle) resources() []string {
	if o.Kind != message.ObstacleFull {
		return nil
	}
	var names []string
	for _, reason := range o.Reasons {
		if name, ok := strings.CutPrefix(reason, "Insufficient "); ok {
			names = append(names, name)
		} else {
			names = append(names, string(corev1.ResourcePods))
		}
	}
	return names
}
