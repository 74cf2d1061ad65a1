package query

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// ObstacleCounts counts nodes, or groups, by the most severe thing that closes each to a pod.
type ObstacleCounts map[message.ID]*obstacleCount

type obstacleCount struct {
	n int
	// resources are the resources that are short, if that is the obstacle.
	resources []string
}

func (t ObstacleCounts) add(o Obstacle) {
	c := t[o.Kind]
	if c == nil {
		c = &obstacleCount{}
		t[o.Kind] = c
	}
	c.n++
	for _, resource := range o.resources() {
		if !slices.Contains(c.resources, resource) {
			c.resources = append(c.resources, resource)
		}
	}
}

// CountObstacles counts nodes by their most severe obstacle.
func CountObstacles(nodes []NodeObstacles) ObstacleCounts {
	t := ObstacleCounts{}
	for _, n := range nodes {
		t.add(n.MostSevere())
	}
	return t
}

// Sentences is the count of each kind, the most severe first.
func (t ObstacleCounts) Sentences() message.List {
	var said message.List
	for _, kind := range ObstacleOrder {
		if c := t[kind]; c != nil {
			slices.Sort(c.resources)
			of := message.ListOf(c.resources)
			if i := slices.Index(c.resources, string(corev1.ResourcePods)); i >= 0 {
				of[i] = sentence.PodSlots()
			}
			said = append(said, message.Of(kind, message.Args{"n": c.n, "of": of}))
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
