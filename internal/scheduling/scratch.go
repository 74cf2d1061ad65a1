package scheduling

import (
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// scratch is room that sweeps use again one after the other: at thousands of nodes, and thousands of sweeps a second,
// making it anew would cost more than the plugins do.
type scratch struct {
	slots    []*slot
	infos    []fwk.NodeInfo
	asked    []int
	filters  []fwk.FilterPlugin
	scorers  []scorer
	key      []byte
	skipped  sets.Set[string]
	verdicts answers[*fwk.Status]
	scores   []int64
	at       []int
	kinds    []int
	kindOf   []int
	ofKind   []*slot
	best     []*slot
	totals   []int64
	list     fwk.NodeScoreList
	spread   []fwk.NodeInfo
}

// answers are those of one plugin.
type answers[T any] struct {
	said     []T
	byDomain []answered[T]
}

// answered is an answer for a domain, and the look that it was given in.
type answered[T any] struct {
	look   int
	answer T
}

// sized is a buffer of n, of which nothing is promised.
func sized[S ~[]T, T any](buffer *S, n int) S {
	if cap(*buffer) < n {
		*buffer = make(S, n+n/4)
	}
	return (*buffer)[:n]
}
