package query

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// ObstacleCounts counts nodes, or groups, by their most severe obstacle.
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
			said = append(said, CountObstacle(kind, c.n, of))
		}
	}
	return said
}

// countedObstacles are the sentences for obstacles without further details.
var countedObstacles = map[message.ID]func(n any) message.Sentence{
	message.ObstacleSelector: sentence.ObstacleSelector,
	message.ObstacleLabel:    sentence.ObstacleLabel,
	message.ObstacleTainted:  sentence.ObstacleTainted,
	message.ObstacleVolume:   sentence.ObstacleVolume,
	message.ObstacleStorage:  sentence.ObstacleStorage,
	message.ObstacleInUse:    sentence.ObstacleInUse,
	message.ObstacleDomain:   sentence.ObstacleDomain,
	message.ObstacleSpread:   sentence.ObstacleSpread,
	message.ObstacleDevice:   sentence.ObstacleDevice,
	message.ObstacleOther:    sentence.ObstacleOther,
	message.ObstaclePort:     sentence.ObstaclePort,
	message.ObstacleLimit:    sentence.ObstacleLimit,
	message.ObstacleNotReady: sentence.ObstacleNotReady,
	message.ObstacleCordoned: sentence.ObstacleCordoned,
}

// CountObstacle says how many nodes have an obstacle, and which resources they lack if that is the obstacle.
func CountObstacle(kind message.ID, n int, resources message.List) message.Sentence {
	switch kind {
	case message.ObstacleTogether:
		return sentence.ObstacleTogether(n)
	case message.ObstacleApart:
		return sentence.ObstacleApart(n)
	case message.ObstacleFull:
		return sentence.ObstacleFull(n, resources)
	default:
		return countedObstacles[kind](n)
	}
}

// resources are those of which the scheduler finds too little on a node.
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
